"""What a check finds: sentences in two languages, the facts behind them, and the changes that would mend it.

A finding whose `mends` are empty has no single right answer: its `advice` are the commands from which a
person chooses. Facts are what was seen, each with its object and field, and read alike in every language.
"""

from typing import Any

import msgspec

from nodewright.install.printing import print_deeds
from nodewright.install.steps import Deed, Step
from nodewright.lint.codes import Severity
from nodewright.model.wording import Language


class Text(msgspec.Struct, frozen=True):
    """A sentence in both languages."""

    en: str
    ko: str

    def into(self, language: Language) -> str:
        """Give the sentence in a language."""
        return self.ko if language == "ko" else self.en


def say(en: str, ko: str, /, **values: Any) -> Text:
    """Fill the same values into both sentences."""
    return Text(en.format_map(values), ko.format_map(values)) if values else Text(en, ko)


def fact(where: str, field: str, value: object) -> Text:
    """Say what stands in a field of an object, the same in both languages."""
    shown = f"{where} {field}: {value}" if field else f"{where}: {value}"
    return Text(shown, shown)


class Mend(msgspec.Struct, frozen=True):
    """A change that mends, and the deeds that would take it back."""

    step: Step
    undo: tuple[Deed, ...] = ()
    undo_text: tuple[str, ...] = ()
    """Commands that take it back, where a deed cannot say it beforehand."""

    @property
    def undo_commands(self) -> tuple[str, ...]:
        """What takes it back, as commands."""
        return (*print_deeds(self.undo), *self.undo_text)


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong."""

    objects: tuple[str, ...]
    message: Text
    cause: Text
    facts: tuple[Text, ...] = ()
    mends: tuple[Mend, ...] = ()
    advice: tuple[str, ...] = ()
    lowered_to: Severity | None = None

    @property
    def is_fixable(self) -> bool:
        """Whether `--fix` has an answer to it."""
        return bool(self.mends)

    @property
    def commands(self) -> tuple[str, ...]:
        """The fix as commands: those of the mends, else the advice."""
        if not self.mends:
            return self.advice
        return tuple(line for mend in self.mends for line in print_deeds(mend.step.deeds))

    @property
    def undo_commands(self) -> tuple[str, ...]:
        """What takes the fix back, last change first."""
        return tuple(line for mend in reversed(self.mends) for line in mend.undo_commands)
