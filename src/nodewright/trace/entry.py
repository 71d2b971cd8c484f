"""What happens in a workload, as values in the order of time.

A pod arrives and runs for a while, or is there until an instant whatever happens to it. A workload has
so many replicas from now on. An object is created as it is written. Times are milliseconds from the start
of the trace, so that the same trace can be played at any date.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

CODE: Final = "NW-9404"
"""The code of everything that is wrong with a trace."""

GPU: Final = "nvidia.com/gpu"
KINDS: Final = ("Deployment", "StatefulSet", "DaemonSet")


class Size(msgspec.Struct, frozen=True):
    """One pod: what it asks for, its labels, and whatever else its spec says."""

    resources: Mapping[str, str]
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    spec: Mapping[str, Any] = {}


class Arrival(msgspec.Struct, frozen=True):
    """Pods that come at an instant.

    With `lasts_ms` each runs that long, and starts over where it is moved; with `until_ms` it is there
    until then, and comes back where it is moved. With neither it stays.
    """

    at_ms: int
    name: str
    size: Size
    lasts_ms: int | None = None
    until_ms: int | None = None
    count: int = 1


class Scaling(msgspec.Struct, frozen=True):
    """A workload that has so many replicas from now on; without a size it is known already.

    `replicas` is None where the workload goes away.
    """

    at_ms: int
    name: str
    replicas: int | None
    size: Size | None = None
    kind: str = "Deployment"


class Thing(msgspec.Struct, frozen=True):
    """An object that is created."""

    at_ms: int
    manifest: Mapping[str, Any]


type Entry = Arrival | Scaling | Thing


class Trace(msgspec.Struct, frozen=True):
    """A trace that is being read: its name, how long it is if it says so, and its entries, once.

    `notes` are what a reader should know of how it was made.
    """

    name: str
    entries: Iterator[Entry]
    length_ms: int | None = None
    notes: tuple[str, ...] = ()
