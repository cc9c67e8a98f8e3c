"""`watch`: what it says of tables and logs whose truth is known, and how it ends."""

import calendar
import json
import re
import shlex
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from commands import inspect, invoke, once
from inspect_reliability.errors import UserError
from inspect_reliability.judgments.logs import judgments_from_logs
from inspect_reliability.judgments.sources import judgments_from
from inspect_reliability.watching import bets, changed
from inspect_reliability.watching.direction import direction_in_words
from inspect_reliability.watching.report import watch as watch_in_python
from inspect_reliability.watching.report import watch_document

pytestmark = pytest.mark.usefixtures("read_once")

ROOT = Path(__file__).parents[2]
KEYS = [
    *("check", "time", "judge", "p", "bet", "alarm", "stream_p", "stream_bet"),
    *("unit", "moved", "failed", "reason"),
]


def checks(
    number: int = 18,
    anchors: int = 18,
    draws: int = 3,
    turned: int = 0,
    at: int = 99,
    seed: int = 1,
    **columns: Any,
) -> pd.DataFrame:
    """Draws of a judge on anchors, of which some turn at a check."""
    generator = np.random.default_rng(seed)
    chance = np.where(np.arange(anchors) % 3 > 0, 0.97, 0.6)
    rows = []
    for t in range(1, number + 1):
        now = chance.copy()
        if t >= at:
            now[:turned] = 0.03
        said = generator.random((anchors, draws)) < now[:, None]
        rows += [
            (f"2026-01-{t:02d}", f"q{q:02d}", k + 1, "yes" if said[q, k] else "no", "yes")
            for q in range(anchors)
            for k in range(draws)
        ]
    names = ["time", "question", "replication", "verdict", "label"]
    return pd.DataFrame(rows, columns=names).assign(judge="j", **columns)


def outputs(
    number: int = 20, each: int = 40, before: float = 0.8, after: float = 0.8, at: int = 99
):
    """Judged outputs of production, of which a share is right."""
    generator = np.random.default_rng(5)
    rows = [
        (f"2026-01-{t:02d}", f"o{t}-{k}", said)
        for t in range(1, number + 1)
        for k, said in enumerate(
            np.where(generator.random(each) < (after if t >= at else before), "yes", "no")
        )
    ]
    return pd.DataFrame(rows, columns=["time", "question", "verdict"]).assign(judge="j")


STREAM, POWER = once(partial(bets.watch_stream, parts=199)), once(bets.power)
WATCHING = once(changed.watching)


@pytest.fixture(autouse=True)
def _fewer_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """p-values of fewer random parts are as valid, and quick; so are fewer studies of power.

    What is printed in two forms is computed once.
    """
    monkeypatch.setattr(bets, "STUDIES", 4)
    monkeypatch.setattr(changed, "watch_stream", STREAM)
    monkeypatch.setattr(changed, "power", POWER)
    monkeypatch.setattr("inspect_reliability.cli.watch.watching", WATCHING)


@pytest.fixture
def save(tmp_path: Path):
    def write(table: pd.DataFrame, name: str = "checks.csv") -> str:
        table.to_csv(tmp_path / name, index=False)
        return str(tmp_path / name)

    return write


def watch(*arguments: str, exit_code: int) -> dict[str, Any]:
    done = invoke("watch", *arguments, "--format", "json")
    assert done.exit_code == exit_code, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_a_quiet_judge_ends_with_0_and_says_how_soon_a_change_would_be_found(save) -> None:
    """The first ten checks are the baseline, every later one has a p-value; the keys are fixed."""
    found = watch(save(checks(14)), exit_code=0)
    assert (found["changed"], found["since"]) == ("none", None)
    assert [list(one) for one in found["watch"]] == [KEYS] * 14
    assert [one["p"] is None for one in found["watch"]] == [True] * 10 + [False] * 4
    assert not any(one["alarm"] or one["moved"] for one in found["watch"])
    assert found["found"] >= 0.5
    said = invoke("watch", save(checks(14))).stdout
    assert "Next: add the verdicts of the next check" in said
    assert "rejudge" not in said  # a file has no log to judge again


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_a_changed_judge_ends_with_1_and_its_anchors_are_named(save) -> None:
    """Five anchors turn at check 15: since when, which, to what, and worse by their labels."""
    file = save(checks(turned=5, at=15))
    found = watch(file, exit_code=1)
    assert (found["changed"], found["since"]) == ("judge", 15)
    [alarm] = [one for one in found["watch"] if one["moved"]]
    assert 15 <= alarm["check"] <= 17
    assert set(alarm["moved"]) >= {f"q{n:02d}" for n in range(5)}
    assert found["difference_interval"][1] < 0
    assert all(one["alarm"] == (one["check"] >= alarm["check"]) for one in found["watch"])
    shown = invoke("watch", file)
    assert shown.exit_code == 1
    assert len(shown.stdout.splitlines()) <= 25
    assert "The judge j changed since check 15 (2026-01-15)." in shown.stdout
    page = invoke("watch", file, "--format", "html").stdout
    n = len(found["moved_anchors"])
    assert f"It changed since check 15 (2026-01-15), beyond noise on {n} anchors." in page
    assert (
        page.count(f"changed since check 15 (2026-01-15), beyond noise on {n} anchors") >= 1
    )  # in the figure's key
    assert "It is worse" in shown.stdout


