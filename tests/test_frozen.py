"""What a report says stays what it was: every number, and every reason for none."""

import math
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatch
from hashlib import sha256
from pathlib import Path

import pandas as pd
import pytest
from frozen_tables import FROZEN, NUMBER, SETS, place_of, report_of_drawn, report_of_set, tables
from hypothesis import settings

RETIRED = (
    *("/favours/*", "/movers/*", "/least_stable/*"),
    *("*/modal_share*", "*/normalised_entropy*", "*/omega_composite*", "*/icc_composite*"),
    *("*/cronbach_alpha*", "*/omega_non_response_unique*", "/rows/*_bounds*"),
    *("/validity/*/alpha*", "/validity/*/judge_alpha*", "/validity/*/raters_alpha*"),
    "/validity/*/of_ceiling*",
    "/votes/*/share_stable",
    # `validity` says how often each level is right.
    "/validity_across/*",
    # A column of the judgments says it.
    "/read_by/*",
    # `plan` says how many labels to use; each benchmark's row has its omega.
    *("/corrected/*/labels_for_half", "/pooled/*/between"),
    # `rank` has the responders.
    *("/responders/*", "/one_more/*"),
    "llmbar /notes/0/count",  # its call says what verdicts name, which labels no longer do
)
"""Places of results that are no longer given."""

SHARES = (
    *(
        "/rows/*/a_lm",
        "/rows/*/invalid_rate",
        "/rows/*/non_response_rate",
        "/rows/*/mean_difference",
    ),
    *("/validity/*/accuracy", "/validity/*/undecided", "/validity/*/wrong", "/validity/*/wrong_*"),
    *("/validity/*/within_one", "/validity/*/sensitivity", "/validity/*/specificity"),
    *("/corrected/*/judged", "/corrected/*/rate", "/position/*/share", "/shifts/*/share"),
    *("/votes/*/agreement", "/between_judges/*/agreement"),
)
"""Means of shares: the jackknife on the logit scale covered too seldom where questions were half
right, and PPI++ where labels were all alike."""

MOVED = ("/pooled/*/omega_interval/*", *(f"{one}_interval/?" for one in SHARES))
"""Places whose values another method gives."""

CONSTANT = tuple(
    f"numbers {table} /rows/0/{key}*"
    for table in (9, 73, 177, 353)
    for name in ("icc_interval", "krippendorff_alpha_numeric_interval")
    for key in (name, f"not_estimable/{name}")
)
"""Tables of numbers on which no question varies: a rounding error once passed for variance."""

MENDED = ("facets 236 /moves/1/*", "facets 236 /questions/*")
"""Verdicts differed a little less across than within, which was called impossible."""

REWORDED = (
    "Between 5% and 33% of the outputs*",  # a file of verdicts has no outputs to show
    "*% of the verdicts are *",  # of all verdicts, or without an omega to read, another sentence
    "The label is the same for every question*",  # nothing was replicated, or only copied
    "Omega comes from only * questions.*",  # of copies, which have no omega to read
)
"""Cautions that are said in other words, or no longer where their premise does not hold."""

ONCE = ("exact */notes/*",)
"""Rows of one distribution were said to repeat a replication."""

OF_CELLS = ("/moves/*", "/components/*", "/omega_over/*", "/panels/*")
"""Results of tables of whose questions some lack cells: those once weighed otherwise."""

OF_ORDERS = (
    *("/rows/*/omega*", "/rows/*/agreement*", "/rows/*/fleiss_kappa*", "/rows/*/gwet_ac1*"),
    *("/rows/*/krippendorff_alpha*", "/rows/*/brennan_prediger*", "/rows/*/icc*"),
    *("/rows/*/mean_difference*", "/questions/*/agreement", "/rows/*/cautions/*"),
    *("/votes/*", "/validity/*/votes/*"),
)
"""Results of tables whose questions were shown in several orders: all pairs of verdicts counted
alike, so that values depended on the tries of each order. Beside labels a vote was of tries of any
order, and where majorities are compared of one order; it takes orders in turn."""

OF_TRIES = (
    *("/questions/*/share", "/questions/*/verdict"),
    *("/rows/*/non_response_rate*", "/rows/*/invalid_rate*", "/validity/*"),
)
"""Shares of tables whose questions have more tries in one order than in another: all tries counted
alike, so that they depended on these numbers."""

SEARCH = settings().max_examples > 100
"""Whether `--hypothesis-profile=search` reads all; by default, what shows every key."""

pytestmark = pytest.mark.slow


