"""Questions from official files, and what is wrong with bad ones."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_reliability.designs import Item
from inspect_reliability.study.benchmarks import load_questions, question
from inspect_reliability.study.benchmarks.benchmark import sample_per_category

REAL: dict[str, str] = {
    "BBH": "bbh",
    "SQuAD": "squad/dev-sample-v2.0.json",
    "MT-Bench": "mt_bench/question.jsonl",
    "Head-to-Tail": "head_to_tail",
}
PUBLISHED: dict[str, str] = {
    "BBH": "paper/bbh_sampled_q.json",
    "SQuAD": "paper/squad_sampled_q.json",
    "MT-Bench": "paper/mt_bench_sampled_q.json",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("benchmark", "drawn", "everything"),
    [("BBH", 27, 6511), ("SQuAD", 20, 20), ("MT-Bench", 8, 80), ("Head-to-Tail", 3, 3024)],
)
def test_official_files_give_one_question_a_category(
    benchmark: str, drawn: int, everything: int, data: Path
) -> None:
    """As in the paper: 27 BBH, 20 SQuAD and 8 MT-Bench questions; or all there are."""
    one = load_questions(benchmark, data / REAL[benchmark])
    every = load_questions(benchmark, data / REAL[benchmark], "all")
    assert (len(one), len(every)) == (drawn, everything)
    assert set(Counter(q.fields["category"] for q in one).values()) == {1}
    assert {q.id for q in one} <= {q.id for q in every}
    assert len({q.id for q in every}) == everything
    assert all(q.fields["turns"] and all(q.fields["turns"]) for q in every)


@pytest.mark.slow
def test_official_texts_are_kept_word_for_word(data: Path) -> None:
    """A question reads as its official file reads."""
    snarks = json.loads((data / "bbh/snarks.json").read_text())["examples"]
    by_id = {q.id: q for q in load_questions("BBH", data / "bbh", "all")}
    assert by_id["bbh:snarks:7"].question == snarks[7]["input"]
    assert by_id["bbh:snarks:7"].fields["targets"] == [snarks[7]["target"]]
    line = (data / "mt_bench/question.jsonl").read_text().splitlines()[3]
    official = json.loads(line)
    by_id = {q.id: q for q in load_questions("MT-Bench", data / REAL["MT-Bench"], "all")}
    assert by_id[f"mtb:{official['question_id']}"].fields["turns"] == official["turns"]


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", PUBLISHED)
def test_the_papers_sample_is_found_in_the_official_files(benchmark: str, data: Path) -> None:
    """The published sampled questions are read, and their texts are the official ones."""
    sampled = load_questions(benchmark, data / PUBLISHED[benchmark], "all")
    official = {q.question for q in load_questions(benchmark, data / REAL[benchmark], "all")}
    assert len(sampled) == {"BBH": 27, "SQuAD": 20, "MT-Bench": 8}[benchmark]
    assert {q.question for q in sampled} <= official


@pytest.mark.parametrize("benchmark", REAL)
def test_the_sample_pack_is_a_source(benchmark: str) -> None:
    """The sample pack has the numbers of the paper."""
    every = load_questions(benchmark, per_category="all")
    assert len(every) == {"BBH": 27, "SQuAD": 20, "MT-Bench": 8, "Head-to-Tail": 60}[benchmark]
    assert not any(q.responses for q in every)


def _questions(sizes: dict[str, int]) -> list[Item]:
    return [
        question(f"{category}-{n}", category, ["?"])
        for category, size in sizes.items()
        for n in range(size)
    ]


sizes = st.dictionaries(st.sampled_from("abcdef"), st.integers(3, 9), min_size=1)


@pytest.mark.slow
@given(sizes, st.integers(0, 99), st.integers(1, 3), st.randoms(use_true_random=False))
def test_a_draw_depends_on_seed_and_ids_alone(
    sizes: dict[str, int], seed: int, n: int, random: Any
) -> None:
    """Order of the file and other categories do not change a draw; a larger one contains it."""
    questions = _questions(sizes)
    drawn = {q.id for q in sample_per_category(questions, n, seed)}
    shuffled = random.sample(questions, len(questions))
    assert {q.id for q in sample_per_category(shuffled, n, seed)} == drawn
    assert Counter(id[0] for id in drawn) == dict.fromkeys(sizes, n)
    for category in sizes:
        alone = [q for q in questions if q.fields["category"] == category]
        assert {q.id for q in sample_per_category(alone, n, seed)} <= drawn
    if n > 1:
        assert {q.id for q in sample_per_category(questions, n - 1, seed)} < drawn


def test_every_question_is_drawn_by_some_seed() -> None:
    """No question of a category is out of reach."""
    questions = _questions({"a": 5})
    assert {sample_per_category(questions, 1, seed)[0].id for seed in range(60)} == {
        q.id for q in questions
    }


def _squad(*qas: dict[str, Any], version: str = "v2.0", title: str = "Article") -> dict[str, Any]:
    return {
        "version": version,
        "data": [{"title": title, "paragraphs": [{"context": "C", "qas": list(qas)}]}],
    }


def _qa(**fields: Any) -> dict[str, Any]:
    return {"id": "1", "question": "Q?", "answers": [{"text": "A", "answer_start": 0}]} | fields


def test_squad_of_either_version(tmp_path: Path) -> None:
    """Version 1.1 has no unanswerable questions; version 2.0 marks them and they have no target."""
    path = tmp_path / "squad.json"
    path.write_text(json.dumps(_squad(_qa(), version="1.1")))
    (old,) = load_questions("SQuAD", path)
    assert (old.fields["targets"], old.fields["answerable"], old.context) == (["A"], True, "C")
    impossible = _qa(id="2", answers=[], is_impossible=True, plausible_answers=[{"text": "P"}])
    twice = _qa(answers=[{"text": "A"}, {"text": "A"}, {"text": "B"}], is_impossible=False)
    path.write_text(json.dumps(_squad(twice, impossible)))
    known, unknown = load_questions("SQuAD", path, "all")
    assert known.fields["targets"] == ["A", "B"]
    assert (unknown.fields["targets"], unknown.fields["answerable"]) == ([], False)


BAD: dict[str, tuple[str, str, object, str]] = {
    "malformed": ("BBH", "x.json", '{"examples": [,]}', r"x.json is not JSON: .*line 1, column 15"),
    "shape": ("BBH", "x.json", {"canary": "", "rows": []}, r"missing key 'examples' \(found 'ca"),
    "list": ("SQuAD", "x.json", "3", "expected an object, found a number"),
    "empty category": ("BBH", "snarks.json", {"examples": []}, "category 'snarks' is empty"),
    "target": ("BBH", "x.json", {"examples": [{"input": "Q"}]}, "example 0: missing key 'target'"),
    "null": (
        "BBH",
        "x.json",
        {"examples": [{"input": None, "target": ""}]},
        "'input': expected text, found null",
    ),
    "key twice": (
        "BBH",
        "x.json",
        '{"examples": [], "examples": []}',
        "duplicate key 'examples'",
    ),
    "squad id": ("SQuAD", "x.json", _squad(_qa(), _qa()), "have the id 'squad:1'"),
    "article": ("SQuAD", "x.json", _squad(), "'Article' has no questions"),
    "no answers": ("SQuAD", "x.json", _squad(_qa(answers=[])), "no answers and is not marked"),
    "not utf-8": ("SQuAD", "x.json", b'{"version": "\xff"}', "not UTF-8: byte 13 is 0xff"),
    "one turn": (
        "MT-Bench",
        "x.jsonl",
        '{"question_id": 1, "category": "math", "turns": ["Q"]}',
        "x.jsonl, line 1: an MT-Bench question has two turns, this one 1",
    ),
    "mt id": (
        "MT-Bench",
        "x.jsonl",
        '{"question_id": 1, "category": "math", "turns": ["Q", "R"]}\n' * 2,
        "two questions.*have the id 'mtb:1'",
    ),
    "no lines": ("MT-Bench", "x.jsonl", "\n\n", "is empty"),
    "jsonl": (
        "MT-Bench",
        "x.jsonl",
        '\n{"question_id" 1}',
        "line 2 is not JSON: .*, column 16. Wri",
    ),
    "tail": (
        "Head-to-Tail",
        "x.json",
        {"head": [["e", "t", "Q", "A"]], "torso": [["e", "t", "Q", "A"]], "tail": []},
        "'tail' is empty",
    ),
    "fact": ("Head-to-Tail", "x.json", {"head": [["Q", "A"]]}, "found 2 values"),
    "answer": ("Head-to-Tail", "x.json", {"head": [["e", "t", "Q", []]]}, "has no answer"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_in_words(case: str, tmp_path: Path) -> None:
    """A bad file gives one message that says what is wrong and where, and no questions."""
    benchmark, name, content, message = BAD[case]
    path = tmp_path / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(ValueError, match=f"(?i){message}"):
        load_questions(benchmark, path)


@pytest.mark.parametrize(
    ("benchmark", "source", "options", "message"),
    [
        ("BBH", "nowhere", {}, "No file or folder 'nowhere'"),
        ("BBH", "sample", {"per_category": 0}, "per_category=0 is not a number from 1"),
        ("BBH", "sample", {"per_category": True}, "per_category=True is not"),
        ("BBH", "sample", {"per_category": "some"}, "per_category=some is not"),
        ("BBH", "sample", {"per_category": 2}, "has 1 question.*asks for more"),
    ],
)
def test_bad_arguments_are_refused_in_words(
    benchmark: str, source: str, options: dict[str, Any], message: str
) -> None:
    """A source or number that makes no sense gives one message."""
    with pytest.raises(ValueError, match=message):
        load_questions(benchmark, source, **options)
