"""Messages as the token ids a model expects, and token ids as text."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal, get_args

from inspect_ai.model import ChatMessage
from transformers import PreTrainedTokenizerBase as Tokenizer

from ..errors import UserError

ChatTemplate = Literal["auto", "none"]


class PromptEncoder:
    """A tokenizer, and whether its chat template is used.

    Args:
        tokenizer: The model's tokenizer.
        chat_template: "auto" uses the tokenizer's template if it has one, "none" does not.

    Raises:
        UserError: The chat template setting is neither of the two.
    """

    def __init__(self, tokenizer: Tokenizer, chat_template: ChatTemplate = "auto") -> None:
        if chat_template not in get_args(ChatTemplate):
            raise UserError(f"chat_template={chat_template!r} is not known. Use auto or none.")
        self.tokenizer: Any = tokenizer
        # All replications of a question send the same text.
        self._ids = lru_cache(maxsize=1024)(self._tokenize)
        self.templated = chat_template == "auto" and bool(self.tokenizer.chat_template)

    def encode(self, messages: Sequence[ChatMessage]) -> tuple[int, ...]:
        """Token ids of a conversation, with exactly one beginning-of-sequence token if any.

        Raises:
            UserError: The prompt is empty, holds more than text, or the template refuses it.
        """
        conversation = [{"role": m.role, "content": _text(m)} for m in messages]
        if not any(message["content"].strip() for message in conversation):
            raise UserError("The prompt is empty. Check the sample's input.")
        if not self.templated:
            text = "\n\n".join(message["content"] for message in conversation)
            return self._ids(text, add_special_tokens=True)
        try:
            text = self.tokenizer.apply_chat_template(
                conversation, tokenize=False, add_generation_prompt=True
            )
        except Exception as error:  # templates raise what they like
            raise UserError(
                f"The model's chat template refuses this conversation ({error}). Some templates "
                "know no system message: leave it out, or use -M chat_template=none."
            ) from error
        return self._ids(text, add_special_tokens=False)

    def _tokenize(self, text: str, add_special_tokens: bool) -> tuple[int, ...]:
        ids = tuple(self.tokenizer(text, add_special_tokens=add_special_tokens)["input_ids"])
        begin = self.tokenizer.bos_token_id
        if begin is not None and ids[:2] == (begin, begin):
            ids = ids[1:]  # the text itself began with it
        return ids

    def decode(self, tokens: Sequence[int]) -> str:
        """Text of generated tokens, without special tokens."""
        text: str = self.tokenizer.decode(
            tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return text


def _text(message: ChatMessage) -> str:
    if not isinstance(message.content, str) and any(
        part.type not in ("text", "reasoning") for part in message.content
    ):
        raise UserError("hf_seeded reads text only; this conversation holds other content.")
    return message.text
