"""A page of gauges, written row by row.

A large cluster has tens of thousands of rows, and many share most of their labels. So a label text is
written once and used for many rows, and labels without a value are left out: to Prometheus that is the
same.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from nodewright.observe.families import GAUGES

_LABELS: Final = {one.name: one.labels for one in GAUGES}


def write_labels(names: Iterable[str], values: Iterable[str]) -> str:
    """Write labels as they stand between braces, those without a value left out."""
    pairs = zip(names, values, strict=True)
    return ",".join(f'{name}="{_escape(value)}"' for name, value in pairs if value)


def _escape(value: str) -> str:
    if "\\" in value or '"' in value or "\n" in value:
        return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
    return value


class Page:
    """The gauges of one page."""

    def __init__(self) -> None:
        self._rows: dict[str, list[str]] = {}

    def set(self, name: str, value: float, labels: Iterable[str] = ()) -> None:
        """Add one row, with its labels in the order of the table."""
        self.add(name, value, write_labels(_LABELS[name], labels))

    def add(self, name: str, value: float, labels: str) -> None:
        """Add one row whose labels are written already."""
        braces = f"{{{labels}}}" if labels else ""
        self._rows.setdefault(name, []).append(f"{name}{braces} {float(value)!r}\n")

    def write(self) -> bytes:
        """Write the families that have rows, in the order of the table."""
        return "".join(self._text()).encode()

    def _text(self) -> Iterator[str]:
        for family in GAUGES:
            rows = self._rows.get(family.name)
            if rows:
                yield f"# HELP {family.name} {family.about}\n# TYPE {family.name} gauge\n"
                yield from rows
