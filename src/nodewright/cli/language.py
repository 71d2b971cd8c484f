"""Which language to speak: what `--lang` says, else what the locale says, else English."""

import os
from typing import Annotated, Final

from cyclopts import Parameter

from nodewright.model.wording import Language

LanguageOption = Annotated[
    Language | None, Parameter(name="--lang", help="en or ko; the locale decides if not given.")
]
"""The `--lang` of a command that speaks."""

_LOCALE: Final = ("LC_ALL", "LC_MESSAGES", "LANG")


def choose_language(wanted: Language | None) -> Language:
    """Give the language to speak."""
    if wanted is not None:
        return wanted
    locale = next((value for name in _LOCALE if (value := os.environ.get(name))), "")
    return "ko" if locale.lower().startswith("ko") else "en"