@pytest.mark.slow
def test_a_bet_that_is_near_is_said_with_how_seldom_that_is(save) -> None:
    """At half of what decides or more, by Ville's inequality; below it, nothing is near."""
    for number, near in ((15, False), (16, True)):
        file = save(checks(number, anchors=24, turned=2, at=15))
        bet = watch(file, exit_code=0)["watch"][-1]["bet"]
        assert (10 <= bet < 20) == near
        said = " ".join(invoke("watch", file).stdout.split())
        assert ("Nothing shows yet that j changed" in said) == near
        assert (f"so near with a probability of at most {1 / bet:.1%}" in said) == near


@pytest.mark.slow
def test_a_bet_decides_at_one_in_alpha_and_of_two_at_twice_that() -> None:
    """The first that is worth it is the alarm: by Ville's inequality each has half of alpha."""
    judged = judgments_from(checks(12, anchors=8, turned=4, at=11))
    stream = judgments_from(outputs(12, each=10, after=0.3, at=11), columns={"time": "time"})
    for production, needed in ((None, 1 / 0.08), (stream, 2 / 0.08)):
        found = changed.watching(judged, production, alpha=0.08)
        assert found.needed == pytest.approx(needed)
        for side in filter(None, (found.anchors, found.production)):
            reached = [n for n, bet in enumerate(side.watched.bet) if bet >= needed]
            assert side.watched.alarm == (reached[0] if reached else None)
    assert changed.watching(judged, alpha=0.08).anchors.watched.alarm is not None


@pytest.mark.slow
def test_numbered_checks_are_numbered_once(save) -> None:
    """A time that is the number is not said twice, and --since takes the number."""
    numbered = checks(turned=5, at=15)
    numbered["time"] = numbered["time"].str[-2:].astype(int)
    said = invoke("watch", save(numbered)).stdout
    assert "The judge j changed since check 15.\n" in said
    assert "--since 15\n" in said


@pytest.mark.slow
@pytest.mark.parametrize("form", ["%d.%m.%Y", "%d/%m/%Y"])
def test_days_that_begin_with_the_day_are_in_order(form: str, save) -> None:
    """Over the end of a month, as the same checks with days of ISO; either order is refused."""
    iso = checks(turned=5, at=15)
    days = pd.to_datetime(iso["time"]) + pd.Timedelta(days=20)
    iso, own = (
        iso.assign(time=days.dt.strftime("%Y-%m-%d")),
        iso.assign(time=days.dt.strftime(form)),
    )
    since = days.max().strftime(form)
    known, begun = (watch(save(one), exit_code=1)["watch"] for one in (iso, own))
    assert begun == known
    if "/" in form:
        few = save(own[own["time"].str[:2] < "13"])
        done = invoke("watch", few)
        assert done.exit_code == 2
        assert "'02/02/2026' can be" not in done.stderr
        assert "can be 2026-02-01 or 2026-01-02" in done.stderr
    assert (
        " the baseline is 10 checks, and there is 1"
        in invoke("watch", save(own), "--since", since).stdout
    )


