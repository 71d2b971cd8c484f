"""Scenarios: a world and what happens in it, as a YAML file or as a value.

Times are lengths from the start (`10m`, `1h30m`). Objects are ordinary manifests; `workloads` is a
short way to write common ones. Reading a file says what is wrong with it and where.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import yaml

from nodewright.model.errors import UserError
from nodewright.sim.scenario_check import find_mistakes, read_length

CODE: Final = "NW-9402"


class Words(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """A part of a scenario: fields are written in camelCase, and unknown ones are refused."""


class CatalogWords(Words, frozen=True):
    """Which machines are on sale: a region of the EC2 catalog, narrowed to a few families."""

    region: str = "us-east-1"
    zones: tuple[str, ...] = ("us-east-1a", "us-east-1b", "us-east-1c")
    types: tuple[str, ...] = ()
    families: tuple[str, ...] = ("m6i", "c6i", "r6i")
    sizes: tuple[str, ...] = ("large", "xlarge", "2xlarge", "4xlarge")


class CloudWords(Words, frozen=True):
    """How the cloud behaves."""

    depth: int = 1_000_000
    depths: Mapping[str, int] = {}
    spot_moves: bool = True
    spot_interruptions_per_hour: float = 0.0
    boot: tuple[str, str] = ("10s", "35s")


class FaultWords(Words, frozen=True):
    """One kind of trouble."""

    kind: str
    rate: float = 0.0
    from_: str = msgspec.field(default="0s", name="from")
    until: str = ""
    at: tuple[str, ...] = ()


class CurveWords(Words, frozen=True):
    """How many replicas a workload wants over time, as an autoscaler of pods would set them.

    `points` are (time, replicas) pairs, held until the next one. Otherwise a day goes from `low` up
    to `high` around `peak` (an hour of the day) and down again, with a share of noise.
    """

    points: tuple[tuple[str, int], ...] = ()
    low: int = 1
    high: int = 10
    peak: float = 14.0
    noise: float = 0.0
    every: str = "5m"


class WorkloadWords(Words, frozen=True):
    """A workload in a few words.

    `kind` is Deployment, StatefulSet, DaemonSet, Job or CronJob. `pod` is merged into the pod's
    template, for everything that the other words do not say.
    """

    name: str
    kind: str = "Deployment"
    namespace: str = "default"
    replicas: int = 1
    cpu: str = "100m"
    memory: str = "128Mi"
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    runs_for: str = ""
    schedule: str = ""
    volume: str = ""
    curve: CurveWords | None = None
    pod: Mapping[str, Any] = {}


class NodeWords(Words, frozen=True):
    """Nodes that are there from the beginning and belong to nobody."""

    count: int
    cpu: str = "4"
    memory: str = "16Gi"
    pods: str = "110"
    zone: str = ""
    labels: Mapping[str, str] = {}


class EventWords(Words, frozen=True):
    """Something that is done at a moment: one of these beside `at`."""

    at: str
    scale: str = ""
    replicas: int = 0
    create: Mapping[str, Any] = {}
    edit: Mapping[str, Any] = {}
    delete: str = ""
    interrupt: float = 0.0
    depth: Mapping[str, int] = {}
    kill: bool = False


class Scenario(Words, frozen=True):
    """A world, what happens in it, and for how long.

    After trouble there is `settle` time to come to rest; where `calm` is set, the run ends as soon as
    everything is at rest and nothing has happened for that long.
    """

    name: str
    duration: str = "1h"
    settle: str = "30m"
    calm: str = ""
    catalog: CatalogWords = CatalogWords()
    cloud: CloudWords = CloudWords()
    nodes: tuple[NodeWords, ...] = ()
    workloads: tuple[WorkloadWords, ...] = ()
    objects: tuple[Mapping[str, Any], ...] = ()
    events: tuple[EventWords, ...] = ()
    faults: tuple[FaultWords, ...] = ()


def read_scenario(path: Path) -> Scenario:
    """Read a scenario file; what is wrong with it is one sentence."""
    try:
        document = yaml.safe_load(path.read_text())
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", code=CODE, where=str(path)) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise UserError(f"is no YAML: {error.problem}", code=CODE, where=place) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"is no text of YAML: {error}", code=CODE, where=str(path)) from None
    return parse_scenario(document, str(path))


def parse_scenario(document: Any, where: str = "scenario") -> Scenario:
    """Read a scenario out of plain data."""
    try:
        scenario = msgspec.convert(document, Scenario, strict=False)
    except msgspec.ValidationError as error:
        raise UserError(f"is no scenario: {error}", code=CODE, where=where) from None
    for mistake in find_mistakes(scenario):
        raise UserError(
            f"{mistake.place}: {mistake.sentence}", code=CODE, where=where, advice=mistake.advice
        )
    return scenario


def read_ms(text: str) -> int:
    """Read a length of time that a scenario gives; `d` counts days."""
    return read_length(text)
