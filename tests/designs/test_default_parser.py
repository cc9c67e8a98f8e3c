"""What the default parser reads, against what a person reads."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from judge_outputs import FIVE, MISSED, OUTPUTS, REAL, TO_TEN, TWO, WITH_TIE, YES_NO

from inspect_reliability.parsing.reader import Reader
from inspect_reliability.study.benchmarks import BENCHMARKS

BEST_OF_FIVE = BENCHMARKS["BBH"].design.reader
SHORT = {"-": "non-response", "?": "invalid"}


@pytest.mark.parametrize("labels", [None, {"labels": ["Best Response"]}], ids=["", "labels"])
@pytest.mark.parametrize("kind", OUTPUTS)
def test_reads_what_a_person_reads(kind: str, labels: dict[str, list[str]] | None) -> None:
    """The verdict is the one that a person reads, with the design's label known or not."""
    design, rows = OUTPUTS[kind]
    reader = Reader(design, labels)
    read = [(text, reader.read(text).verdict) for text, _ in rows]
    assert read == [(text, SHORT.get(verdict, verdict)) for text, verdict in rows]


@pytest.mark.parametrize(("design", "text", "verdict"), MISSED)
def test_misses_rather_than_guesses(design: object, text: str, verdict: str) -> None:
    """What the parser cannot read is no verdict, never another one."""
    assert Reader(design).read(text).verdict in ("non-response", "invalid", verdict)


@pytest.mark.parametrize(
    ("labels", "design", "text", "verdict"),
    [
        (["Bewertung"], TO_TEN, "Bewertung: 7", "7"),
        (["Gewinner", "Antwort"], FIVE, "**Gewinner:** Antwort A\n\nAntwort B: falsch.", "A"),
        (["Gewinner", "Antwort"], FIVE, "Schlechteste: Antwort A", "non-response"),
        (["评分"], TO_TEN, "评分：8分", "8"),
        (["回答"], FIVE, "最佳回答：B。", "B"),
    ],
)
def test_labels_bring_other_languages(
    labels: list[str], design: object, text: str, verdict: str
) -> None:
    """A design's labels announce a verdict in the language that they are in."""
    assert Reader(design, {"labels": labels}).read(text).verdict == verdict


LONE = re.compile(
    r"(?<![^\W_])[A-Z](?![^\W_])|(?<=[\[(\"'`*])[a-z](?=[\])\"'`*])"
    r"|(?<![^\W_])[a-z](?=[.)]?\s*$| because)",
    re.MULTILINE,
)


def relabelled(text: str, labels: dict[str, str]) -> str:
    """A text in which every lone letter that is a label is another one."""
    small = {one.lower(): other.lower() for one, other in labels.items()}
    return LONE.sub(lambda letter: (labels | small).get(letter[0], letter[0]), text)


LETTERED = [
    (design, text)
    for kind, (design, rows) in OUTPUTS.items()
    if design in (FIVE, TWO, WITH_TIE) and kind != "forms of letters"
    for text, _ in rows
    if not re.search("[\u0370-\u052f]", text)  # letters that look like labels
] + [(design, text) for design, text, _ in REAL if design != TO_TEN]


@pytest.mark.slow
@pytest.mark.parametrize("turn", [1, 3])
def test_no_label_is_read_better_than_another(turn: int) -> None:
    """Other labels in an output change the letter that is read, not whether one is read."""
    for design, text in LETTERED:
        reader = Reader(design)
        labels = [name for name in reader.verdicts if len(name) == 1]
        others = dict(zip(labels, labels[turn % len(labels) :] + labels, strict=False))
        read = reader.read(text).verdict
        assert (text, reader.read(relabelled(text, others)).verdict) == (
            text,
            others.get(read, read),
        )


def test_reads_a_weak_judge() -> None:
    """Of 200 outputs of a small judge, it reads four verdicts in five, and no wrong one."""
    read = [(text, verdict, Reader(design).read(text).verdict) for design, text, verdict in REAL]
    assert len(read) == 200
    wrong = [one for one in read if one[2] not in (one[1], "non-response", "invalid")]
    assert not wrong
    given = [one for one in read if one[1] not in SHORT.values()]
    assert sum(one[2] != one[1] for one in given) < 0.2 * len(given)


def test_reads_all_collected_outputs(data: Path) -> None:
    """Every collected output reads as the person who collected it read it."""
    collected = json.loads((data / "judge_outputs.json").read_text())
    assert len(collected) >= 36
    wrong = [
        (one["text"], one["verdict"], found)
        for one in collected
        if (found := BEST_OF_FIVE.read(one["text"]).verdict) != one["verdict"]
    ]
    assert not wrong


