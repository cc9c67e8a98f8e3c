"""The BBH part of the sample pack, its targets recomputed from the question texts."""

import itertools
import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path

import pytest

PACK = json.loads(
    files("inspect_reliability")
    .joinpath("study/benchmarks/sample_pack/bbh.json")
    .read_text("utf-8")
)
QUESTIONS = PACK["questions"]
BY_CATEGORY = {question["category"]: question for question in QUESTIONS}
RESPONDERS = {"thorough", "terse", "muddled", "mistaken", "astray"}
WORDS = {name: (20, 50) for name in RESPONDERS} | {"terse": (4, 15)}
CATEGORIES = {
    "boolean_expressions",
    "causal_judgement",
    "date_understanding",
    "disambiguation_qa",
    "dyck_languages",
    "formal_fallacies",
    "geometric_shapes",
    "hyperbaton",
    "logical_deduction_five_objects",
    "logical_deduction_seven_objects",
    "logical_deduction_three_objects",
    "movie_recommendation",
    "multistep_arithmetic_two",
    "navigate",
    "object_counting",
    "penguins_in_a_table",
    "reasoning_about_colored_objects",
    "ruin_names",
    "salient_translation_error_detection",
    "snarks",
    "sports_understanding",
    "temporal_sequences",
    "tracking_shuffled_objects_five_objects",
    "tracking_shuffled_objects_seven_objects",
    "tracking_shuffled_objects_three_objects",
    "web_of_lies",
    "word_sorting",
}
# Answers that rest on knowledge or taste; a person checks these.
JUDGED = {
    "causal_judgement",
    "disambiguation_qa",
    "movie_recommendation",
    "ruin_names",
    "snarks",
    "sports_understanding",
}


def find(pattern: str, text: str) -> re.Match[str]:
    found = re.search(pattern, text)
    assert found, f"{pattern!r} is not in {text!r}"
    return found


def options(turn: str) -> dict[str, str]:
    return dict(re.findall(r"^(\([A-G]\)) (.+)$", turn, re.MULTILINE))


def option(turn: str, answer: str) -> str:
    """Letter of the one option that reads `answer`."""
    (letter,) = (letter for letter, text in options(turn).items() if text == answer)
    return letter


def evaluated(turn: str) -> str:
    expression = turn.removesuffix(" is").removesuffix(" =")
    assert re.fullmatch(r"(True|False|and|or|not|[-+*() \d])+", expression)
    return str(eval(expression, {"__builtins__": {}}))


def date(turn: str) -> str:
    start = datetime.strptime(find(r"on (\d\d/\d\d/\d{4})", turn)[1], "%m/%d/%Y")
    days = int(find(r"(\d+) days later", turn)[1])
    return option(turn, (start + timedelta(days)).strftime("%m/%d/%Y"))


def closing_brackets(turn: str) -> str:
    closing = dict(zip("([{<", ")]}>", strict=True))
    still_open: list[str] = []
    for bracket in turn.split("Input: ")[1].split():
        if bracket in closing:
            still_open.append(closing[bracket])
        else:
            assert still_open.pop() == bracket
    return " ".join(reversed(still_open))


def beekeepers(turn: str) -> str:
    """`invalid` if some village of at most three people makes only the conclusion false."""
    assert "whoever keeps bees grows lavender" in turn
    assert "some people who grow lavender sell honey" in turn
    assert "some people who keep bees sell honey" in turn
    people = list(itertools.product([False, True], repeat=3))
    for size in (1, 2, 3):
        for village in itertools.product(people, repeat=size):
            first = all(lavender for bees, lavender, _ in village if bees)
            second = any(lavender and honey for _, lavender, honey in village)
            conclusion = any(bees and honey for bees, _, honey in village)
            if first and second and not conclusion:
                return "invalid"
    return "valid"


