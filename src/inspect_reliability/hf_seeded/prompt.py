"""Messages as the token ids a model expects, and token ids as text."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal, get_args

from inspect_ai.model import ChatMessage
from jinja2 import Environment, nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from transformers import PreTrainedTokenizerBase as Tokenizer

from ..errors import UserError, one_of
from ..limits import BESIDE_AN_ENGINE, within_limits

ChatTemplate = Literal["auto", "none"]

_LONGEST = 300
"""Most characters quoted of a template's error."""

_MOST_ADDED = 1_000_000
"""Most characters that a template may add to a conversation."""


_MOST_DIGITS = 300
"""Largest constant with which a template raises or rounds a number."""


_LEAVE_OUT = (
    "Do not use this model unless you trust it; -M chat_template=none leaves its template out."
)


class PromptEncoder:
    """A tokenizer; its chat template is used if it has one, unless `chat_template` is "none".

    Raises:
        UserError: The template takes more than 5 seconds, or 500 MB of memory, could take any time,
            or leaves out what it is given.
    """

    def __init__(self, tokenizer: Tokenizer, chat_template: ChatTemplate = "auto") -> None:
        one_of("chat_template", chat_template, get_args(ChatTemplate))
        self.tokenizer: Any = tokenizer
        self.templated = chat_template == "auto" and bool(self.tokenizer.chat_template)
        # All replications of a question send the same messages.
        self._ids = lru_cache(maxsize=1024)(self._templated if self.templated else self._joined)
        if self.templated:
            self._try_template()

    def encode(self, messages: Sequence[ChatMessage]) -> tuple[int, ...]:
        """Token ids of a conversation, with exactly one beginning-of-sequence token if any.

        Control tokens that occur in a message as text stay text. Only the template writes control
        tokens, so no message can open or close a turn.

        Raises:
            UserError: The prompt is empty, contains anything but text, or the template refuses it.
        """
        conversation = tuple((m.role, _text(m)) for m in messages)
        if not any(text.strip() for _, text in conversation):
            raise UserError("The prompt is empty. Check the sample's input.")
        ids = self._ids(conversation)
        if not ids:
            raise UserError(
                "The model's tokenizer knows no character of the prompt, so no token is left of "
                "it. Check the sample's input, or use another model."
            )
        return ids

    def _try_template(self) -> None:
        try:
            if _multiplies_freely(self.tokenizer.get_chat_template()):
                raise UserError(
                    "The model's chat template multiplies numbers so that they can take any time. "
                    f"{_LEAVE_OUT}"
                )
            with within_limits():
                written = self._write((("user", "Which is best? " * 100),), tokenize=False)
        except (TimeoutError, MemoryError) as error:
            raise UserError(
                "The model's chat template takes more than 5 seconds, or 500 MB of memory, for a "
                f"short message. {_LEAVE_OUT}"
            ) from error
        except UserError:
            raise
        except Exception:  # templates raise what they like, and may take another conversation
            return
        if "Which is best?" not in written:
            raise UserError(
                "The model's chat template leaves out the message, so the model would never see "
                "what it judges. Use another model; -M chat_template=none leaves its template out."
            )

    def _joined(self, conversation: tuple[tuple[str, str], ...]) -> tuple[int, ...]:
        text = "\n\n".join(text for _, text in conversation)
        return tuple(self.tokenizer(text, split_special_tokens=True)["input_ids"])

    def _templated(self, conversation: tuple[tuple[str, str], ...]) -> tuple[int, ...]:
        try:
            with within_limits(BESIDE_AN_ENGINE):
                written = len(self._write(conversation, tokenize=False))
                # Where memory ends in the tokenizer, the process ends.
                if written > _MOST_ADDED + sum(len(text) for _, text in conversation):
                    raise ValueError(f"it writes {written:,} characters")
                return tuple(self._write(conversation, sanitize_control_tokens=True))
        except Exception as error:  # templates raise what they like
            why = f"{error}" or "it takes more than 2 GB of memory"  # a MemoryError has no words
            raise UserError(
                f"The model's chat template refuses this conversation ({why:.{_LONGEST}}). Some "
                "templates know no system message: leave it out, or use -M chat_template=none."
            ) from None

    def _write(self, conversation: tuple[tuple[str, str], ...], **options: Any) -> Any:
        messages = [{"role": role, "content": text} for role, text in conversation]
        return self.tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, return_dict=False, **options
        )

    def decode(self, tokens: Sequence[int]) -> str:
        """Text of generated tokens, without special tokens."""
        text: str = self.tokenizer.decode(
            tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return text


def _multiplies_freely(template: str) -> bool:
    """Whether a template can make numbers so long that no limit of time stops Python in between."""
    tree = Environment(extensions=["jinja2.ext.loopcontrols", _Generation]).parse(template)
    return any(map(_grows, tree.find_all((nodes.Pow, nodes.Mul, nodes.Filter))))


def _grows(node: nodes.Node) -> bool:
    if isinstance(node, nodes.Filter):  # which multiplies by powers of ten
        given = (*node.args, *(one.value for one in node.kwargs))
        return node.name == "round" and not all(map(_is_small, given))
    if isinstance(node, nodes.Pow):
        return not _is_small(node)
    return not any(map(_is_small, node.iter_child_nodes()))


def _is_small(node: nodes.Node) -> bool:
    if isinstance(node, nodes.Pow):
        return all(
            isinstance(one, nodes.Const) and _is_small(one) for one in node.iter_child_nodes()
        )
    if not isinstance(node, nodes.Const):
        return False
    return not isinstance(node.value, int) or node.value <= _MOST_DIGITS


class _Generation(Extension):
    """The tag with which templates mark, for transformers, what the model says."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> nodes.Scope:
        """The statements within the tag."""
        line = next(parser.stream).lineno
        within = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(within, lineno=line)


def _text(message: ChatMessage) -> str:
    if not isinstance(message.content, str) and any(
        part.type not in ("text", "reasoning") for part in message.content
    ):
        raise UserError("hf_seeded reads text only; this conversation contains other content.")
    return message.text