@pytest.mark.slow
def test_two_files_are_compared_and_a_name_can_be_the_time(
    save, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a time the file's name is one where it has a date; two checks are for `compare`."""
    monkeypatch.chdir(tmp_path)
    one, two = (checks(1, seed=k).drop(columns=["time", "replication"]) for k in (1, 2))
    for names, ok in ((("a-2026_01.csv", "a-2026_02.csv"), True), (("a.csv", "b.csv"), False)):
        for name, frame in zip(names, (one, two), strict=True):
            frame.to_csv(name, index=False)
        done = invoke("watch", *names)
        assert done.exit_code == 2
        assert f"inspect-reliability compare {' '.join(names)}" in " ".join(done.stderr.split())
        done = invoke("watch", *names, "--column", "file=time")
        assert done.exit_code == (3 if ok else 2)
        if not ok:
            assert "is no date or number" in done.stderr
            continue
        known = json.loads(
            invoke("watch", *names, "--column", "file=time", "--format", "json").stdout
        )
        assert [check["time"] for check in known["watch"]] == [*names]
        [call] = re.findall(r"inspect-reliability (compare .*)", done.stdout)
        assert invoke(*shlex.split(call)).exit_code == 0
    # Two runs that number the same draws: a name without a date is not offered as a time.
    files = [save(checks(1, seed=k).drop(columns="time"), f"{k}.csv") for k in (1, 2)]
    said = " ".join(invoke("watch", *files).stderr.split())
    assert f"inspect-reliability compare {' '.join(files)}" in said
    files = [save(checks(1), "jan.csv"), save(checks(1).assign(time="2026-02-01"), "feb.csv")]
    assert f"compare {' '.join(files)}" in invoke("watch", *files, "--alpha", "0.04").stdout


@pytest.mark.slow
def test_a_few_files_are_compared_and_months_need_their_year(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before ten checks Next compares the last two by time; a month is refused with new names."""
    monkeypatch.chdir(tmp_path)
    for n, names in enumerate((("2026-02.csv", "Nov.csv"), ("2026-01.csv", "Mai.csv")), 1):
        for name in names:
            checks(1, seed=n).drop(columns=["time"]).to_csv(name, index=False)
    checks(1, seed=3).drop(columns=["time"]).to_csv("2026-03.csv", index=False)
    done = invoke("watch", "2026-03.csv", "2026-02.csv", "2026-01.csv", "--column", "file=time")
    [call] = re.findall(r"inspect-reliability (compare .*)", done.stdout)
    assert call.split()[1:3] == ["2026-02.csv", "2026-03.csv"]
    assert invoke(*shlex.split(call)).exit_code == 0
    for more in ((), ("--column", "file=time")):
        said = " ".join(invoke("watch", "Mai.csv", "Nov.csv", *more).stderr.split())
        assert "Rename Mai.csv to YEAR-05.csv, Nov.csv to YEAR-11.csv" in said
        assert "inspect-reliability compare Mai.csv Nov.csv" in said


@pytest.mark.slow
def test_what_is_next_keeps_how_this_was_asked(save) -> None:
    """Where it begins, its level and its groups; a table of production cannot be rejudged."""
    file, own = save(checks(14)), ["--since", "3", "--alpha", "0.04"]
    said = invoke("watch", file, *own).stdout
    assert f"inspect-reliability watch {file} --alpha 0.04 --since 2026-01-03\n" in said
    turned = save(checks(14, turned=9, at=12)), "--stream", save(outputs(14), "stream.csv")
    said = " ".join(invoke("watch", *turned).stdout.split())
    assert "as a table a side" in said
    assert "rejudge" not in said


@pytest.mark.slow
def test_more_moved_anchors_than_are_shown_are_counted(save) -> None:
    """And a change that makes checks differ brings no caution that they do."""
    done = invoke("watch", save(checks(22, anchors=24, turned=9, at=14)))
    assert "The judge j changed since check 14" in done.stdout
    assert re.search(r"More: --full \(every table, [34] more rows?\)", done.stdout)
    assert "own noise" not in " ".join(done.stdout.split())


@pytest.mark.slow
def test_what_a_check_said_is_no_other_one_with_later_checks(save) -> None:
    """Nor does the order of rows matter."""
    every = checks(16, turned=5, at=13)
    first = watch(save(every[every["time"] <= "2026-01-12"]), exit_code=0)["watch"]
    mixed = every.sample(frac=1, random_state=1)
    again = watch(save(mixed), exit_code=1)["watch"]
    assert [(one["p"], one["bet"]) for one in again[:12]] == [
        (pytest.approx(one["p"]), pytest.approx(one["bet"])) for one in first
    ]


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 4])
def test_few_checks_of_one_file_are_compared_by_time(n: int, save) -> None:
    """The next step runs, and tells them apart now; a single check has nothing to compare."""
    file = save(checks(n, turned=20, at=1))
    [call] = re.findall("inspect-reliability (compare .*)", invoke("watch", file).stdout)
    assert call == f"compare {file} --by time"
    said = invoke(*call.split())
    assert not said.exit_code
    assert "2026-01-01" in said.stdout
    assert "compare" not in invoke("watch", save(checks(1))).stdout


@pytest.mark.slow
def test_a_bet_is_worth_what_was_put_in_until_something_is_tested(save) -> None:
    """Checks before the first that counts, or before the stream, are worth 1 as the baseline is."""
    stream = outputs(5, each=4).query("time >= '2026-01-03'")
    files = save(checks(5, anchors=4)), "--stream", save(stream, "stream.csv"), "--since", "2"
    found = watch(*files, exit_code=3)["watch"]
    assert [(one["bet"], one["stream_bet"]) for one in found] == [(1.0, 1.0)] * 5


@pytest.mark.slow
def test_too_few_checks_end_with_3(save) -> None:
    found = watch(save(checks(9)), exit_code=3)
    assert found["not_enough"] == "the baseline is 10 checks, and there are 9"
    assert found["changed"] is None  # which is no quiet


@pytest.mark.slow
@pytest.mark.parametrize("number", [2, 12])
def test_checks_that_share_no_output_end_with_3(save, number: int) -> None:
    """Each month's letters are others, and so are their texts: nothing says who changed."""
    table = checks(number, anchors=6)
    table["question"] = table["time"] + " " + table["question"]
    file = save(table.assign(prompt="Read: " + table["question"]))
    done = invoke("watch", file, "--column", "time=time")
    assert done.exit_code == 3, done.output
    said = " ".join(done.stdout.split())
    assert "no output was judged in two checks" in said
    assert "another judge" not in said
    assert "--freeze 40" in said


@pytest.mark.slow
def test_too_few_anchors_end_with_3_and_how_many_would_do(save) -> None:
    """A single anchor that wavers shows nothing in time."""
    table = checks(14, anchors=4, draws=1)
    table["verdict"] = np.random.default_rng(1).choice(["yes", "no"], len(table))
    done = invoke("watch", save(table))
    assert done.exit_code == 3
    said = " ".join(done.stdout.split())
    assert "4 anchors are too few" in said
    assert "would be found" in said


@pytest.mark.slow
def test_a_system_is_named_once_the_anchors_would_have_shown_the_judge(save) -> None:
    """The anchors are quiet and the stream is not: at first the judge may have, then it has not."""
    anchors = checks(25)
    stream = outputs(25, after=0.3, at=14)
    files = save(anchors), "--stream", save(stream, "stream.csv")
    found = watch(*files, exit_code=1)
    assert (found["changed"], found["since"]) == ("system", 14)
    last = next(one["time"] for one in found["watch"] if one["alarm"])
    early = [table[table["time"] <= last] for table in (anchors, stream)]
    short = save(early[0]), "--stream", save(early[1], "stream.csv")
    assert watch(*short, exit_code=1)["changed"] == "judge_system_unknown"


@pytest.mark.slow
def test_a_changed_judge_leaves_the_system_open(save) -> None:
    """A changed judge moves the stream as well; what to judge again of logs is a command."""
    files = save(checks(turned=5, at=15)), "--stream", save(outputs(after=0.4, at=15), "stream.csv")
    assert watch(*files, exit_code=1)["changed"] == "judge_system_unknown"
    found = changed.watching(
        judgments_from(files[0]), judgments_from(files[2], columns={"time": "time"})
    )
    told = [getattr(one, "text", "") for one in watch_document(found, "a", ["b"]).blocks]
    assert "Whether the system changed is not known" in told[0]
    assert not any("rejudge" in one for one in told)  # which takes logs
    of_logs = watch_document(replace(found, logged=True), "a", ["b"])
    assert any("rejudge b" in getattr(one, "text", "") for one in of_logs.blocks)


@pytest.mark.slow
def test_a_mixture_of_groups_may_move_where_a_column_names_them(save) -> None:
    """One group's share grows: no change within the groups, a change of the stream without them."""
    generator = np.random.default_rng(8)
    rows = []
    for t in range(1, 26):
        hard = generator.random(60) < (0.1 if t < 14 else 0.8)
        right = generator.random(60) < np.where(hard, 0.3, 0.95)
        rows += [
            (
                f"2026-01-{t:02d}",
                f"o{t}-{k}",
                "yes" if right[k] else "no",
                "hard" if hard[k] else "easy",
            )
            for k in range(60)
        ]
    stream = pd.DataFrame(rows, columns=["time", "question", "verdict", "level"]).assign(judge="j")
    files = save(checks(25)), "--stream", save(stream, "stream.csv")
    assert watch(*files, exit_code=1)["changed"] == "system"
    assert watch(*files, "--by", "level", exit_code=0)["changed"] == "none"


@pytest.mark.slow
def test_another_judge_is_named_and_no_part_of_the_stream(save) -> None:
    """A check with another wording or temperature than the first one's has no p-value."""
    table = checks(14).assign(wording="first", temperature=1.0)
    table.loc[table["time"] == "2026-01-12", "temperature"] = 0.5
    found = watch(save(table), exit_code=0)
    assert found["watch"][11]["reason"] == "another judge: temperature 0.5, was 1"
    table.loc[table["time"] >= "2026-01-13", "wording"] = "second"
    found = watch(save(table), exit_code=1)
    assert (found["changed"], found["since"]) == ("judge", 12)
    assert found["watch"][13]["p"] is None


@pytest.mark.slow
def test_a_check_that_failed_half_way_is_left_out(save) -> None:
    """With fewer than half of the anchors it is not tested; anchors asked unequally often are."""
    table = checks(14, anchors=24)
    half = (table["time"] == "2026-01-12") & (table["question"] > "q08")
    fewer = (
        (table["time"] == "2026-01-13") & (table["replication"] > 1) & (table["question"] > "q12")
    )
    found = watch(save(table[~half & ~fewer]), exit_code=0)["watch"]
    assert found[11]["reason"] == "fewer than half of the anchors were judged"
    assert found[12]["p"] is not None


@pytest.mark.slow
@pytest.mark.parametrize(("day", "by_id"), [("08", False), ("07", False), ("07", True)])
def test_a_repair_is_part_of_the_check_that_it_repairs(save, day: str, by_id: bool) -> None:
    """Failed calls that were made again count as if they had not failed, once that is said."""
    whole = checks(7, anchors=6, check_id=[f"c{n // 18}" for n in range(7 * 18)])
    bad = (whole["time"] == "2026-01-03") & (whole["question"] < "q02") & (whole["replication"] < 3)
    late = whole[bad].assign(time=f"2026-01-{day}")
    file = save(pd.concat([whole.assign(verdict=whole["verdict"].mask(bad)), late]))
    columns = {} if by_id else {"check_id": "unused", "replication": "unused"}
    said = {f"2026-01-{day}": "2026-01-03"}
    if not by_id:
        with pytest.raises(UserError, match=f"'2026-01-{day}': 'new'"):
            watch_in_python(file, columns=columns)
    repairs = {} if by_id else said
    found = watch_in_python(file, columns=columns, repairs=repairs).found
    known = changed.watching(judgments_from(whole))
    assert (found.anchors.stream.counts == known.anchors.stream.counts).all()
    assert [one.name for one in found.checks] == [one.name for one in known.checks]
    for later, why in ((f"2026-01-{day}", "is no repair"), ("2026-02-01", "is no check")):
        with pytest.raises(UserError, match=why):
            watch_in_python(file, columns=columns, repairs={later: "2026-01-02"})


@pytest.mark.slow
def test_a_watch_that_is_blind_is_not_quiet(save) -> None:
    """Nothing is known of the judge where the last checks were left out, until one is whole."""
    table = checks(16, anchors=24, turned=9, at=13)
    blind = (table["time"] >= "2026-01-13") & (table["question"] > "q08")
    file = save(table[~blind])
    found = watch(file, exit_code=3)
    few = "fewer than half of the anchors were judged"
    assert found["not_enough"] == f"the last 4 of 16 checks were left out ({few})"
    assert found["changed"] is None
    assert invoke("watch", file, "--allow-uncertain").exit_code == 0
    said = " ".join(invoke("watch", file).stdout.split())
    assert "Nothing shows that it changed in 12 of 16 checks." in said
    assert "Next: judge all anchors, and add" in said
    whole = checks(16, anchors=24)
    whole = whole[~((whole["time"] == "2026-01-13") & (whole["question"] > "q08"))]
    assert watch(save(whole), exit_code=0)["changed"] == "none"
    said = " ".join(invoke("watch", save(whole)).stdout.split())
    assert "changed in 15 of 16 checks of 24 anchors." in said
    assert f"Left out: check 13 (2026-01-13): {few}." in said


@pytest.mark.slow
def test_a_change_in_the_baseline_is_not_quiet(save) -> None:
    """At its last check, which later ones resemble, it is not known; of that check alone, it is."""
    later = checks(14, turned=9, at=10)
    found = watch(save(later), exit_code=3)
    assert found["not_enough"].startswith("check 10 (2026-01-10) differs from the others")
    assert "--since 2026-01-10" in " ".join(invoke("watch", save(later)).stdout.split())
    eighth = checks(14, turned=9, at=8)
    said = watch(save(eighth), exit_code=3)["not_enough"]
    assert said.startswith("the baseline is not of one judge: checks before check 8 (2026-01-08)")
    assert "--since 2026-01-08" in " ".join(invoke("watch", save(eighth)).stdout.split())
    quiet = checks(14)
    once_only = pd.concat(
        [later[later["time"] < "2026-01-11"], quiet[quiet["time"] > "2026-01-10"]]
    )
    file = save(once_only)
    assert watch(file, exit_code=0)["changed"] == "none"
    said = " ".join(invoke("watch", file).stdout.split())
    assert "One check of the baseline makes them differ, check 10 (2026-01-10)" in said


@pytest.mark.slow
def test_months_with_their_year_are_no_numbers(save) -> None:
    """01.2026 is after 12.2025, and January 2026 is; of dates with a gap, the column is named."""
    table = checks(14, anchors=24, turned=9, at=12, draws=1).drop(columns="replication")
    day = table["time"].str[-2:].astype(int) - 1
    years, names = 2025 + day // 12, ["", *calendar.month_name[1:]]
    for month in ((day % 12 + 1).map("{:02}.".format), (day % 12 + 1).map(names.__getitem__) + " "):
        file = save(table.assign(time=month + years.astype(str)))
        assert watch(file, exit_code=1)["since"] == 12
    # Of a column of dates with an empty cell, the column and the row are named.
    dated = table.assign(Datum=table["time"]).drop(columns="time")
    dated.loc[40, "Datum"] = None
    said = " ".join(invoke("watch", save(dated)).stderr.split())
    assert "--column Datum=time. Column 'Datum' is empty in 1 row, as of question 'q16'" in said
    numbered = pd.concat([dated.assign(replication=1), dated.assign(replication=2)])
    said = " ".join(invoke("watch", save(numbered)).stderr.split())
    assert "Column 'Datum' may be the time, but is empty in 2 rows, as of question 'q16'" in said


@pytest.mark.slow
def test_another_judge_for_a_while_is_named(save) -> None:
    """Its checks are no part of the stream, and the old judge's later ones decide."""
    table = checks(16)
    for day in ("12", "13", "15"):
        table.loc[table["time"] == f"2026-01-{day}", "judge"] = "k"
    done = invoke("watch", save(table))
    assert done.exit_code == 0
    said = " ".join(done.stdout.split())
    assert "changed in 13 of 16 checks" in said
    left = "checks 12 to 13, 15 (2026-01-12 to 2026-01-15): another judge: judge k, was j."
    assert f"Left out: {left}" in said


@pytest.mark.slow
def test_two_checks_with_one_time_are_said_to_be_one(save) -> None:
    """Twice as many draws of each anchor as usual; twice as many at every check are usual."""
    table = checks(13).drop(columns="replication")
    table.loc[table["time"] == "2026-01-12", "time"] = "2026-01-11"
    said = " ".join(invoke("watch", save(table)).stdout.split())
    assert "Check 11 (2026-01-11): 6 draws of an anchor, where others have 3." in said
    every = pd.concat([checks(12), checks(12, seed=2)]).drop(columns="replication")
    assert "draws of an anchor" not in invoke("watch", save(every)).stdout


@pytest.mark.slow
def test_scales_and_several_criteria_are_one_bet(save) -> None:
    """Grades move by two of five on one criterion of two: found, with the mean before and since."""
    generator = np.random.default_rng(4)
    parts = []
    for name in ("tone", "style"):
        table = checks(18).assign(scorer=name)
        low = np.where(table["question"].isin([f"q{n:02d}" for n in range(6)]), 2, 0)
        moved = np.where((table["time"] >= "2026-01-14") & (name == "tone"), low, 0)
        grade = 4 + generator.integers(-1, 2, len(table)) - moved
        parts.append(table.assign(verdict=grade.clip(1, 5), label=4))
    found = watch(save(pd.concat(parts)), exit_code=1)
    assert found["since"] == 14
    assert [one["anchor"] for one in found["moved_anchors"]][:6] == [f"q{n:02d}" for n in range(6)]
    numbers = r"style \d(\.\d+)?, tone \d(\.\d+)?"
    assert re.fullmatch(numbers, found["moved_anchors"][0]["before"])


@pytest.mark.slow
def test_anchors_whose_calls_all_failed_at_a_check_are_left_out_of_it(save) -> None:
    """The bet is that without their rows; a judge that says nothing any more has changed."""
    table = checks(anchors=24, turned=5, at=13)
    lost = (table["time"] == "2026-01-06") & table["question"].isin(["q01", "q08", "q20"])
    failed = save(table.assign(verdict=table["verdict"].mask(lost)))
    found = watch(failed, exit_code=1)
    assert (found["changed"], found["since"]) == ("judge", 13)
    bare = watch(save(table[~lost], "bare.csv"), exit_code=1)["watch"]
    bare[5]["failed"] = 9
    assert found["watch"] == bare
    said = " ".join(invoke("watch", failed).stdout.split())
    assert "left out: 9 judgments without a verdict, of check 6 (2026-01-06)" in said
    silent = (table["time"] >= "2026-01-13") & (table["question"] < "q05")
    mute = save(checks(anchors=24).assign(verdict=table["verdict"].mask(silent)))
    assert "the judge changed since check 13" in invoke("watch", mute).stderr
    answers = "--map", "non-response=non-response"
    assert watch(mute, *answers, exit_code=1)["changed"] == "judge"
    late = save(table.assign(verdict=table["verdict"].mask(table["time"] >= "2026-01-13")))
    assert "No judgment to watch has a verdict" in invoke("watch", late, "--since", "13").stderr


@pytest.mark.slow
@pytest.mark.parametrize(("of", "share"), [("2026-01-06", 0.3), ("2026-01-15", 0.6)])
def test_what_an_empty_cell_is_is_asked_where_the_answer_depends_on_it(
    save, of: str, share: float
) -> None:
    """Failures in the baseline hide a change, and more empty cells from a day on are one."""
    hides = of < "2026-01-10"
    table = checks(draws=5, seed=2, turned=3 * hides, at=14)
    late = (table["time"] == of) if hides else (table["time"] >= of)
    lost = late & (np.random.default_rng(3).random(len(table)) < share)
    table["verdict"] = table["verdict"].mask(lost, "ERROR" if hides else None)
    file = save(table)
    done = invoke("watch", file)
    assert done.exit_code == 2
    asked = " ".join(done.stderr.split())
    said = {"failed-call": "nothing shows a change", "non-response": "since check 15"}
    if hides:
        said = {"failed-call": "since check 14", "non-response": "not enough to watch"}
    found = {}
    for meant, then in said.items():
        call = ["--map", f"non-response={meant}"]
        assert re.search(rf"{' '.join(call)} [^:]*: [a-z ]*{then}", asked)
        code = 3 if "enough" in then else int("since" in then)
        found[meant] = watch(file, *call, exit_code=code)
    bare = watch(save(table[~lost], "bare.csv"), exit_code=int(hides))
    assert found["failed-call"] == bare


@pytest.mark.slow
def test_a_new_beginning_has_a_baseline_of_its_own(save) -> None:
    """`--since` takes a number or a time, and says that it spends alpha anew."""
    file = save(checks(28, turned=5, at=13))
    assert watch(file, exit_code=1)["since"] == 13
    found = watch(file, "--since", "13", exit_code=0)
    assert [one["p"] is None for one in found["watch"]] == [True] * 22 + [False] * 6
    assert found == watch(file, "--since", "2026-01-13", exit_code=0)
    assert "this begins" in found["watch"][0]["reason"]
    assert "false alarm" in invoke("watch", file, "--since", "13").stdout


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.drop(columns="time"), "needs the time of each check"),
        (lambda table: table.assign(time="some day"), "is no date or number"),
        (lambda table: table.assign(time=table["time"][1:]), "no time in column 'time': 1 of"),
    ],
)
def test_what_cannot_be_watched_is_refused_in_words(save, change, message: str) -> None:
    done = invoke("watch", save(change(checks(1))))
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())


