"""Every module with handlers, imported so that they register themselves."""

from types import ModuleType
from typing import Final

from nodewright.sandbox.aws import credentials

MODULES: Final[tuple[ModuleType, ...]] = (credentials,)
