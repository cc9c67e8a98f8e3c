"""The training of the tiny judge: its text, and its script from end to end."""

import random

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from inspect_reliability.study.benchmarks import BENCHMARKS, sample_pack
from inspect_reliability.tiny_judge import folder
from training.corpus import correctness_example, judge_example
from training.train import main, train

LETTERS = tuple("ABCDE")

pytestmark = pytest.mark.slow


def test_the_script_trains_and_saves_a_judge(tmp_path, capsys, monkeypatch):
    """The script trains from end to end, and the same seed gives the same weights."""
    monkeypatch.setattr("training.tokenizer._TEXTS", 100)
    monkeypatch.setattr("training.batches._PROMPTS", {0: 4, 1: 4})
    main(["--out", str(tmp_path), "--steps", "2", "--seed", "1"])
    assert str(tmp_path) in capsys.readouterr().out
    saved = AutoModelForCausalLM.from_pretrained(tmp_path)
    again, tokenizer = train(seed=1, steps=2)
    for one, other in zip(saved.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)
    assert AutoTokenizer.from_pretrained(tmp_path).get_vocab() == tokenizer.get_vocab()
    assert {file.name for file in tmp_path.iterdir()} < {file.name for file in folder().iterdir()}


def test_recorded_ends_are_where_responses_end():
    """After each recorded end comes the next option, or nothing."""
    rng = random.Random(0)
    for _ in range(50):
        example = judge_example(rng, size=2)
        for end, following in zip(example.ends, (*LETTERS[1:], None), strict=True):
            rest = example.prompt[end:]
            assert rest.startswith(f"\n[{following}]: ") if following else rest == ""


def test_letters_are_drawn_as_they_say():
    """Verdicts of generated examples come as often as the probabilities beside them."""
    rng = random.Random(0)
    examples = [judge_example(rng, size=0) for _ in range(1000)]
    letters = [BENCHMARKS["BBH"].design.reader.read(example.output).verdict for example in examples]
    expected = sum(example.letters[0] for example in examples)
    spread = sum(p * (1 - p) for p in (example.letters[0] for example in examples)) ** 0.5
    misses = sum(letter not in LETTERS for letter in letters)
    assert misses < 0.08 * len(examples)
    assert abs(letters.count("A") - expected) < 4 * spread + misses


def test_correctness_is_half_and_half_and_parses():
    """Generated predictions are right about half of the time, and the output says so."""
    rng = random.Random(0)
    read = BENCHMARKS["Head-to-Tail"].design.reader.read
    verdicts = [read(correctness_example(rng).output).verdict for _ in range(400)]
    assert set(verdicts) == {"correct", "incorrect"}
    assert verdicts.count("correct") == pytest.approx(200, abs=50)


def test_training_text_holds_no_response_of_the_sample_pack():
    """The judge is scored on the sample pack, so no response of it may be training text."""
    rng = random.Random(0)
    text = "\n".join(judge_example(rng, size=2).prompt for _ in range(500))
    for benchmark in ("BBH", "SQuAD", "MT-Bench"):
        for entry in sample_pack(benchmark):
            for response in entry.responses.values():
                assert response not in text
