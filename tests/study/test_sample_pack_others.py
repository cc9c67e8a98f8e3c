"""The sample pack's SQuAD, MT-Bench and Head-to-Tail files."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

PACK = files("inspect_reliability.study.benchmarks") / "sample_pack"
RESPONDERS = {"thorough", "terse", "muddled", "mistaken", "astray"}
SIZES = {"squad": 20, "mt_bench": 8, "head_to_tail": 60}
NAMES = {"squad": "SQuAD", "mt_bench": "MT-Bench", "head_to_tail": "Head-to-Tail"}
LONGEST = {"squad": 50, "mt_bench": 70}

# Right in other words than any target, which no containment check can see.
RIGHT_IN_OTHER_WORDS = {
    "gravitational pull",
    "Eric Blair",
    "Ulan Bator",
    "Fe",
    "30 Years War",
    "Wisla",
}


def load(name: str) -> dict[str, Any]:
    pack: dict[str, Any] = json.loads((PACK / f"{name}.json").read_text(encoding="ascii"))
    return pack


def questions(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = load(name)["questions"]
    return found


SQUAD = questions("squad")
ANSWERABLE = [question for question in SQUAD if question["answerable"]]
UNANSWERABLE = [question for question in SQUAD if not question["answerable"]]
MT_BENCH = {question["category"]: question for question in questions("mt_bench")}
FACTS = questions("head_to_tail")

RIGHT = {"thorough": True, "terse": True, "mistaken": False}


def response_sets() -> Iterator[tuple[str, dict[str, str], int]]:
    """Every question's set of five responses with its word limit, first turns included."""
    for name, longest in LONGEST.items():
        for question in questions(name):
            yield question["id"], question["responses"], longest
            if "first_turn" in question:
                yield f"{question['id']}:first", question["first_turn"], longest