@pytest.mark.slow
def test_a_check_that_does_not_exist_is_refused(save) -> None:
    done = invoke("watch", save(checks(3)), "--since", "9")
    assert done.exit_code == 2
    assert "There is no check 9." in done.stderr


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_the_page_has_one_picture(save, tmp_path: Path) -> None:
    page = tmp_path / "watch.html"
    invoke("watch", save(checks(turned=5, at=15)), "--html", page)
    text = page.read_text()
    assert text.count('<figure class="chart">') == 1
    assert "Anchors that differ beyond noise" in text
    assert "watch checks.csv --since" in text
    assert str(tmp_path) not in text


@pytest.mark.slow
def test_anchors_are_a_mixture(save) -> None:
    """Steady and unsteady ones with labels of all kinds; what a check costs is said before."""
    table = checks(1, anchors=60, draws=6)
    table.loc[table["question"] > "q30", "label"] = "no"
    done = invoke("watch", save(table.drop(columns="time")), "--freeze", "20", "--format", "json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["calls"] == 60
    assert len(found["anchors"]) == 20
    kinds = pd.DataFrame(found["anchors"]).groupby(["label", "steady"]).size()
    assert len(kinds) == 4
    assert kinds.min() >= 4


@pytest.mark.slow
def test_anchors_of_a_table_are_a_table(save, tmp_path: Path) -> None:
    """Each anchor once, with what its rows agree on; a log of them cannot be made."""
    table = checks(1, anchors=12).drop(columns="time")
    table["reply"] = "text of " + table["question"]
    file, out = save(table), tmp_path / "anchors.csv"
    for _ in range(2):  # the second replaces the first
        done = invoke("watch", file, "--freeze", "5", "--out", out)
        assert done.exit_code == 0, done.output
    assert ".eval" not in done.output
    found = pd.read_csv(out)
    assert found["question"].nunique() == len(found) == 5
    assert "verdict" not in found
    assert [*found["reply"]] == [*("text of " + found["question"])]
    refused = invoke("watch", file, "--freeze", "5", "--out", tmp_path / "anchors.eval")
    assert refused.exit_code == 2
    assert "--out anchors.csv" in refused.stderr
    own = save(table.head(2), "mine.csv")
    assert invoke("watch", file, "--freeze", "5", "--out", own).exit_code == 2


@pytest.mark.slow
def test_what_is_next_runs_where_a_task_judges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The anchors of a log of a judge's task are judged again by that task, check by check."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tasks").symlink_to(ROOT / "tasks")
    [log] = (ROOT / "logs" / "example").glob("*.eval")
    capitals = invoke("watch", log, "--freeze", "3", "--out", "anchors.EVAL")
    assert capitals.exit_code == 2  # inspect could not read it
    assert "Name it anchors.eval." in capitals.stderr
    refused = invoke("watch", log, "--freeze", "3", "--out", "anchors.eval")
    assert refused.exit_code == 2
    assert "by their ids and takes no log of anchors" in " ".join(refused.stderr.split())
    assert not Path("anchors.eval").exists()
    said = invoke("watch", log, "--freeze", "3")
    for number in (1, 2):
        [call] = re.findall(r"^ +inspect (eval .*)$", said.output, re.MULTILINE)
        done = inspect(*shlex.split(call), "--display", "none")
        assert done.exit_code == 0, done.output
        said = invoke("watch", "anchors")
        assert said.exit_code == 3
        assert f"and there {'is' if number == 1 else 'are'} {number}" in " ".join(
            said.output.split()
        )
    assert "--log-dir anchors/3" in said.output
    assert len({*judgments_from("anchors").table["question"]}) == 3


@pytest.mark.slow
def test_where_too_little_is_known_a_pipeline_may_go_on(save) -> None:
    """--allow-uncertain ends a baseline that is being made with 0, and no change does."""
    few, turned = save(checks(3)), save(checks(turned=9, at=15), "turned.csv")
    assert [invoke("watch", few, *more).exit_code for more in ([], ["--allow-uncertain"])] == [3, 0]
    assert invoke("watch", turned, "--allow-uncertain").exit_code == 1


@pytest.mark.slow
def test_a_check_of_packed_replications_costs_what_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task whose samples make several replications each makes as many as a check has draws."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tasks").symlink_to(ROOT / "tasks")
    asked = ("eval", "tasks/bbh_judge.py", "--model", "hf_seeded/tiny-judge", "--limit", "3")
    packed = ("-T", "replications=6", "--log-dir", "logs", "--display", "none")
    assert inspect(*asked, *packed).exit_code == 0
    said = invoke("watch", "logs", "--freeze", "2")
    [calls] = re.findall(r"([\d,]+) calls", said.output)
    [call] = re.findall(r"^ +inspect (eval .*)$", said.output, re.MULTILINE)
    done = inspect(*shlex.split(call), "--display", "none")
    assert done.exit_code == 0, done.output
    made = judgments_from_logs("anchors").table
    assert len(made) == int(calls) == 2 * 3
    assert (made.groupby("question")["seed"].nunique() == 3).all()


