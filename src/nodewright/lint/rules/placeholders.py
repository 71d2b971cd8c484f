"""Variables that a shell should have expanded, and words that a guide left to be filled in."""

import re
from collections.abc import Iterator
from typing import Any, Final

from nodewright.lint.finding import Finding
from nodewright.lint.settings import is_controller, looks_like_values
from nodewright.lint.stream import Stream
from nodewright.model.kinds import BY_NAME
from nodewright.model.path import Path
from nodewright.state.manifests import Manifest

_VARIABLE: Final = re.compile(r"\$\{[A-Za-z_][^}]*\}|^\$[A-Z_][A-Z0-9_]*$")
_BLANK: Final = re.compile(r"\bYOUR_[A-Z0-9_]+\b|^<[A-Za-z][A-Za-z0-9 _-]*>$")
_SIGNS: Final = ("$", "YOUR_", "<")
# Scripts have variables of their own.
_SCRIPTS: Final = frozenset({"userData", "command", "args", "script"})


def check(stream: Stream) -> Iterator[Finding]:
    """Yield every text of our resources that still holds a placeholder."""
    for manifest in stream.manifests:
        if not any(sign in manifest.document.text for sign in _SIGNS):
            continue
        ours = (manifest.api_version, manifest.kind) in BY_NAME
        if ours or looks_like_values(manifest) or _is_settings(manifest):
            yield from _check_object(manifest)


def _is_settings(manifest: Manifest) -> bool:
    return manifest.name == "karpenter-global-settings" or is_controller(manifest)


def _check_object(manifest: Manifest) -> Iterator[Finding]:
    for path, found, is_key in _texts(manifest.raw, ()):
        kind = "variable" if found.startswith("$") else "placeholder"
        yield Finding(
            "NW-3003",
            manifest,
            path,
            f"the {kind} {found} stands here as it is; nothing puts a value in its place",
            "expand it before applying: envsubst < FILE | kubectl apply -f -"
            if kind == "variable"
            else "write the real name",
            on="key" if is_key else "value",
        )


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str, bool]]:
    if isinstance(value, dict):
        for key, entry in value.items():
            if key in _SCRIPTS or key == "managedFields":
                continue
            here = (*path, key)
            if found := _placeholder(key):
                yield here, found, True
            yield from _texts(entry, here)
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _texts(entry, (*path, index))
    elif isinstance(value, str) and (found := _placeholder(value)):
        yield path, found, False


def _placeholder(value: str) -> str:
    if "$" not in value and "YOUR_" not in value and not value.startswith("<"):
        return ""
    form = _VARIABLE.search(value) or _BLANK.search(value)
    return form[0] if form else ""
