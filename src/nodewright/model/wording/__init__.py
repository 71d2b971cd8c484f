"""One table of words for everything that we say about a decision, in English and in Korean.

What decides makes causes and changes: a kind and its numbers. Here they become sentences, so that a
plan, an Event, a condition and a page of the documentation say the same in the same words.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, get_args

import msgspec

from nodewright.model.cause import Cause
from nodewright.model.wording import (
    english,
    korean,
    nodes_english,
    nodes_korean,
    pages_english,
    pages_korean,
)

type Language = Literal["en", "ko"]

LANGUAGES: Final[tuple[Language, ...]] = get_args(Language.__value__)
EVENT_LENGTH_MAX: Final = 1024
"""What the API server takes as the message of an Event."""

_CAUSES: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": english.CAUSES,
    "ko": korean.CAUSES,
}
_CHANGES: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": english.CHANGES,
    "ko": korean.CHANGES,
}
_WORDS: Final[Mapping[Language, Mapping[str, str]]] = {"en": english.WORDS, "ko": korean.WORDS}
_PAGES: Final[Mapping[Language, Mapping[str, tuple[str, str, str]]]] = {
    "en": {**pages_english.PAGES, **nodes_english.PAGES},
    "ko": {**pages_korean.PAGES, **nodes_korean.PAGES},
}


class Count(int):
    """A number that can bring its noun: `{count:pod}` is `1 pod` or `2 pods`."""

    def __format__(self, noun: str) -> str:
        """Write the number, with the noun in the form that goes with it."""
        plain = str(int(self))
        return f"{plain} {noun}{'' if self == 1 else 's'}" if noun else plain


class Page(msgspec.Struct, frozen=True):
    """What is to be said of a code: what it is called, what it means, what to do about it."""

    code: str
    title: str
    why: str
    what: str


def sentence(cause: Cause, language: Language = "en") -> str:
    """Say a cause in a clause that names the thing and the number."""
    values: dict[str, str | int] = {"hint": "", **cause.values}
    if meant := values.get("meant"):
        values["hint"] = word("did-you-mean", language, name=meant)
    elif known := values.get("known"):
        values["hint"] = word("types-have", language, values=known)
    return _CAUSES[language][cause.kind].format_map(_counted(values))


def change(kind: str, values: Mapping[str, str | int], language: Language = "en") -> str:
    """Say a change as an invitation to make it."""
    return _CHANGES[language][kind].format_map(_counted(values))


def word(name: str, language: Language = "en", /, **values: str | int) -> str:
    """Give one of the words around the sentences, with its values filled in."""
    return _WORDS[language][name].format_map(_counted(values))


def _counted(values: Mapping[str, str | int]) -> dict[str, str | int]:
    return {name: Count(one) if isinstance(one, int) else one for name, one in values.items()}


def page(code: str, language: Language = "en") -> Page | None:
    """Give the page of a code of a decision: about a pod, or about a node."""
    known = _PAGES[language].get(code)
    return None if known is None else Page(code, *known)


def pages(language: Language = "en") -> tuple[Page, ...]:
    """Give all pages by code."""
    return tuple(Page(code, *known) for code, known in sorted(_PAGES[language].items()))


def event_message(summary: str, code: str, others: Sequence[str] = ()) -> str:
    """Join the sentence that helps most, its code and the others into what an Event can carry."""
    named = f" ({code})"
    message = _cut(summary, EVENT_LENGTH_MAX - len(named)) + named
    for position, other in enumerate(others):
        longer = f"{message}; {other}"
        rest = f" (+{len(others) - position})"
        if len(longer.encode()) > EVENT_LENGTH_MAX - len(rest):
            return (
                message + rest if len(message.encode()) + len(rest) <= EVENT_LENGTH_MAX else message
            )
        message = longer
    return message


def _cut(text: str, most: int) -> str:
    """Cut a text so that its bytes fit, never within a character."""
    if len(text.encode()) <= most:
        return text
    return text.encode()[: most - 3].decode(errors="ignore") + "…"