@pytest.mark.parametrize(
    ("design", "text", "how"),
    [
        (FIVE, "Winner: C", "label"),
        (FIVE, "**Winner**\nC", "label"),
        (FIVE, "The best response is C.", "sentence"),
        (FIVE, "I choose C.", "sentence"),
        (FIVE, "C is the best response.", "sentence"),
        (FIVE, "C", "bare"),
        (FIVE, "Good.\n\n[[C]]", "brackets"),
        (FIVE, r"\boxed{C}", "boxed"),
        (FIVE, "C > A > B > D > E", "ranking"),
        (FIVE, '{"verdict": "C"}', "json"),
        (FIVE, "<verdict>C</verdict>", "tag"),
        (TO_TEN, '{"score": 7}', "json"),
        (TO_TEN, "I give it a 7.", "sentence"),
        (YES_NO, "Yes.", "bare"),
        (FIVE, "", ""),
    ],
)
def test_says_how_it_read(design: object, text: str, how: str) -> None:
    """Each reading names the form in which it found the verdict."""
    assert Reader(design).read(text).how == how


SENTENCES = st.sampled_from(
    [
        "Each response was read twice.",
        "The question asks for a date, and two of them give one.",
        "It is not easy to compare them.",
        "Some are short; others are long (too long, perhaps).",
        "I looked at accuracy, utility and relevance.",
        "None is perfect.",
        "## Analysis",
        "- The first point: clarity.",
        "Réponses comparées avec soin.",
        "回答都很长。",
        "Should it be shorter? Perhaps.",
        "The worst part is the ending.",
        "> a quotation",
        "In 2019, 12 people agreed.",
        '{"note": "nothing"}',
        "<b>Remark</b>",
    ]
)
VERDICTS = st.sampled_from(
    [
        (FIVE, "Best Response: [[C]]", "C"),
        (FIVE, "The best response is D.", "D"),
        (FIVE, "Response B is the best.", "B"),
        (FIVE, "I'd choose option D.", "D"),
        (FIVE, '{"verdict": "B"}', "B"),
        (FIVE, "<verdict>E</verdict>", "E"),
        (FIVE, r"\boxed{A}", "A"),
        (FIVE, "[[A]]", "A"),
        (YES_NO, "Verdict: no", "no"),
        (YES_NO, "My answer is yes.", "yes"),
        (TO_TEN, "Rating: 7/10", "7"),
        (TO_TEN, "I give it an 8.", "8"),
    ]
)


@pytest.mark.slow
@given(st.lists(SENTENCES, max_size=5), VERDICTS, st.lists(SENTENCES, max_size=5))
def test_text_around_a_verdict_does_not_change_it(
    before: list[str], given: tuple[object, str, str], after: list[str]
) -> None:
    """Sentences that name no other verdict never change what is read."""
    design, text, verdict = given
    reader = Reader(design)
    for between in ("\n", "\n\n"):
        assert reader.read(between.join([*before, text, *after])).verdict == verdict


@pytest.mark.slow
@given(st.text(max_size=80), st.text(max_size=80))
def test_any_text_around_a_labelled_verdict(before: str, after: str) -> None:
    """Whatever is on other lines, without a letter A to E, leaves the labelled verdict as it is."""
    around = before + after
    assume(not any(BEST_OF_FIVE.read(part).how for part in (before, after, around)))
    assume("<" not in around and "[" not in around and "◁" not in around)
    text = f"{before}\n\nBest Response: [[C]]\n\n{after}"
    assert BEST_OF_FIVE.read(text).verdict == "C"


@pytest.mark.slow
@given(st.text())
def test_every_text_has_one_verdict(text: str) -> None:
    """Whatever a model writes is one of the declared categories, for every design."""
    for design in (FIVE, YES_NO, TO_TEN, ["correct", "incorrect"]):
        reader = Reader(design)
        assert reader.read(text).verdict in reader.categories


WORDS = st.lists(
    st.sampled_from(
        [
            "Best Response", "best", ":", " ", "\n", "[[", "]]", "[", "]", "A", "B", "a", "b", "(",
            ")", "**", "is", "not", "The ", ".", "?", " and ", "second ", '"', "{", "}", "<", ">",
            "E", "Final answer", "Verdict", "would be", "None", "'", "x", "-",
        ]
    ),
    max_size=14,
).map("".join)  # fmt: skip