@pytest.mark.slow
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("to", [-1, 0, 1])
def test_the_direction_is_that_of_a_paired_t_test(graded: bool, to: int) -> None:
    """Six anchors turn up, down, or three each way: said where the interval leaves out 0."""
    table = checks(14, anchors=16, draws=6).drop(columns="label")
    number = table["question"].str[1:].astype(int)
    late, up = table["time"] >= "2026-01-11", number < {-1: 0, 0: 3, 1: 6}[to]
    now = np.where(up, 1, -1) * (number < 6) * late
    noise = 2 * np.random.default_rng(3).integers(0, 2, len(table)) - 1
    grade = 4 + noise + 2 * now if graded else (noise + 2 * now > 0).astype(int)
    words = grade if graded else np.where(grade, "yes", "no")
    found = changed.watching(judgments_from(table.assign(verdict=words)))
    assert found.anchors.since == 10
    means = table.assign(grade=grade).groupby(["question", late])["grade"].mean().unstack()
    test = stats.ttest_rel(means[True], means[False])
    low, high = test.confidence_interval(0.95)
    [said] = direction_in_words(found.direction[""])
    change = found.direction[""]
    one = change if graded else next(of for of in change["shares"] if of["verdict"] == "yes")
    key = "mean_change" if graded else "change"
    assert one[f"{key}_interval"] == pytest.approx([low, high], abs=1e-3)
    shown = "milder" if low > 0 else "harsher" if high < 0 else "is not known"
    if not graded:
        shown = "'yes' more" if low > 0 else "'yes' less" if high < 0 else "is not shown"
    assert shown in said.replace("'no' more", "'yes' less")
    assert (to == 0) == (low <= 0 <= high)


