"""Places inside an object, as people write them: `spec.requirements[1].key`."""

import re
from typing import Final

type Path = tuple[str | int, ...]

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def show_path(path: Path) -> str:
    """Write a path; a name with dots or slashes stands in brackets (`labels["a/b"]`)."""
    shown = ""
    for part in path:
        if isinstance(part, int):
            shown += f"[{part}]"
        elif _PLAIN.fullmatch(part):
            shown += f".{part}" if shown else part
        else:
            shown += f'["{part}"]'
    return shown
