"""The shipped judge: a small transformer like any other that reads, in small, what it judges."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2_contingency
from tiny_models import generate
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM

from inspect_reliability.hf_seeded.fastest import ModelRun
from inspect_reliability.hf_seeded.tree import Request
from inspect_reliability.judging.asking import option_order
from inspect_reliability.study.benchmarks import BENCHMARKS, sample_pack
from inspect_reliability.tiny_judge import folder

LETTERS = tuple("ABCDE")

pytestmark = pytest.mark.slow

REPLICATIONS = 20


@pytest.fixture(scope="module")
def tokenizer():
    return AutoTokenizer.from_pretrained(folder())


@pytest.fixture(scope="module")
def model():
    return AutoModelForCausalLM.from_pretrained(folder(), dtype=torch.float32)


@pytest.fixture(scope="module")
def pack():
    """Prompts of the sample pack, each with the letter of its best response."""
    prompts = []
    for benchmark in ("BBH", "SQuAD", "MT-Bench"):
        for entry in sample_pack(benchmark):
            order = option_order(list(entry.responses), "shuffled", 0, entry.id, 1)
            shown = {
                letter: entry.responses[name] for letter, name in zip(LETTERS, order, strict=True)
            }
            prompt = BENCHMARKS[benchmark].design.ask(
                replace(entry, responses=shown, best=None), LETTERS
            )
            prompts.append((prompt, LETTERS[order.index(str(entry.best))]))
    return prompts


def read(text):
    return BENCHMARKS["BBH"].design.reader.read(text).verdict


def batched(values, size):
    return [values[start : start + size] for start in range(0, len(values), size)]


def chat(tokenizer, prompt):
    return tokenizer.apply_chat_template([{"role": "user", "content": prompt}], tokenize=False)


@pytest.fixture(scope="module")
def greedy(model, tokenizer, pack):
    """Pairs of right letter and verdict at temperature 0, over the sample pack."""
    found = []
    # A few of like lengths, which need little padding.
    for few in batched(sorted(pack, key=lambda one: len(chat(tokenizer, one[0]))), 5):
        chats = [chat(tokenizer, prompt) for prompt, _ in few]
        tokens = tokenizer(chats, return_tensors="pt", padding=True, padding_side="left")
        generated = model.generate(**tokens, max_new_tokens=10, do_sample=False)
        texts = tokenizer.decode(
            generated[:, tokens["input_ids"].shape[1] :], skip_special_tokens=True
        )
        found += [(right, read(text)) for (_, right), text in zip(few, texts, strict=True)]
    return found


@pytest.fixture(scope="module")
def sampled(model, tokenizer, pack):
    """`REPLICATIONS` verdicts of each of four questions, cold and at temperature 1."""
    run = ModelRun(
        model,
        decode=lambda tokens: tokenizer.decode(list(tokens), skip_special_tokens=True),
        end_tokens=frozenset([tokenizer.eos_token_id]),
        context=model.config.max_position_embeddings,
    )
    prompts = [tuple(tokenizer(chat(tokenizer, prompt))["input_ids"]) for prompt, _ in pack[::14]]
    temperatures = (0.25, 1.0)
    verdicts: dict[float, list[list[str]]] = {temperature: [] for temperature in temperatures}
    for prompt in prompts:
        asked = [
            Request(prompt, seed, 30, temperature, top_k=50)
            for temperature in temperatures
            for seed in range(REPLICATIONS)
        ]
        said = [read(one.text) for one in generate(run, asked)]
        for place, temperature in enumerate(temperatures):
            verdicts[temperature].append(said[place * REPLICATIONS :][:REPLICATIONS])
    return verdicts


def test_is_a_llama_of_a_few_megabytes(model):
    """The judge is a Llama of under a million parameters in a folder of under 5 MB."""
    assert isinstance(model, LlamaForCausalLM)
    assert sum(parameter.numel() for parameter in model.parameters()) < 1_000_000
    assert sum(file.stat().st_size for file in folder().iterdir()) < 5_000_000


@given(st.text())
def test_tokenizer_keeps_any_text(tokenizer, text):
    """Decoding what was encoded gives the text back, whatever it is."""
    assert tokenizer.decode(tokenizer(text)["input_ids"]) == text


def test_chat_template_adds_a_line_break(tokenizer):
    """A single user message is rendered as its content and a line break."""
    instruction = BENCHMARKS["BBH"].design.prompt.partition("\n\n")[0]
    content = f"{instruction}\n\nQuestion: {{{{ braces }}}} and spaces  "
    chat = [{"role": "user", "content": content}]
    assert tokenizer.apply_chat_template(chat, tokenize=False) == content + "\n"


def test_chooses_the_best_response_more_often_than_chance(greedy):
    """On questions it was not trained on, the best response is chosen more often than 1 in 5."""
    right = sum(verdict == letter for letter, verdict in greedy)
    assert binomtest(right, len(greedy), 0.2, alternative="greater").pvalue < 1e-4


def test_choice_follows_the_response_and_not_only_the_letter(greedy):
    """Where the best response stands and what is chosen are not independent."""
    table = np.zeros((5, 5), dtype=int)
    for letter, verdict in greedy:
        if verdict in LETTERS:
            table[LETTERS.index(letter), LETTERS.index(verdict)] += 1
    chosen = table[:, table.sum(0) > 0]
    assert chosen.shape[1] == 5
    assert chi2_contingency(chosen).pvalue < 1e-3


def test_cold_verdicts_are_well_formed(sampled):
    """At a low temperature nearly every output names one letter in the form asked for."""
    verdicts = [verdict for of_one in sampled[0.25] for verdict in of_one]
    assert sum(verdict in LETTERS for verdict in verdicts) / len(verdicts) > 0.99


def test_heat_breaks_the_form_now_and_then(sampled):
    """At temperature 1 some outputs name no letter or several, but most name one."""
    verdicts = [verdict for of_one in sampled[1.0] for verdict in of_one]
    assert 0.85 < sum(verdict in LETTERS for verdict in verdicts) / len(verdicts) < 0.999


def test_heat_spreads_verdicts(sampled):
    """Replications of a question agree less at temperature 1 than at .25."""
    agreeing = {
        temperature: sum(n * n for of_one in rows for n in Counter(of_one).values())
        for temperature, rows in sampled.items()
    }
    assert agreeing[1.0] < 0.9 * agreeing[0.25]


def test_verdict_distributions_differ_between_questions(sampled):
    """At temperature 1 the verdicts of different questions are not draws from one distribution."""
    counts = np.array([[of_one.count(letter) for letter in LETTERS] for of_one in sampled[1.0]])
    assert chi2_contingency(counts[:, counts.sum(0) > 0]).pvalue < 1e-9
