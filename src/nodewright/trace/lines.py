"""Our own format: one JSON object a line, a head first, then entries in the order of time.

It is read line by line, so that a trace of a million pods takes no more memory than one of ten. What is
kept beside is the names of workloads that exist, since a later line may only say how many there are. The
format is described in docs/reference/traces.md.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from nodewright.model.errors import UserError
from nodewright.model.quantity import BadQuantity, parse_quantity
from nodewright.trace.entry import CODE, GPU, KINDS, Arrival, Entry, Scaling, Size, Thing, Trace

VERSION: Final = "nodewright.dev/v1"
LINE_MAX: Final = 1_000_000
COUNT_MAX: Final = 100_000
WORKLOADS_MAX: Final = 100_000
AT_MAX_S: Final = 10 * 365 * 86_400
_KEYS: Final = ("pod", "workload", "object")


class Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The first line."""

    trace: str
    name: str = ""
    length: float | None = None


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Any other line: `pod`, `workload` or `object` says which kind it is."""

    at: float
    pod: str = ""
    workload: str = ""
    object: dict[str, Any] = {}
    kind: str = "Deployment"
    replicas: int | None = None
    gone: bool = False
    cpu: str | int | float = ""
    memory: str | int | float = ""
    gpu: int = 0
    resources: dict[str, str] = {}
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    spec: dict[str, Any] = {}
    lasts: float | None = None
    until: float | None = None
    count: int = 1


_HEAD: Final = msgspec.json.Decoder(Head)
_LINE: Final = msgspec.json.Decoder(Line)


def read_lines(lines: Iterable[bytes], where: str, *, is_sorted: bool = True) -> Trace:
    """Read a trace; what is wrong with a line is said when it is come to.

    One that is not sorted yet is not held to the order of its lines.
    """
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    number, first = next(numbered, (1, b""))
    try:
        head = _HEAD.decode(first)
    except msgspec.MsgspecError as error:
        raise _bad(
            f"is no head of a trace: {error}", where, number, f'begin with {{"trace": "{VERSION}"}}'
        ) from None
    if head.trace != VERSION:
        raise _bad(f"is a trace of version {head.trace!r}", where, number, f"{VERSION} is known")
    length_ms = None if head.length is None else _read_s(head.length, "length", (where, number))
    return Trace(head.name or where, _entries(numbered, where, is_sorted=is_sorted), length_ms)


def _entries(
    numbered: Iterator[tuple[int, bytes]], where: str, *, is_sorted: bool
) -> Iterator[Entry]:
    known: dict[str, str] = {}
    last_ms = 0
    for number, text in numbered:
        place = (where, number)
        if len(text) > LINE_MAX:
            raise _bad(f"is longer than {LINE_MAX} bytes", *place)
        try:
            line = _LINE.decode(text)
        except msgspec.MsgspecError as error:
            raise _bad(f"is no entry: {error}", *place) from None
        entry = read_entry(line, place)
        if not is_sorted:
            yield entry
            continue
        if entry.at_ms < last_ms:
            raise _bad(
                f"comes at {line.at:g} s, after a line at {last_ms / 1000:g} s",
                *place,
                "sort it: nodewright record --from trace FILE --out SORTED",
            )
        last_ms = entry.at_ms
        if isinstance(entry, Scaling):
            _check_known(entry, known, place)
        yield entry


def _check_known(entry: Scaling, known: dict[str, str], place: tuple[str, int]) -> None:
    """Hold a workload to what was said of it before."""
    kind = known.get(entry.name)
    if kind is None and entry.size is None:
        raise _bad(f"scales {entry.name}, whose size no line before has said", *place)
    if kind is not None and entry.size is not None and kind != entry.kind:
        raise _bad(f"makes {entry.name} a {entry.kind}, which was a {kind}", *place)
    if entry.replicas is None:
        known.pop(entry.name, None)
    elif kind is None:
        known[entry.name] = entry.kind
        if len(known) > WORKLOADS_MAX:
            raise _bad(f"is workload number {len(known)}; {WORKLOADS_MAX} are the most", *place)


def read_entry(line: Line, place: tuple[str, int]) -> Entry:
    """Give the entry that a line stands for, or say what is wrong with it."""
    at_ms = _read_s(line.at, "at", place)
    named = [key for key in _KEYS if getattr(line, key)]
    if len(named) != 1:
        raise _bad("must have one of pod, workload and object", *place)
    if line.object:
        return Thing(at_ms, line.object)
    name = line.pod or line.workload
    if name.count("/") != 1 or not all(name.split("/")):
        raise _bad(f"names {name!r}, which is no namespace/name", *place)
    return _pod(line, at_ms, place) if line.pod else _workload(line, at_ms, place)


def _pod(line: Line, at_ms: int, place: tuple[str, int]) -> Arrival:
    size = _size(line, place)
    if size is None:
        raise _bad(f"says nothing about the size of {line.pod}", *place, "give cpu and memory")
    if line.lasts is not None and line.until is not None:
        raise _bad("has both lasts and until", *place, "one of them says when a pod ends")
    if not 1 <= line.count <= COUNT_MAX:
        raise _bad(f"has count {line.count}; from 1 to {COUNT_MAX} can come at once", *place)
    lasts_ms = None if line.lasts is None else _read_s(line.lasts, "lasts", place)
    until_ms = None if line.until is None else _read_s(line.until, "until", place)
    if until_ms is not None and until_ms < at_ms:
        raise _bad(f"ends at {line.until:g} s, before it begins at {line.at:g} s", *place)
    return Arrival(at_ms, line.pod, size, lasts_ms, until_ms, line.count)


def _workload(line: Line, at_ms: int, place: tuple[str, int]) -> Scaling:
    if line.kind not in KINDS:
        raise _bad(f"has kind {line.kind!r}", *place, f"known are {', '.join(KINDS)}")
    replicas = 0 if line.kind == "DaemonSet" and line.replicas is None else line.replicas
    if line.gone:
        return Scaling(at_ms, line.workload, None, kind=line.kind)
    if replicas is None or not 0 <= replicas <= COUNT_MAX:
        raise _bad(f"has replicas {line.replicas}; they go from 0 to {COUNT_MAX}", *place)
    return Scaling(at_ms, line.workload, replicas, _size(line, place), line.kind)


def _size(line: Line, place: tuple[str, int]) -> Size | None:
    asked = {name: str(value) for name, value in line.resources.items()}
    asked |= {name: str(value) for name in ("cpu", "memory") if (value := getattr(line, name))}
    if line.gpu:
        asked[GPU] = str(line.gpu)
    for name, amount in asked.items():
        try:
            least = parse_quantity(amount)
        except BadQuantity as error:
            raise _bad(f"{name}: {error}", *place) from None
        if least < 0:
            raise _bad(f"asks for {amount} of {name}, which is less than nothing", *place)
    return Size(asked, line.labels, line.annotations, line.spec) if asked else None


def _read_s(seconds: float, field: str, place: tuple[str, int]) -> int:
    """Give seconds as milliseconds; what is negative or beyond ten years is a mistake."""
    if not 0 <= seconds <= AT_MAX_S:
        most = f"from 0 to {AT_MAX_S} (ten years)"
        raise _bad(f"{field} is {seconds:g}; seconds go {most}", *place)
    return round(seconds * 1000)


def _bad(sentence: str, where: str, number: int, advice: str = "") -> UserError:
    return UserError(sentence, code=CODE, where=f"{where}:{number}", advice=advice)


def write_head(name: str, length_ms: int | None = None) -> bytes:
    """Give the first line of a trace."""
    length = None if length_ms is None else length_ms / 1000
    return msgspec.json.encode(Head(VERSION, name, length)) + b"\n"


def write_entry(entry: Entry) -> bytes:
    """Give the line of an entry."""
    return msgspec.json.encode(_line_of(entry)) + b"\n"


def _line_of(entry: Entry) -> Line:
    at = entry.at_ms / 1000
    match entry:
        case Thing():
            return Line(at, object=dict(entry.manifest))
        case Arrival():
            return Line(
                at,
                pod=entry.name,
                lasts=None if entry.lasts_ms is None else entry.lasts_ms / 1000,
                until=None if entry.until_ms is None else entry.until_ms / 1000,
                count=entry.count,
                **_words(entry.size),
            )
        case Scaling():
            return Line(
                at,
                workload=entry.name,
                kind=entry.kind,
                replicas=entry.replicas,
                gone=entry.replicas is None,
                **_words(entry.size),
            )


def _words(size: Size | None) -> dict[str, Any]:
    if size is None:
        return {}
    rest = {name: size.resources[name] for name in sorted(size.resources)}
    words: dict[str, Any] = {name: rest.pop(name) for name in ("cpu", "memory") if name in rest}
    if rest.get(GPU, "").isdecimal():
        words["gpu"] = int(rest.pop(GPU))
    words |= {"resources": rest, "labels": dict(size.labels), "spec": dict(size.spec)}
    return words | {"annotations": dict(size.annotations)}
