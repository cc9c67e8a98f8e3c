"""What changes of an answer do, in a table with a known effect, and limits on it."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest

from inspect_reliability.answers import analyse
from inspect_reliability.answers.facets import in_a_line
from inspect_reliability.answers.gate import Limits, check_limits
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.sources import judgments_from_frame
from inspect_reliability.judgments.table import Judgments
from inspect_reliability.stats.planning import FAILS, OPEN, PASSES

CHANGES = {"given": (0.4, None), "praise": (0.7, False), "layout": (0.4, False), "empty": (0, True)}
ZERO_ONE, WORDS, STARS = {0: "0", 1: "1"}, {0: "I", 1: "C"}, {0: "2", 1: "5"}


def judged(names: Mapping[int, str], questions: int = 80) -> Judgments:
    """Verdicts on answers as they are and as changed, with the share of each that is for them."""
    draw = np.random.default_rng(4)
    rows = [
        {
            **{"judge": "j", "question": f"q{q}", "replication": n + 1},
            **{"verdict": names[int(draw.random() < share)]},
            **{"answer_change": change, "spoils": spoils},
        }
        for change, (share, spoils) in CHANGES.items()
        for q in range(questions)
        for n in range(5)
    ]
    return judgments_from_frame(pd.DataFrame(rows))


@pytest.mark.slow
@pytest.mark.parametrize("names", [ZERO_ONE, STARS], ids=["0 and 1", "stars"])
def test_numbers_have_a_lift(names: dict[int, str]) -> None:
    """Of two numbers the lift is the difference of their means, near what was put in."""
    judgments = judged(names)
    means = judgments.table.astype({"verdict": float}).groupby("answer_change")["verdict"].mean()
    steps = float(names[1]) - float(names[0])
    for one in analyse(judgments).results["fooled"]:
        share, _ = CHANGES[one["change"]]
        assert one["lift"] == pytest.approx((share - 0.4) * steps, abs=0.1 * steps)
        assert one["lift"] == pytest.approx(means[one["change"]] - means["given"])
        assert (one["towards"], one["reason"]) == (None, None)
        assert one["not_estimable"]["towards"] == "verdicts are grades: see lift"


@pytest.mark.slow
@pytest.mark.parametrize(("names", "name"), [(WORDS, "towards"), (STARS, "lift")])
def test_changes_can_have_a_limit(names: dict[int, str], name: str) -> None:
    """Each change that leaves an answer's worth alone passes or fails by its own interval."""
    analysis = analyse(judged(names))
    found = {one["change"]: one for one in analysis.results["fooled"]}
    low, high = found["praise"][f"{name}_interval"]
    for limit, result in ((high + 0.01, PASSES), (low - 0.01, FAILS), ((low + high) / 2, OPEN)):
        checks = check_limits(analysis, Limits(most=((name, limit),)))
        said = [f"{name} of {change} <= {limit:g}" for change in ("praise", "layout")]
        assert [one["requirement"] for one in checks] == said
        assert (checks[0]["value"], checks[0]["result"]) == (found["praise"][name], result)
        assert checks[0]["value_interval"] == [low, high]
    other = "lift" if name == "towards" else "towards"
    unlike = check_limits(analysis, Limits(most=((other, 0.1),)))
    assert {(one["result"], one["reason"].endswith(f"see {name}")) for one in unlike} == {
        (OPEN, True)
    }


@pytest.mark.slow
def test_a_spoiled_answer_is_said_to_be_chosen_as_often_as_it_is() -> None:
    """Every answer was right, and every fourth still is where it is empty: the line says 25%."""
    rows = [
        {
            **{"judge": "j", "question": f"q{q}", "replication": n, "answer_change": change},
            **{"verdict": "C" if change == "given" or q % 4 == 0 else "I"},
            **{"spoils": change == "empty"},
        }
        for change in ("given", "empty")
        for q in range(40)
        for n in (1, 2)
    ]
    found = analyse(judgments_from_frame(pd.DataFrame(rows))).results["fooled"]
    assert in_a_line(found).startswith("empty still chosen in 25% [")


def test_a_limit_without_changed_answers() -> None:
    """It is refused, and says how to change them."""
    judgments = judged(WORDS)
    table = judgments.table[judgments.table["answer_change"] == "given"]
    with pytest.raises(UserError, match="no answer was changed: run the judge with -T answers=ins"):
        check_limits(analyse(Judgments(table)), Limits(most=(("towards", 0.1),)))
