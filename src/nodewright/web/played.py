"""Two runs in virtual time: the pods of now, on pools as they are and as they would be, with the same chance.

Both begin with an empty cluster and the same cloud, so what differs between them is the change and nothing else.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from nodewright.app.run import autoscale
from nodewright.forecast.measured import HOUR_MS, Measured, values_of
from nodewright.forecast.run import run_policy
from nodewright.forecast.setup import Setup, zones_of
from nodewright.forecast.wording import LINES
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.errors import UserError
from nodewright.model.kinds import BY_STRUCT
from nodewright.model.world import World
from nodewright.trace.entry import Trace
from nodewright.trace.recording import ENDED, Recorder
from nodewright.web.answers.whatif import Measure, Played, Series

PODS_MAX: Final = 2_000
"""More pods take longer in virtual time than anybody waits for a page."""

REGION: Final = "us-east-1"
_CODE: Final = "NW-9609"
_UNITS: Final = {"cost": "money", "waste": "money"}


def play_both(worlds: tuple[World, World], region: str, hours: int, seed: int) -> Played:
    """Play the pods of a World with its pools as they are, and with those of the other."""
    now, changed = worlds
    if len(now.pods) > PODS_MAX:
        raise UserError(
            f"{len(now.pods)} pods are too many to play here, {PODS_MAX} are the most",
            code=_CODE,
            advice="record the workload and use `nodewright simulate --workload`",
        )
    first, second = (_play((one, now), region or REGION, hours, seed) for one in (now, changed))
    return Played(hours, seed, _compare(first, second), _series(first), _series(second))


def _play(worlds: tuple[World, World], region: str, hours: int, seed: int) -> Measured:
    pools, pods = worlds
    if not any(isinstance(one, EC2NodeClass) for one in pools.node_classes):
        raise UserError("only pools of EC2 machines can be played", code=_CODE)
    setup = Setup(tuple(_objects(pools)), region, zones_of(region))
    recorder = Recorder(0)
    for pod in pods.pods:
        if pod.status.phase not in ENDED:
            recorder.came(pod, 0)
    trace = Trace("pods of now", recorder.rest(), hours * HOUR_MS)
    return run_policy(("nodewright", autoscale), setup, trace, seed)


def _objects(world: World) -> list[Mapping[str, Any]]:
    things: list[Any] = [
        *world.node_classes,
        *world.node_pools,
        *world.node_policies,
        *world.node_overlays,
    ]
    written = [_written(one, BY_STRUCT[type(one)].kind) for one in things]
    written += [_written(one, "DaemonSet") for one in world.daemon_sets]
    written += [_written(one, "PodDisruptionBudget") for one in world.disruption_budgets]
    return written


def _written(thing: Any, kind: str) -> Mapping[str, Any]:
    whole = msgspec.to_builtins(thing)
    metadata = {name: whole["metadata"].get(name) for name in ("name", "namespace", "labels")}
    return {
        "kind": kind,
        "metadata": {name: value for name, value in metadata.items() if value},
        "spec": whole.get("spec", {}),
    }


def _compare(now: Measured, changed: Measured) -> tuple[Measure, ...]:
    before, after = values_of(now), values_of(changed)
    return tuple(
        Measure(
            name=line.key,
            title=line.title,
            unit=_UNITS.get(line.key, _unit(line.key)),
            now=round(before[line.key], 6),
            changed=round(after[line.key], 6),
            difference=round(after[line.key] - before[line.key], 6),
        )
        for line in LINES
    )


def _unit(key: str) -> str:
    if key.endswith("Share"):
        return "share"
    return "seconds" if key.endswith("Seconds") else ""


def _series(run: Measured) -> Series:
    points = run.series
    first_ms = points[0].at_ms if points else 0
    return Series(
        hours=tuple(round((one.at_ms - first_ms) / HOUR_MS, 3) for one in points),
        nodes=tuple(float(one.nodes) for one in points),
        pending=tuple(float(one.waiting) for one in points),
        price_per_hour=tuple(round(one.price_hour, 6) for one in points),
    )