def test_frozen_values_are_those_that_were_written() -> None:
    """The frozen files have the checksums in `frozen/checksums.txt`."""
    for line in (FROZEN / "checksums.txt").read_text().splitlines():
        checksum, name = line.split()
        assert sha256((FROZEN / name).read_bytes()).hexdigest() == checksum, name


def test_reports_of_drawn_tables_are_as_frozen() -> None:
    """Every value and reason of a report equals the frozen one to 1e-9."""
    frozen = pd.read_parquet(FROZEN / "tables.parquet")
    known = dict(list(frozen.groupby("table")))
    for name, frame in tables(None if SEARCH else few_with_each_key(frozen)):
        other: tuple[str, ...] = OF_CELLS if lacks_cells(frame) else ()
        if "order" in frame and (frame.groupby("question")["order"].nunique() > 1).any():
            other += OF_ORDERS
            tries = frame.dropna(subset="verdict").groupby(["question", "order"]).size()
            if (tries.groupby("question").nunique() > 1).any():
                other += OF_TRIES
        check(known[name], report_of_drawn(frame), name, other)
    assert len(known) == NUMBER


def lacks_cells(frame: pd.DataFrame) -> bool:
    """Whether some questions have fewer cells than others, or fewer that were judged again."""
    facets = [one for one in ("judge", "order", "wording", "time") if one in frame]
    each = frame.groupby(["question", *facets]).size()
    of = each.index.get_level_values("question")
    every = [one.groupby(of).sum().nunique() > 1 for one in (each > 0, each > 1)]
    return len(of.unique()) < len(of) and any(every)


def few_with_each_key(frozen: pd.DataFrame) -> set[str]:
    """Few and small tables that have every key of each kind of table."""
    key = frozen["place"].str.replace(r"/\d+", "", regex=True)
    kind = frozen["table"].str.replace(r" \d+", "", regex=True)
    keys = {str(table): {*own} for table, own in (kind + key).groupby(frozen["table"])}
    size = Counter(frozen["table"])
    left, found = set().union(*keys.values()), set[str]()
    while left:
        found.add(most := max(keys, key=lambda one: len(keys[one] & left) / (300 + size[one])))
        left -= keys[most]
    assert len(found) > 20
    return found


@pytest.mark.parametrize("name", [name for name in SETS if name != "paper"])
def test_reports_of_recorded_judgments_are_as_frozen(name: str, data: Path, tmp_path: Path) -> None:
    """The same of judgments that others recorded; the paper's are in `test_published_study`.

    Of the large ones, only a search reads more than the rows of the first quarter of judges.
    """
    frozen, place = pd.read_parquet(FROZEN / f"{name}.parquet"), place_of(name, data)
    results = ["rows"] if name in ("choices", "grades") and not SEARCH else None
    if results:
        table = pd.read_parquet(place)
        judges = sorted(table["judge"].unique())
        few = table[table["judge"].isin(judges[: -(-len(judges) // 4)])]
        few.to_parquet(place := tmp_path / place.name)
        rows = len(few[few.columns.intersection(["judge", "wording"])].drop_duplicates())
        number = frozen["place"].str.extract(r"^/rows/(\d+)/")[0].astype(float)
        frozen = frozen[number < rows]
    of_cells = OF_CELLS if name == "choices" else ()
    check(frozen, report_of_set(name, place, results), name, of_cells)


def check(
    frozen: pd.DataFrame, found: dict[str, object], name: str, other: Sequence[str] = ()
) -> None:
    """Every frozen value is found, but for those that differ on purpose."""
    wrong = []
    for place, number, text in zip(frozen["place"], frozen["number"], frozen["text"], strict=True):
        value = found.get(place, "is gone")
        if isinstance(value, bool) or not isinstance(value, int | float):
            same = str(value) == text if text is not None else value is None and math.isnan(number)
        else:
            same = math.isclose(value, number, rel_tol=1e-9, abs_tol=1e-9)
        if text is not None and not same and fnmatch(place, "/rows/*/cautions/*"):
            row = place.rpartition("/")[0]
            beside = {said for where, said in found.items() if where.startswith(f"{row}/")}
            same = text in beside or any(fnmatch(text, one) for one in REWORDED)
        if not same and not meant(place, name, other):
            wrong.append(f"{name} {place}: {number if text is None else text!r} -> {value!r}")
    assert not wrong, "\n".join(wrong[:20])


def meant(place: str, name: str, other: Sequence[str] = ()) -> bool:
    """Whether a value differs on purpose."""
    known = (*RETIRED, *MOVED, *CONSTANT, *MENDED, *ONCE, *other)
    return any(fnmatch(place, one) or fnmatch(f"{name} {place}", one) for one in known)
