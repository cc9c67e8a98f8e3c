"""Other wordings of a judge's prompt."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inspect_reliability.designs import (
    Item,
    JudgeDesign,
    design_from_file,
    wordings_from_file,
    wordings_of,
)
from inspect_reliability.designs.variations import CHANGES
from inspect_reliability.errors import UserError
from inspect_reliability.study.benchmarks import BENCHMARKS
from inspect_reliability.verdicts import GIVEN

PAIR = JudgeDesign(
    name="Pair",
    prompt="Judge fairly. Be brief. Name the letter.\n\nQuestion: {{ question }}"
    "{% for option in options %}\n({{ option.label }}): {{ option.text }}{% endfor %}\n\nLetter:",
    verdict={"options": ["A", "B"], "also": ["tie"]},
)
ITEM = Item("q", "Hi? [A]: no", {"x": "Letter: the A.\n\nB", "y": "Question: no"})
SHOWN = (ITEM.question, *ITEM.responses.values())


@pytest.mark.parametrize(
    ("change", "prompt"),
    [
        (
            GIVEN,
            "Judge fairly. Be brief. Name the letter.\n\nQuestion: 0\n(A): 1\n(B): 2\n\nLetter:",
        ),
        (
            "labels",
            "Judge fairly. Be brief. Name the letter.\n\nQuestion: 0\nA: 1\nB: 2\n\nLetter:",
        ),
        (
            "whitespace",
            "Judge fairly. Be brief. Name the letter.\nQuestion: 0\n(A): 1\n(B): 2\nLetter:",
        ),
    ],
)
def test_a_change_leaves_what_is_shown_as_it_is(change: str, prompt: str) -> None:
    """A change is of the prompt's own words; question and responses stay whole."""
    asked = wordings_of(PAIR, list(CHANGES))[change].ask(ITEM, ["x", "y"])
    expected = re.sub("([:-]) ([012])", lambda at: f"{at[1]} {SHOWN[int(at[2])]}", prompt)
    assert asked == expected


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_change_fits_the_papers_prompts(name: str) -> None:
    """Each makes another prompt of the paper's, but those of labels where there are none."""
    own = [*CHANGES] if BENCHMARKS[name].design.reader.options else ["whitespace"]
    worded = wordings_of(BENCHMARKS[name].design, own)
    assert [*worded] == [GIVEN, *own]
    assert len({one.prompt for one in worded.values()}) == len(worded)


@pytest.mark.parametrize(
    ("change", "prompt", "why"),
    [
        ("labels", "{{ question }} {{ response }}", "shows no {{ option.label }}"),
        ("whitespace", "{{ question }} {{ response }}", "the prompt is one line"),
        ("typo", "{{ question }}", "Use one of labels, whitespace"),
        (5, "{{ question }}", "No file or folder '5'"),
    ],
)
def test_a_change_that_does_not_fit_says_why(change: Any, prompt: str, why: str) -> None:
    """What cannot be changed without changing the meaning is refused."""
    with pytest.raises(UserError, match=re.escape(why)):
        wordings_of(JudgeDesign("n", prompt, ["yes", "no"]), change)


def test_wordings_of_a_file_and_of_a_design(tmp_path: Path) -> None:
    """A list of prompts, named or numbered, is the same in a file of its own and in a design."""
    wordings = 'wordings:\n  - Good? {{ response }}\n  - {name: short, prompt: "{{ response }}?"}\n'
    (tmp_path / "w.yaml").write_text(wordings)
    head = 'name: n\nprompt: "{{ response }} good?"\nverdict: [yes, no]\n'
    (tmp_path / "d.yaml").write_text(head + wordings)
    found = wordings_from_file(tmp_path / "w.yaml")
    assert found == {"1": "Good? {{ response }}", "short": "{{ response }}?"}
    design = design_from_file(tmp_path / "d.yaml")
    plain = JudgeDesign("n", "{{ response }} good?", ["yes", "no"])
    expected = {GIVEN: plain.prompt, **found}
    for one in (wordings_of(design), wordings_of(plain, str(tmp_path / "w.yaml"))):
        assert {name: worded.prompt for name, worded in one.items()} == expected
    assert wordings_of(plain) == {}
    lines = replace(plain, prompt="a\n\n{{ response }}")
    mixed = wordings_of(lines, ["whitespace", str(tmp_path / "w.yaml")])
    assert [*mixed] == [GIVEN, "whitespace", "1", "short"]


@pytest.mark.parametrize(
    ("wordings", "message"),
    [
        ("[a, {title: b, prompt: c}]", "line 1, wordings, item 2: unknown field 'title'. Allowed"),
        ("[a, {name: b}]", "line 1, wordings, item 2: missing field 'prompt'"),
        ("[a, [b]]", "line 1, wordings: item 2: expected a text, or {name: ..., prompt: ...}"),
        ("[]", "line 1, wordings: expected 1 or more, found 0"),
        ("a", "line 1, wordings: expected a list of texts"),
        ("[{name: x, prompt: a}, {name: x, prompt: b}]", "wordings: two are called 'x'"),
        ("[{name: given, prompt: a}]", "two are called 'given', the name of what is not changed"),
        ("[a, '']", "line 1, wordings, item 2, prompt: expected a text that is not empty"),
    ],
)
def test_a_broken_list_of_wordings_is_named(wordings: str, message: str, tmp_path: Path) -> None:
    """File, line and what to do."""
    (tmp_path / "w.yaml").write_text(f"wordings: {wordings}\n")
    with pytest.raises(UserError, match=re.escape(message)):
        wordings_from_file(tmp_path / "w.yaml")


@pytest.mark.parametrize(
    ("prompts", "message"),
    [
        (["{% if %}"], "wordings, item 1, prompt: template line 1: Expected an expression"),
        (
            [{"name": "x", "instructions": "a"}],
            "wordings, item 1: unknown field 'instructions'. Allowed fields: name, prompt",
        ),
        (
            [{"name": "whitespace", "prompt": "{{ options }}"}],
            "wordings: two are called 'whitespace'",
        ),
        ([PAIR.prompt], "wordings: 'given' and '1' are the same. Leave one out"),
        (["{{ options }}"] * 2, "wordings: '1' and '2' are the same. Leave one out"),
        (["{{ options }}", "A or B?"], "wordings: '2' does not show the judge what to judge. Add"),
    ],
)
def test_wordings_that_do_not_fit_the_judge(
    prompts: Sequence[Any], message: str, tmp_path: Path
) -> None:
    """What is no template, or has another's name, is found before the first call."""
    (tmp_path / "w.json").write_text(f'{{"wordings": {str(prompts).replace(chr(39), chr(34))}}}')
    with pytest.raises(UserError, match=re.escape(message)):
        wordings_of(PAIR, ["whitespace", str(tmp_path / "w.json")])
