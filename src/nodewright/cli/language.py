"""Which language to speak: what `--lang` says, else what the locale says, else English.

What programs read does not depend on the locale: the same question has the same answer on every
machine.
"""

import os
from typing import Annotated, Final

from cyclopts import Parameter

from nodewright.cli.output import Format
from nodewright.model.wording import Language

LanguageOption = Annotated[
    Language | None,
    Parameter(
        name="--lang",
        help="en or ko; if not given, the locale decides for tables, and the rest is English.",
    ),
]
"""The `--lang` of a command that speaks."""

_LOCALE: Final = ("LC_ALL", "LC_MESSAGES", "LANG")


def choose_language(wanted: Language | None, output: Format = "table") -> Language:
    """Give the language to speak."""
    if wanted is not None:
        return wanted
    if output != "table":
        return "en"
    locale = next((value for name in _LOCALE if (value := os.environ.get(name))), "")
    return "ko" if locale.lower().startswith("ko") else "en"