def strings(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        yield from strings(list(node.values()))
    elif isinstance(node, list):
        for child in node:
            yield from strings(child)


def words(text: str) -> list[str]:
    """Lower-case words without punctuation or articles, as answers are compared in SQuAD."""
    spelled = re.findall(r"[a-z0-9]+", text.lower().replace("'", ""))
    return [word for word in spelled if word not in {"a", "an", "the"}]


def contains(text: str, phrase: str) -> bool:
    """Whether the words of `phrase` stand in `text` side by side."""
    return f" {' '.join(words(phrase))} " in f" {' '.join(words(text))} "


def names_any(text: str, targets: list[str]) -> bool:
    return any(contains(text, target) for target in targets)


def test_a_file_says_whose_text_it_is() -> None:
    """Each file is labelled as the project's own text, in the form of its benchmark."""
    for name in SIZES:
        pack = load(name)
        assert pack["name"] == "inspect-reliability sample pack", name
        assert pack["benchmark"] == NAMES[name]
        assert pack["licence"] == "MIT", name
        assert "Written for inspect-reliability" in pack["notice"], name


def test_ids_are_unique_and_all_there() -> None:
    """A file has its promised number of questions, each under an id of its own."""
    for name, size in SIZES.items():
        ids = [question["id"] for question in questions(name)]
        assert len(ids) == len(set(ids)) == size, name
        assert [one for one in ids if not one.startswith(f"sample:{name}:")] == []


def test_no_question_is_asked_twice() -> None:
    """All questions of a file differ in their text."""
    for name in SIZES:
        asked = Counter(tuple(question["turns"]) for question in questions(name))
        assert [turns for turns, times in asked.items() if times > 1] == []


def test_no_text_can_be_taken_for_an_option_or_a_verdict() -> None:
    """No text contains a lettered bracket, the verdict's words, or a blank edge."""
    for text in (text for name in SIZES for text in strings(load(name))):
        assert text == text.strip() != "", text
        assert not re.search(r"\[+\s*[A-Za-z]\s*\]", text), text
        assert "best response" not in text.lower(), text


def test_five_responders_within_their_word_limits() -> None:
    """The five responders answer every question, each in a text of its own and of fair length."""
    for named, responses, longest in response_sets():
        assert set(responses) == RESPONDERS, named
        assert len(set(responses.values())) == len(RESPONDERS), named
        for responder, text in responses.items():
            low, high = (4, 15) if responder == "terse" else (20, longest)
            assert low <= len(text.split()) <= high, (named, responder)


def test_the_best_responder_is_recorded() -> None:
    """The thorough response is the best one of every question."""
    asked = [question for name in LONGEST for question in questions(name)]
    assert [question["id"] for question in asked if question["best"] != "thorough"] == []


def test_no_place_gives_a_responder_away() -> None:
    """Each responder has each of the five places equally often, to within one."""
    for name in LONGEST:
        orders = [list(question["responses"]) for question in questions(name)]
        for responder in RESPONDERS:
            places = Counter(order.index(responder) for order in orders)
            counts = [places[place] for place in range(len(RESPONDERS))]
            assert max(counts) - min(counts) <= 1, (name, responder)


def test_length_does_not_give_the_best_response_away() -> None:
    """The longest of the five is the best one in no more than six of ten questions."""
    sets = [question["responses"] for name in LONGEST for question in questions(name)]
    longest_is_best = sum(
        max(responses, key=lambda name: len(responses[name].split())) == "thorough"
        for responses in sets
    )
    assert longest_is_best <= 0.6 * len(sets)


def test_a_passage_has_its_length() -> None:
    """A passage runs to 50 to 80 words and carries one question."""
    for question in SQUAD:
        assert 50 <= len(question["context"].split()) <= 80, question["id"]
        assert len(question["turns"]) == 1, question["id"]


def test_three_squad_questions_have_no_answer() -> None:
    """Three of twenty questions are unanswerable, and exactly these have no targets."""
    assert len(UNANSWERABLE) == 3
    assert all(bool(question["targets"]) == question["answerable"] for question in SQUAD)
    assert len({question["category"] for question in SQUAD}) == len(SQUAD)


def test_targets_are_spans_of_the_passage() -> None:
    """Every target is a part of the passage, letter by letter."""
    for question in ANSWERABLE:
        assert [one for one in question["targets"] if one not in question["context"]] == []


def test_the_right_responders_name_a_target() -> None:
    """The thorough and the terse response name a target; the mistaken one names none."""
    for question in ANSWERABLE:
        named = {
            name: names_any(question["responses"][name], question["targets"]) for name in RIGHT
        }
        assert named == RIGHT, question["id"]


def test_a_thorough_response_ends_in_the_answer() -> None:
    """The last sentence of the thorough response states the target."""
    for question in ANSWERABLE:
        last = re.split(r"(?<=[.!?])\s+", question["responses"]["thorough"])[-1]
        assert names_any(last, question["targets"]), question["id"]


def test_the_right_responders_say_that_the_passage_is_silent() -> None:
    """Only the right responses say that the passage does not tell."""
    silent = r"(not|never|no) \w*\s?(say|tell|answer|mentions|year|stated)"
    for question in UNANSWERABLE:
        said = {name: bool(re.search(silent, question["responses"][name])) for name in RIGHT}
        assert said == RIGHT, question["id"]


def test_mt_bench_has_its_eight_categories() -> None:
    """MT-Bench has one question of two turns in each of its eight categories."""
    assert set(MT_BENCH) == {
        "writing",
        "roleplay",
        "reasoning",
        "math",
        "coding",
        "extraction",
        "stem",
        "humanities",
    }
    assert all(len(question["turns"]) == 2 for question in MT_BENCH.values())


def test_mt_bench_turns_share_one_order() -> None:
    """Both turns list the responders in the same order."""
    for question in MT_BENCH.values():
        assert list(question["first_turn"]) == list(question["responses"])


@pytest.mark.parametrize(
    ("category", "turn", "answer"),
    [
        ("reasoning", "first_turn", "Cleo is the shortest|shortest of the three is Cleo"),
        ("reasoning", "responses", "Anna, Bea, Dora, Cleo"),
        ("math", "first_turn", rf"\b{12 // 3 * 2} euros"),
        ("math", "responses", rf"\b{12 // 3 * 2 * 100 * 3 // 4 // 12} cents"),
        ("extraction", "first_turn", "Priya, Tom and Lena"),
        ("writing", "responses", r"[Jj]oin .*\bSaturday\b"),
        ("stem", "first_turn", "less dense"),
        ("stem", "responses", r"\b[Nn]o, the"),
    ],
)
def test_mt_bench_answers_are_right(category: str, turn: str, answer: str) -> None:
    """The thorough and the terse response hold the right answer; the mistaken one does not."""
    texts = MT_BENCH[category][turn]
    assert re.search(answer, texts["thorough"])
    assert re.search(answer, texts["terse"])
    assert not re.search(answer, texts["mistaken"])


def test_mt_bench_code_does_what_was_asked() -> None:
    """Only the code of the right responders returns the even numbers, then each of them once."""
    numbers = [4, 3, 2, 4, 1, 2, 8]
    cases = [
        ("first_turn", r"return (.*\)(?= for|\.|$))", [4, 2, 4, 2, 8]),
        ("responses", r"return (sorted.*?\)\)|list.*|numbers.*)", [4, 2, 8]),
    ]
    for turn, pattern, expected in cases:
        for responder, right in (RIGHT | {"muddled": False}).items():
            found = re.search(pattern, MT_BENCH["coding"][turn][responder])
            assert found is not None, (turn, responder)
            expression = found.group(1).split(". ")[0].rstrip(".")
            returned = eval(expression, {"numbers": numbers})
            assert (returned == expected) is right, (turn, responder)


def test_mt_bench_json_is_json() -> None:
    """The extraction's object parses, and only the right responders give the right tasks."""
    for responder, right in RIGHT.items():
        text = MT_BENCH["extraction"]["responses"][responder]
        tasks = json.loads(text[text.index("{") : text.rindex("}") + 1])
        expected = {"Priya": "brings the plans", "Tom": "books the room"}
        assert (tasks == expected) is right, responder


def test_mt_bench_sentence_keeps_to_fifteen_words() -> None:
    """The shortened invitation of the right responders has at most fifteen words."""
    responses = MT_BENCH["writing"]["responses"]
    for responder, fits in RIGHT.items():
        sentence = responses[responder].split(": ")[-1]
        assert (len(sentence.split()) <= 15) is fits, responder


def test_head_torso_and_tail_are_even() -> None:
    """Head, torso and tail hold twenty facts each, numbered through, in several domains."""
    assert Counter(fact["category"] for fact in FACTS) == {"head": 20, "torso": 20, "tail": 20}
    for popularity in ("head", "torso", "tail"):
        group = [fact for fact in FACTS if fact["category"] == popularity]
        assert [fact["id"].rpartition(":")[2] for fact in group] == [
            f"{popularity}-{number:02d}" for number in range(1, 21)
        ]
        assert len({fact["domain"] for fact in group}) >= 4


def test_predictions_mix_right_wrong_and_unsure() -> None:
    """Of 60 predictions 27 are right, 21 wrong and 12 unsure, and the tail is hardest."""
    kinds = Counter(
        "unsure" if fact["prediction"] == "unsure" else fact["correct"] for fact in FACTS
    )
    assert kinds == {True: 27, False: 21, "unsure": 12}
    right = Counter(fact["category"] for fact in FACTS if fact["correct"])
    assert right["head"] > right["torso"] > right["tail"]


def test_a_correct_flag_agrees_with_the_targets() -> None:
    """A prediction is right just if it names a target or says the same in listed other words."""
    for fact in FACTS:
        named = names_any(fact["prediction"], fact["targets"])
        in_other_words = fact["prediction"] in RIGHT_IN_OTHER_WORDS
        assert not (named and in_other_words), fact["id"]
        assert fact["correct"] is (named or in_other_words), fact["id"]


def test_a_fact_is_short() -> None:
    """A fact is one short question whose wording does not give the answer away."""
    for fact in FACTS:
        assert len(fact["turns"]) == 1, fact["id"]
        question = fact["turns"][0]
        assert question.endswith("?"), fact["id"]
        assert len(question.split()) <= 15, fact["id"]
        assert len(fact["prediction"].split()) <= 4, fact["id"]
        assert not names_any(question, fact["targets"]), fact["id"]


@pytest.mark.slow
def test_nothing_is_copied_from_the_benchmarks(data: Path) -> None:
    """No twelve words in a row are shared with the benchmarks' own files."""
    folders = ["squad", "mt_bench", "head_to_tail", "paper"]
    sources = [
        path
        for folder in folders
        for path in (data / folder).rglob("*")
        if path.suffix in {".json", ".jsonl"} and "judg" not in path.name
    ]
    assert sources

    def plain(text: str) -> list[str]:
        return re.findall(r"[a-z0-9]+", text.lower())

    ours = {
        tuple(spoken[start : start + 12])
        for name in SIZES
        for text in strings(questions(name))
        for spoken in [plain(text)]
        for start in range(len(spoken) - 11)
    }
    for path in sources:
        # A text file may escape its line ends; those are spaces between words here.
        theirs = plain(re.sub(r"\\[nrt]", " ", path.read_text(encoding="utf-8")))
        shared = ours.intersection(zip(*(theirs[start:] for start in range(12)), strict=False))
        assert not shared, path.name