@pytest.mark.slow
@pytest.mark.parametrize(("noisy", "shown"), [(0, False), (12, True)])
def test_a_judge_that_repeats_itself_less_is_said_by_a_paired_t_test(
    noisy: int, shown: bool, save
) -> None:
    """Anchors whose verdicts are drawn by lot since a change, or turn and are as steady."""
    table = checks(14, anchors=24, turned=6, at=11).drop(columns="label")
    lot = (table["time"] >= "2026-01-11") & (table["question"] < f"q{noisy:02d}")
    drawn = np.random.default_rng(5).choice(["yes", "no"], len(table))
    table["verdict"] = table["verdict"].where(~lot, drawn)
    said = " ".join(invoke("watch", save(table)).output.split())
    assert ("It repeats itself" in said) == shown
    if not shown:
        return
    cells = table.groupby(["question", "time"])["verdict"]
    pairs = cells.agg(lambda of: np.mean([a == b for a, b in combinations(of, 2)])).unstack()
    since = int(re.findall(r"changed since check (\d+)", said)[0]) - 1
    before, now = pairs.iloc[:, :since].mean(axis=1), pairs.iloc[:, since:].mean(axis=1)
    low, high = 100 * np.array(stats.ttest_rel(now, before).confidence_interval(0.95))
    by = f"{100 * (now - before).mean():+.0f} points [{low:+.0f}, {high:+.0f}]"
    shares = f"{now.mean():.0%}, {before.mean():.0%} before ({by})"
    assert (
        f"It repeats itself less: two verdicts on an anchor in one check agree in {shares}" in said
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "said"), [("yes", "It is worse: right in"), ("no", "It is better")]
)
def test_worse_is_said_where_the_interval_leaves_0_out(save, right: str, said: str) -> None:
    """Where as many of the turned anchors are right before as after, it is not known."""
    table = checks(anchors=24, turned=6, at=15, label=right)
    assert said in " ".join(invoke("watch", save(table)).output.split())
    # An anchor with a single verdict before the change is compared as well.
    rare = table["question"].eq("q07") & table["time"].lt("2026-01-15")
    single = table[~rare | table["time"].eq("2026-01-01") & table["replication"].eq(1)]
    assert changed.watching(judgments_from(single)).right[0] == 24  # type: ignore[index]
    table.loc[table["question"] < "q03", "label"] = "no" if right == "yes" else "yes"
    shown = " ".join(invoke("watch", save(table)).output.split())
    said = shown.partition("Whether it is worse is not known: right in")[2]
    low, high = re.search(r"points \[([+-]?\d+), ([+-]?\d+)\]", said).groups()  # type: ignore[union-attr]
    assert int(low) <= 0 <= int(high)


@pytest.mark.slow
def test_the_next_check_has_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A number that a copy has, which was left out, is not free."""
    monkeypatch.chdir(tmp_path)
    found = changed.watching(judgments_from(checks(14)))
    logs = [replace(one, places=(f"anchors/{n}/a.eval",)) for n, one in enumerate(found.checks, 1)]
    quiet = replace(found, checks=logs)
    for there, free in (((), 15), (("15",), 16), (("15", "16"), 17)):
        for name in there:
            Path("anchors", name).mkdir(parents=True, exist_ok=True)
        told = [getattr(one, "text", "") for one in watch_document(quiet, "anchors").blocks]
        [call] = [one for one in told if "rejudge ANCHORS.eval" in one]
        assert call.endswith(f"--seed {free} --log-dir anchors/{free}")
