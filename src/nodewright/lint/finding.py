"""A finding: what is wrong, where, why, and, where there is one right answer, the edits that mend it.

Edits are values that say what the document should hold afterwards; `fix` carries them out in the
text. Paths count from the object; an object inside a `List` knows its own prefix.
"""

from functools import cached_property
from typing import Literal

import msgspec

from nodewright.lint.codes import CODES, Severity
from nodewright.model.path import Path, show_path
from nodewright.state.manifests import Manifest
from nodewright.state.positions import Mark

type Scalar = str | int | float | bool | None


class Replace(msgspec.Struct, frozen=True):
    """Put another scalar in the place of one."""

    path: Path
    value: Scalar


class Rename(msgspec.Struct, frozen=True):
    """Give a key another name."""

    path: Path
    name: str


class Remove(msgspec.Struct, frozen=True):
    """Take a key or a list item away."""

    path: Path


class Join(msgspec.Struct, frozen=True):
    """Move the expressions of every later node selector term into the first."""

    path: Path


class Lift(msgspec.Struct, frozen=True):
    """Move the entries of a mapping into the mapping that holds it, in its place."""

    path: Path


type Edit = Replace | Rename | Remove | Join | Lift


class Finding(msgspec.Struct, frozen=True, eq=False, dict=True):
    """One thing that is wrong with an object."""

    code: str
    manifest: Manifest
    path: Path
    message: str
    help: str = ""
    edits: tuple[Edit, ...] = ()
    on: Literal["key", "value"] = "value"
    lowered_to: Severity | None = None

    @property
    def severity(self) -> Severity:
        """How grave it is: as its code says, unless this case is milder."""
        return self.lowered_to or CODES[self.code].severity

    @cached_property
    def mark(self) -> Mark:
        """Where it stands: the value, or the key where the value fills several lines."""
        position = self.manifest.locate(self.path)
        value = position.value
        if self.on == "key" or value.line != value.end_line or value.column >= value.end_column:
            return position.key
        return value

    @property
    def subject(self) -> str:
        """The object as `Kind/name`."""
        return subject_of(self.manifest)


class Published(msgspec.Struct, frozen=True):
    """A finding as programs read it."""

    code: str
    severity: Severity
    file: str
    line: int
    column: int
    object: str
    path: str
    message: str
    help: str
    fixable: bool


def publish(finding: Finding) -> Published:
    """Write a finding in its published form."""
    mark = finding.mark
    return Published(
        code=finding.code,
        severity=finding.severity,
        file=finding.manifest.file,
        line=mark.line,
        column=mark.column,
        object=finding.subject,
        path=show_path(finding.path),
        message=finding.message,
        help=finding.help,
        fixable=bool(finding.edits),
    )


def subject_of(manifest: Manifest) -> str:
    """Name an object as `Kind/name`; a document without a kind counts as Helm values."""
    if not manifest.kind:
        return "values"
    namespace = f"{manifest.namespace}/" if manifest.namespace else ""
    return f"{manifest.kind}/{namespace}{manifest.name or '?'}"