def polygon(turn: str) -> str:
    points = re.findall(r"\d+,\d+", find(r'd="(.+?)"', turn)[1])
    assert points[0] == points[-1]
    return option(turn, {3: "triangle", 5: "pentagon", 6: "hexagon"}[len(set(points))])


def adjective_order(turn: str) -> str:
    usual = ["lovely", "small", "old", "green", "Spanish"]
    (letter,) = (k for k, text in options(turn).items() if text.split()[:-1] == usual)
    return letter


def arranged(
    names: str, holds: Callable[[dict[str, int]], bool], place: int, statement: str = "{}"
) -> Callable[[str], str]:
    """Who stands at `place` (from 1) in the only arrangement of `names` for which it `holds`."""

    def solve(turn: str) -> str:
        orders = [
            p
            for p in itertools.permutations(names.split())
            if holds({name: i for i, name in enumerate(p, 1)})
        ]
        assert len(orders) == 1
        return option(turn, statement.format(orders[0][place - 1]))

    return solve


def position_after_walk(turn: str) -> str:
    position, heading = 0j, 1j
    for steps, side in re.findall(r"Take (\d+) steps|Turn (right|left)", turn):
        position += int(steps or 0) * heading
        heading *= {"": 1, "right": -1j, "left": 1j}[side]
    return "No" if position else "Yes"


def instruments(turn: str) -> str:
    number = {"a": 1, "two": 2, "three": 3}
    counted = re.findall(r"\b(a|two|three) (trumpet|violin|drum|flute)s?\b", turn)
    return str(sum(number[how_many] for how_many, _ in counted))


def penguins(turn: str) -> str:
    rows = re.findall(r"^[A-Z]\w+, (\d+), (\d+), (\d+)$", turn, re.MULTILINE)
    older, lighter = map(int, find(r"older than (\d+) .* lighter than (\d+)", turn).groups())
    return option(turn, str(sum(int(age) > older and int(kg) < lighter for age, _, kg in rows)))


def colour_two_to_the_left(turn: str) -> str:
    row = re.findall(r"\ba (\w+) (?:candle|bell|ribbon|stone|die)\b", turn)
    assert "two places to the left of the grey one" in turn
    return option(turn, row[row.index("grey") - 2])


def changed_words(turn: str) -> str:
    """The kind of what differs once each German word is put into English."""
    source, translation = find(r"Source: (.+)\.\nTranslation: (.+)\.", turn).groups()
    german = ["Die", "Kirche", "in", "wurde", "im", "gebaut", "und", "hat", "zwei", "Glocken"]
    english = ["The", "church", "in", "was", "in", "built", "and", "has", "two", "bells"]
    glossary = dict(zip(german, english, strict=True))
    expected = {glossary.get(word, word) for word in source.split()} - {"Jahr"}
    (changed,) = set(translation.split()) - expected
    return option(turn, "Numerical Values" if changed.isdigit() else "Named Entities")


def free_time(turn: str) -> str:
    def clock(text: str) -> int:
        return int(text[:-2]) % 12 + 12 * text.endswith("pm")

    start, end = find(r"got up at (\w+)\.", turn)[1], find(r"closed at (\w+)\.", turn)[1]
    hours = set(range(clock(start), clock(end)))
    for begin, finish in re.findall(r" saw .+ from (\w+) to (\w+)\.", turn):
        hours -= set(range(clock(begin), clock(finish)))
    (letter,) = (
        letter
        for letter, text in options(turn).items()
        if set(range(*map(clock, text.split(" to ")))) == hours
    )
    return letter


def swapped(turn: str) -> str:
    story = turn.split("\nOptions")[0]
    held = dict(re.findall(r"(\w+) has (?:the )?(\w+)(?: one)?,? ?", story.split("First")[0]))
    for one, other in re.findall(r"(\w+) and (\w+) swap", story):
        held[one], held[other] = held[other], held[one]
    return option(turn, held[find(r"At the end, (\w+)", story)[1]])


