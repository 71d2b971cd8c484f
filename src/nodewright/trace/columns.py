"""Traces from comma-separated values: a mapping says which column holds what, and in which unit.

A mapping is written as `field=column` pairs; `column*unit` puts a unit behind each number
(`memory=memory_mib*Mi`). Times are seconds, or instants as RFC 3339 writes them; the first one is the
start of the trace. A share of a GPU is a whole one, because Kubernetes gives no less.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from nodewright.model.errors import UserError
from nodewright.model.instant import BadInstant, parse_instant
from nodewright.model.quantity import BadQuantity, parse_quantity
from nodewright.trace.entry import CODE, GPU, Arrival, Entry, Size, Trace
from nodewright.trace.lines import AT_MAX_S

FIELDS: Final = (
    "name", "namespace", "cpu", "memory", "gpus", "gpuShare", "arrives", "starts", "ends", "lasts",
)  # fmt: skip
OPENB: Final = (
    "name=name,cpu=cpu_milli*m,memory=memory_mib*Mi,gpus=num_gpu,gpuShare=gpu_milli,"
    "arrives=creation_time,starts=scheduled_time,ends=deletion_time"
)
"""The columns of the pod lists of Alibaba's cluster-trace-gpu-v2023."""

_FIELD_MAX: Final = 100_000


class Column(NamedTuple):
    """Where a field is found, and the unit of its numbers."""

    title: str
    unit: str = ""


type Mapped = Mapping[str, Column]


def parse_mapping(text: str) -> Mapped:
    """Read a mapping from its words."""
    found: dict[str, Column] = {}
    for pair in filter(None, (one.strip() for one in text.split(","))):
        field, equals, column = pair.partition("=")
        title, _, unit = column.partition("*")
        if field not in FIELDS or not equals or not title:
            raise UserError(
                f"--columns: {pair!r} says nothing about a trace",
                code=CODE,
                advice=f"write field=column with one of {', '.join(FIELDS)}",
            )
        found[field] = Column(title, unit)
    if "arrives" not in found:
        raise UserError("--columns: no column says when a pod arrives", code=CODE)
    return found


def read_table(lines: Iterable[str], where: str, mapping: Mapped) -> Trace:
    """Read a table of pods; rows need not be in order, so sort what comes of it."""
    csv.field_size_limit(_FIELD_MAX)
    rows = csv.reader(lines)
    head = [title.strip() for title in next(rows, [])]
    missing = sorted({one.title for one in mapping.values()} - set(head))
    if missing:
        raise UserError(
            f"has no column {', '.join(missing)}; it has {', '.join(head[:20]) or 'none'}",
            code=CODE,
            where=f"{where}:1",
            advice="say with --columns which column holds what",
        )
    unused = [title for title in head if title not in {one.title for one in mapping.values()}]
    notes: tuple[str, ...] = (
        "pods run from when they were scheduled, else from when they came, until they ended",
    )
    if unused:
        notes += (f"columns that are not used: {', '.join(unused)}",)
    reader = _Rows(head, mapping, where)
    return Trace(where, reader.entries(rows), None, notes)


class _Rows:
    """Reads rows; the first instant that is given as a date is the start."""

    def __init__(self, head: list[str], mapping: Mapped, where: str) -> None:
        self._index = {field: head.index(one.title) for field, one in mapping.items()}
        self._units = {field: one.unit for field, one in mapping.items()}
        self._width = len(head)
        self._where = where
        self._start_s: float | None = None
        self._number = 1

    def entries(self, rows: Iterator[list[str]]) -> Iterator[Entry]:
        """Give an arrival for each row."""
        for row in self._rows(rows):
            arrives_s = self._seconds(row, "arrives")
            if arrives_s is None:
                raise self._bad("says nothing about when the pod arrives")
            lasts_s = self._lifetime(row, arrives_s)
            size = Size(self._resources(row))
            if not size.resources:
                raise self._bad("asks for nothing")
            space = self._text(row, "namespace") or "default"
            name = self._text(row, "name") or f"pod-{self._number}"
            lasts_ms = None if lasts_s is None else round(lasts_s * 1000)
            yield Arrival(round(arrives_s * 1000), f"{space}/{name}", size, lasts_ms)

    def _rows(self, rows: Iterator[list[str]]) -> Iterator[list[str]]:
        while True:
            try:
                row = next(rows, None)
            except csv.Error as error:
                raise self._bad(f"is no row: {error}") from None
            if row is None:
                return
            self._number += 1
            if not row:
                continue
            if len(row) != self._width:
                raise self._bad(f"has {len(row)} fields where the head has {self._width}")
            yield row

    def _lifetime(self, row: list[str], arrives_s: float) -> float | None:
        lasts_s = self._seconds(row, "lasts", is_length=True)
        ends_s = self._seconds(row, "ends")
        if lasts_s is None and ends_s is not None:
            starts_s = self._seconds(row, "starts")
            lasts_s = ends_s - (arrives_s if starts_s is None else starts_s)
        if lasts_s is not None and lasts_s < 0:
            raise self._bad(f"ends {-lasts_s:g} s before it begins")
        return lasts_s

    def _resources(self, row: list[str]) -> dict[str, str]:
        found = {}
        for field in ("cpu", "memory"):
            amount = self._text(row, field)
            if amount:
                found[field] = self._quantity(field, amount + self._units[field])
        gpus = self._number_of(row, "gpus")
        share = self._number_of(row, "gpuShare")
        whole = max(-int(-gpus // 1), 1 if share > 0 else 0)
        return found | ({GPU: str(whole)} if whole else {})

    def _quantity(self, field: str, text: str) -> str:
        try:
            least = parse_quantity(text)
        except BadQuantity as error:
            raise self._bad(f"{field}: {error}") from None
        if least < 0:
            raise self._bad(f"asks for {text} of {field}, which is less than nothing")
        return text

    def _number_of(self, row: list[str], field: str) -> float:
        text = self._text(row, field)
        try:
            value = float(text or 0)
        except ValueError:
            raise self._bad(f"{field}: {text!r} is no number") from None
        if value < 0:
            raise self._bad(f"asks for {text} of {field}, which is less than nothing")
        return value

    def _seconds(self, row: list[str], field: str, *, is_length: bool = False) -> float | None:
        text = self._text(row, field)
        if not text:
            return None
        try:
            value = float(text)
        except ValueError:
            value = self._instant(text, field)
        if not is_length and not 0 <= value <= AT_MAX_S:
            raise self._bad(f"{field} is {text}; seconds go from 0 to {AT_MAX_S} (ten years)")
        return value

    def _instant(self, text: str, field: str) -> float:
        try:
            instant_s = parse_instant(text) / 1000
        except BadInstant:
            raise self._bad(f"{field}: {text!r} is neither seconds nor an instant") from None
        if self._start_s is None:
            self._start_s = instant_s
        return instant_s - self._start_s

    def _text(self, row: list[str], field: str) -> str:
        index = self._index.get(field)
        return "" if index is None else row[index].strip()

    def _bad(self, sentence: str) -> UserError:
        return UserError(sentence, code=CODE, where=f"{self._where}:{self._number}")