@given(WORDS, WORDS)
def test_completed_means_no_continuation_unsays_it(text: str, more: str) -> None:
    """Once a verdict is complete, only another verdict after it changes what is read."""
    if named := BEST_OF_FIVE.completed(text):
        assert BEST_OF_FIVE.read(text).verdict == named
        found = BEST_OF_FIVE.read(text + more).verdict
        assert found == named or any(letter in more for letter in "ABEab")
        assert found != "non-response"


@pytest.mark.parametrize(
    ("design", "text", "verdict"),
    [
        (FIVE, "Best Response: [[C]", None),
        (FIVE, "Best Response: [[C]]", "C"),
        (FIVE, "Best Response: A", None),
        (FIVE, "Best Response: A and", None),
        (FIVE, "Best Response: A\n", "A"),
        (FIVE, "**Best Response**: [C]\n", "C"),
        (FIVE, "Best Response: [[ C ]]", "C"),
        (FIVE, "Second best response: C\n", None),
        (FIVE, "The best response is C.", None),
        (FIVE, "<think>Best Response: C\n", None),
        (FIVE, "<verdict>C<", None),
        (FIVE, "<verdict>C</", "C"),
        (TO_TEN, "Rating: 7", None),
        (TO_TEN, "Rating: 7\n", "7"),
        (TO_TEN, '{"score": 1', None),
        (YES_NO, '{"verdict": "yes",', "yes"),
        (YES_NO, "Yes, ", None),
    ],
)
def test_completed(design: object, text: str, verdict: str | None) -> None:
    """A verdict is complete where nothing that follows can take it back."""
    assert Reader(design).completed(text) == verdict


FIRST_WORD = Reader(["yes", "no"], {"pattern": r"(?i)\A\W*(yes|no)"})


@pytest.mark.parametrize(
    ("reader", "text", "finished"),
    [
        (Reader(FIVE), "Best Response: [[C]]", False),
        (Reader(FIVE), "Best Response: [[C]] is best, or", False),
        (Reader(FIVE), "Best Response: [[C]]\n", True),
        (Reader(FIVE), "\n\nBest Response: [[C]] is best.\nIt", True),
        (Reader(FIVE), "Best Response: [[C]] or Best Response: [[D]]\nIt", False),
        (Reader(FIVE), "Let me see.\nBest Response: [[C]]", False),
        (Reader(FIVE), "<think>Best Response: C\n", False),
        (Reader(FIVE, {"json": "best"}), '{"best": "C", "because": "', False),
        (Reader(FIVE, {"json": "best"}), '{\n"best": "C",\n', True),
        (FIRST_WORD, "Yes", False),
        (FIRST_WORD, "Yes, that is so.\n", True),
        (Reader({"criteria": {"a": YES_NO, "b": TO_TEN}}), '{"a": "yes",\n', False),
        (Reader({"criteria": {"a": YES_NO, "b": TO_TEN}}), '{"a": "yes",\n"b": 7\n', True),
    ],
)
def test_finished(reader: Reader, text: str, finished: bool) -> None:
    """A text may end where complete lines name one verdict: that of its line is read whole."""
    assert reader.finished(text) is finished


HOSTILE = [
    ":", "\n", " ", "(", "((", "(a(", "[", "[[", "[[A]] ", "A ", "A, ", "A and ", "A/", "A > ",
    "7", "7-", "7/10 ", "-1", "**", "- ", "*", "_", '"', '": "', '{"verdict": "', "\\boxed{",
    "\\text{", "<", "<b>", "<think>", "</think>", "<verdict>", "Best Response: ", "I would ",
    "The best response is ", "the ", "Response ", "no, ", "yes ", "score of ", "A\n", "\nA\n\n",
    "...", "?", "é", "İ", "是", "Ａ", "В ", "\u200b", "$", "final ",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE)
def test_long_repetitions_end(unit: str) -> None:
    """Reading takes time in proportion to the text: 2,000 characters come to an end."""
    text = unit * (2_000 // len(unit))
    for design in (FIVE, YES_NO, TO_TEN):
        reader = Reader(design)
        assert reader.read(text).verdict in reader.categories
        reader.completed(text)


@pytest.mark.parametrize("parser", [None, {"labels": ["Best Response"]}, {"labels": ["Winner"]}])
def test_a_sentence_is_no_verdict_alone(parser: dict[str, Any] | None) -> None:
    """A label of the design that a sentence uses does not hide that it is one."""
    reader = Reader({"options": ["A", "B"]}, parser)
    assert reader.read("The best response is A.") == ("A", "sentence")