def truthful(turn: str) -> str:
    known: dict[str, bool] = {}
    for who, whom, claim in re.findall(r"(\w+) (?:says (\w+) )?(tells the truth|lies)\.", turn):
        says_truth = claim == "tells the truth"
        known[who] = (known[whom] == says_truth) if whom else says_truth
    return "Yes" if known[find(r"Does (\w+) tell", turn)[1]] else "No"


def sorted_words(turn: str) -> str:
    return " ".join(sorted(turn.split("List: ")[1].split()))


SOLVERS: dict[str, Callable[[str], str]] = {
    "boolean_expressions": evaluated,
    "multistep_arithmetic_two": evaluated,
    "date_understanding": date,
    "dyck_languages": closing_brackets,
    "formal_fallacies": beekeepers,
    "geometric_shapes": polygon,
    "hyperbaton": adjective_order,
    "logical_deduction_three_objects": arranged(
        "tin clay glass",
        lambda at: at["clay"] < at["tin"] < at["glass"],
        2,
        "The {} cup is in the middle",
    ),
    "logical_deduction_five_objects": arranged(
        "Ada Bo Cleo Dan Eli",
        lambda at: at["Dan"] < at["Bo"] == 2 and at["Cleo"] == 5 and at["Ada"] > at["Eli"],
        3,
        "{} finished third",
    ),
    "logical_deduction_seven_objects": arranged(
        "salt rice tea oats sugar beans flour",
        lambda at: (
            (at["rice"], at["beans"], at["tea"]) == (1, 7, 4)
            and at["salt"] == at["tea"] - 1
            and at["oats"] < at["salt"]
            and at["sugar"] < at["flour"]
        ),
        6,
    ),
    "navigate": position_after_walk,
    "object_counting": instruments,
    "penguins_in_a_table": penguins,
    "reasoning_about_colored_objects": colour_two_to_the_left,
    "salient_translation_error_detection": changed_words,
    "temporal_sequences": free_time,
    "tracking_shuffled_objects_three_objects": swapped,
    "tracking_shuffled_objects_five_objects": swapped,
    "tracking_shuffled_objects_seven_objects": swapped,
    "web_of_lies": truthful,
    "word_sorting": sorted_words,
}


def answers(text: str, target: str) -> list[str]:
    """Everything in `text` that has the format of `target`, in order."""
    for form in (
        r"\([A-G]\)",
        r"\b(?:yes|no)\b",
        r"\b(?:true|false)\b",
        r"\b(?:in)?valid\b",
        r"-?\b\d+\b",
    ):
        if re.fullmatch(form, target, re.IGNORECASE):
            return [found.lower() for found in re.findall(form, text, re.IGNORECASE)]
    tail = text.removesuffix(".").split()[-len(target.split()) :]
    return [" ".join(tail)] if sorted(tail) == sorted(target.split()) else []


def test_pack_says_what_it_is() -> None:
    """The file names itself, its benchmark and its licence, and disowns BBH's own items."""
    assert PACK["name"] == "inspect-reliability sample pack"
    assert (PACK["benchmark"], PACK["licence"]) == ("BBH", "MIT")
    assert "not items of BIG-Bench Hard" in PACK["notice"]


def test_one_question_for_each_bbh_category() -> None:
    """There are 27 categories, one question each, and an id says which."""
    assert len(QUESTIONS) == len(CATEGORIES) == 27
    assert {question["category"] for question in QUESTIONS} == CATEGORIES
    assert all(q["id"] == f"sample:bbh:{q['category']}" for q in QUESTIONS)


def test_questions_have_five_responses_of_the_agreed_length() -> None:
    """One short turn, five responders, `thorough` the best, lengths within their limits."""
    for question in QUESTIONS:
        named = question["category"]
        assert len(question["turns"]) == 1, named
        assert len(question["turns"][0].split()) < 90, named
        assert set(question["responses"]) == RESPONDERS, named
        assert question["best"] == "thorough", named
        for name, response in question["responses"].items():
            low, high = WORDS[name]
            assert low <= len(response.split()) <= high, (named, name)


