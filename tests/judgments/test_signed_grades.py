"""Grades with a sign, of numbers and of letters."""

from collections.abc import Sequence

import pandas as pd
import pytest

from inspect_reliability import Judgments, Reading, judgments_from_frame
from inspect_reliability.judgments.given_labels import labelled_judgments
from inspect_reliability.judgments.reading import OpenQuestionError
from inspect_reliability.judgments.signed_grades import ways_of_signs

GERMAN = {"1-": "1.3", "2+": "1.7", "2-": "2.3", "3+": "2.7", "3 −": "3.3", "2-3": "2.5"}
MORE = {"8+": "8.3", "8-": "7.7", "7+": "7.3"}
POINTS = {"A": "4", "A-": "3.7", "B+": "3.3", "B": "3", "c-": "1.7", "F": "0"}
EUROPE = {"A": "5", "B+": "4.3", "E": "1"}


def ways(texts: Sequence[str], labels: Sequence[str] = ()) -> list[dict[str, str]]:
    """What each way makes of verdicts that were given once."""
    found, _ = ways_of_signs([dict.fromkeys(texts, 1)], labels, ())
    return [dict(one) for _, one in found]


@pytest.mark.parametrize(
    ("texts", "first"),
    [
        ([*GERMAN, "1", "2", "3", "4"], GERMAN),
        ([*MORE, "5", "7", "10"], MORE),
        (["0", "1+", "2+", "3+"], {"1+": "1", "2+": "2", "3+": "3"}),
        ([*POINTS], POINTS),
        ([*EUROPE], EUROPE),
    ],
)
def test_a_sign_is_a_third(texts: list[str], first: dict[str, str]) -> None:
    """As schools count them by hand; a scale without the other sign and plain grades has none."""
    found = ways(texts)
    assert found[0] == first
    assert all(text == of for text, of in found[-1].items())


def test_where_more_is_better_a_plus_adds() -> None:
    """It is offered second where the grades end at 6, and each sign is taken the other way."""
    down, up, _ = ways([*GERMAN, "1", "2", "3"])
    for text in set(GERMAN) - {"2-3"}:
        assert float(down[text]) + float(up[text]) == pytest.approx(2 * int(text[0]))


@pytest.mark.parametrize(
    "texts",
    [["A", "B", "tie"], ["A", "B", "C", "D"], ["1", "2", "3"], ["+", "-", "0"], ["A++", "A", "B"]],
)
def test_other_verdicts_have_no_signs(texts: list[str]) -> None:
    """Options, plain grades and signs alone; a scale needs three grades."""
    assert ways(texts) == []


def read(verdicts: Sequence[str], labels: Sequence[str], **said: dict[str, str]) -> Judgments:
    rows = [(f"q{n}", verdicts[n % len(verdicts)], labels[n % len(labels)]) for n in range(60)]
    frame = pd.DataFrame(rows, columns=["question", "verdict", "label"])
    return judgments_from_frame(frame, reading=Reading(**said))


SIGNS = ["1", "1-", "2+", "2", "2-", "3+", "3", "4", "5"]


@pytest.mark.slow
@pytest.mark.parametrize("verdicts", [SIGNS, [*"12345", "1", "2", "3", "2+"]])
def test_the_whole_map_is_offered_once(verdicts: list[str]) -> None:
    """Of verdicts and labels, whether most or one have a sign; who answers is asked no more."""
    [asked] = read(verdicts, [*SIGNS, "4-"]).asked
    first, _, names = (one.entries["map"] for one in asked.choices)
    assert first["4-"] == "4.3"
    found = read(verdicts, [*SIGNS, "4-"], map=first)
    assert not found.asked
    assert {*found.table["verdict"]} == {first.get(one, one) for one in verdicts}
    assert not read(verdicts, [*SIGNS, "4-"], map=names).asked
    both = read([*verdicts, "abs"], SIGNS).asked
    assert "answers 'abs' beside grades" in str(both[1])


@pytest.mark.slow
def test_labels_of_a_file_with_a_sign_are_asked_about() -> None:
    """They had been no verdict of the judge."""
    plain = judgments_from_frame(read([*"12345"], [*"12345"]).table.drop(columns="label"))
    labels = {f"q{n}": SIGNS[n % 9] for n in range(60)}
    with pytest.raises(OpenQuestionError, match=r"2\+=1\.7|'2\+': '1\.7'"):
        labelled_judgments(plain, labels)
