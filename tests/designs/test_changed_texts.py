"""Changes of an answer: what they leave, and what they spoil."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_reliability import Item, JudgeDesign
from inspect_reliability.designs import answers_in, changes_of, with_answer
from inspect_reliability.designs.variations import shipped
from inspect_reliability.errors import UserError

CHANGES = shipped()

ITEM = Item("q", "What is 2 and 2?", {"x": "It is 4. I counted. It is right."})
CODE = "```python\nif a. B:\n    pass  # So. It is.\n```"


def changed(name: str, text: str, other: str | None = None) -> str | None:
    return CHANGES[name].of(text, ITEM, other)


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("layout", "- It is 4.\n- I counted.\n- It is right."),
        (
            "praise",
            "It is 4. I counted. It is right.\n\n"
            "This answer is complete, accurate and clearly written.",
        ),
        (
            "authority",
            "As a leading expert in this field, I confirm that the following is right.\n\n"
            "It is 4. I counted. It is right.",
        ),
        ("truncated", "It is 4. I"),
        ("other", "Paris."),
        ("empty", ""),
    ],
)
def test_a_change_has_one_text(name: str, made: str) -> None:
    """Each change makes the same text of an answer, every time."""
    text = ITEM.responses["x"]
    assert changed(name, text, "Paris.") == changed(name, text, "Paris.") == made


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n, one in CHANGES.items() if one.kind == "invariance"])
@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\r`"), max_size=60))
def test_what_an_answer_says_stays(name: str, text: str) -> None:
    """A change that leaves an answer's worth alone keeps its words in their order."""
    made = changed(name, text)
    if made is not None:
        words = iter(re.findall(r"\w+", made.replace("\u200b", "")))
        assert all(word in words for word in re.findall(r"\w+", text.replace("\u200b", "")))


@pytest.mark.parametrize("name", CHANGES)
def test_code_stays_as_it_is(name: str) -> None:
    """A code block is kept whole, or left out whole."""
    text = f"It is so. Look here.\n{CODE}\nThat is all. It ends."
    made = changed(name, text, "none") or ""
    assert CODE in made or "`" not in made
    assert changed("layout", CODE) is None
    assert changed("invisible", CODE) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [("layout", "One sentence."), ("invisible", "word"), ("truncated", "a b c"), ("empty", "")],
)
def test_what_does_not_apply_says_so(name: str, text: str) -> None:
    """An answer that a change would leave as it is is not changed."""
    assert changed(name, text) is None
    assert changed("other", text) is None  # there is no other question


def test_an_answer_is_where_the_design_says() -> None:
    """Responses, a field, or the last message of the assistant."""
    said = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]
    talk = Item("t", "Hi", {}, fields={"messages": said, "draft": "Hm"})
    assert answers_in(ITEM) == ITEM.responses
    assert answers_in(talk) == {"": "Ho"}
    assert answers_in(talk, "draft") == {"draft": "Hm"}
    assert with_answer(talk, "", "No").messages[-1]["content"] == "No"
    assert talk.messages[-1]["content"] == "Ho"
    assert with_answer(talk, "draft", "No", "draft").fields["draft"] == "No"
    assert with_answer(ITEM, "x", "No").responses == {"x": "No"}
    with pytest.raises(UserError, match="'topic' holds no answer"):
        answers_in(ITEM, "topic")


def test_changes_of_ones_own(tmp_path: Path) -> None:
    """A file's templates see the answer and every field of the item."""
    file = tmp_path / "own.yaml"
    file.write_text(
        "answers:\n  - {name: loud, kind: invariance, answer: '{{ answer|upper }}!'}\n"
        "  - {name: spoiled, kind: sensitivity, answer: '{{ spoiled }}'}\n"
    )
    loud, spoiled, empty = changes_of([str(file), "empty"])
    assert loud.of("so", ITEM) == "SO!"
    assert spoiled.of("so", ITEM) is None
    assert spoiled.of("so", Item("q", "", {}, fields={"spoiled": "no"})) == "no"
    assert empty is CHANGES["empty"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("answers: []", "answers: expected 1 or more, found 0"),
        ("answers: [{name: a, kind: bad, answer: b}]", "item 1, kind: "),
        ("answers: [{name: a, answer: b}]", "item 1: missing field 'kind'"),
        ("answers: [{nme: a}]", "unknown field 'nme'. Allowed fields: name, kind, answer, about."),
        ("answers: [{name: given, kind: invariance, answer: b}]", "the name of what is not"),
        ("answers: [{name: a, kind: invariance, answer: '{% if %}'}]", "answer: template line 1"),
    ],
)
def test_a_broken_file_is_named(text: str, message: str, tmp_path: Path) -> None:
    """File, line and field."""
    (tmp_path / "own.yaml").write_text(text)
    with pytest.raises(UserError, match=re.escape(message)):
        changes_of(str(tmp_path / "own.yaml"))


def test_a_name_that_is_not_known() -> None:
    """The error lists what there is."""
    with pytest.raises(UserError, match=r"answers=prase is not known\. Use one of layout, praise"):
        changes_of("prase")


def test_the_delimiter_does_not_change() -> None:
    """What stands around an answer is the same before and after a change."""
    design = JudgeDesign("d", "{{ question }} {{ delimiter }}", ["yes", "no"])
    other = with_answer(ITEM, "x", "another")
    assert design.ask(other, ["x"], ITEM) == design.ask(ITEM, ["x"])
    assert design.ask(other, ["x"]) != design.ask(ITEM, ["x"])