def test_texts_cannot_be_taken_for_a_verdict() -> None:
    """Texts are plain ASCII and contain nothing a verdict parser would look for."""
    for question in QUESTIONS:
        for text in (*question["turns"], *question["responses"].values()):
            named = question["category"], text
            assert text.isascii(), named
            assert text == text.strip(), named
            found = re.search(r"\[\s*[A-E]\s*\]|best response", text, re.IGNORECASE)
            assert found is None, named


def test_no_response_is_used_twice() -> None:
    """All 135 responses differ."""
    responses = [r for question in QUESTIONS for r in question["responses"].values()]
    assert len(set(responses)) == len(responses) == 135


def test_every_responder_is_in_every_place_about_equally_often() -> None:
    """A judge that always picks one place learns nothing: 27 questions, 5 or 6 a place."""
    seen = Counter((name, place) for q in QUESTIONS for place, name in enumerate(q["responses"]))
    assert set(seen.values()) <= {5, 6}
    assert len(seen) == 25


def test_only_the_right_responses_conclude_with_the_target() -> None:
    """`thorough` ends in the target, `terse` states it alone, `mistaken` concludes otherwise."""
    for question in QUESTIONS:
        named, target, responses = question["category"], question["target"], question["responses"]
        concluded = {name: answers(text, target)[-1:] for name, text in responses.items()}
        assert responses["thorough"].removesuffix(".").endswith(target), named
        assert concluded["thorough"] == concluded["terse"] == [target.lower()], named
        assert len(concluded["mistaken"]) == 1, named
        assert concluded["mistaken"] != [target.lower()], named
        assert concluded["muddled"] != [target.lower()], named
        assert concluded["astray"] == [], named


def test_target_is_an_offered_option() -> None:
    """Where the question lists options, the target and every letter named are among them."""
    listing = [question for question in QUESTIONS if "Options:" in question["turns"][0]]
    assert len(listing) > 10
    for question in listing:
        turn = question["turns"][0]
        offered = set(options(turn)) or set(re.findall(r"^- (\w+)$", turn, re.MULTILINE))
        assert question["target"] in offered, question["category"]
        for response in question["responses"].values():
            assert set(re.findall(r"\([A-G]\)", response)) <= offered, question["category"]


def test_target_is_what_a_solver_finds() -> None:
    """A solver that reads only the question arrives at the target."""
    for category, solve in SOLVERS.items():
        question = BY_CATEGORY[category]
        assert solve(question["turns"][0]) == question["target"], category


def test_all_but_the_judged_categories_are_solved() -> None:
    """Nothing that can be computed is left to trust."""
    assert set(SOLVERS) == CATEGORIES - JUDGED


@pytest.mark.slow
def test_no_text_is_taken_from_bbh(data: Path) -> None:
    """No question equals, or shares twelve words in a row with, an official item."""

    def runs(text: str) -> set[tuple[str, ...]]:
        words = re.findall(r"\w+", text.lower())
        return {tuple(words[i : i + 12]) for i in range(len(words) - 11)}

    official = {
        file.stem: [example["input"] for example in json.loads(file.read_text())["examples"]]
        for file in (data / "bbh").glob("*.json")
    }
    assert set(official) == CATEGORIES
    ours = {q["category"]: q["turns"][0] for q in QUESTIONS}
    theirs = {tuple(item.split()) for items in official.values() for item in items}
    taken = [category for category, turn in ours.items() if tuple(turn.split()) in theirs]
    official_runs = set().union(*(runs(item) for items in official.values() for item in items))
    assert taken == []
    assert {c: runs(turn) & official_runs for c, turn in ours.items()} == {c: set() for c in ours}
