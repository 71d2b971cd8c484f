"""Which settings to try, and which of those tried to take.

One knob is turned at a time, for all pools alike, and stays where it costs least among the settings that keep the
limits; then the next is turned. What is tried is a setup like any other, so it is run like any other. A setting is
taken only where it is cheaper by more than chance.
"""

import copy
import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
import yaml

from nodewright.forecast.measured import Measured, values_of
from nodewright.forecast.statistics import Estimate, compare, estimate
from nodewright.model.labels import CAPACITY_TYPE

type Objects = tuple[Mapping[str, Any], ...]

_FAMILY: Final = "karpenter.k8s.aws/instance-family"
_CATEGORY: Final = "karpenter.k8s.aws/instance-category"
_GENERATION: Final = "karpenter.k8s.aws/instance-generation"
_PLAIN: Final = ("c", "m", "r")


class Limits(msgspec.Struct, frozen=True, rename="camel"):
    """What must be kept: how long 95 % of pods wait at most, and how many moves there may be in a day."""

    wait_p95_s: float | None = None
    moves_per_day: float | None = None


class Tried(msgspec.Struct, frozen=True, rename="camel"):
    """A setting that was tried: what it costs, and whether it keeps the limits."""

    knob: str
    value: str
    cost: Estimate
    saving: Estimate
    wait_p95_s: float
    moves_per_day: float
    keeps_limits: bool
    is_taken: bool = False


def turn_all() -> Iterator[tuple[str, Mapping[str, Callable[[Objects], Objects]]]]:
    """Give every knob with its settings, each as what it makes of the objects."""
    yield (
        "consolidateAfter",
        {
            value: _setting("disruption", "consolidateAfter", value)
            for value in ("0s", "1m", "5m", "15m")
        },
    )
    yield (
        "consolidationPolicy",
        {
            value: _setting("disruption", "consolidationPolicy", value)
            for value in ("WhenEmptyOrUnderutilized", "WhenEmpty")
        },
    )
    yield (
        "budgets",
        {
            value: _setting("disruption", "budgets", [{"nodes": value}])
            for value in ("10%", "25%", "100%")
        },
    )
    yield (
        "capacity types",
        {
            "spot and on-demand": _requirement(CAPACITY_TYPE, ["spot", "on-demand"]),
            "on-demand": _requirement(CAPACITY_TYPE, ["on-demand"]),
        },
    )
    yield "families", {"all of c, m and r from generation 6 on": _widen}


def _setting(part: str, field: str, value: object) -> Callable[[Objects], Objects]:
    def change(spec: dict[str, Any]) -> None:
        spec.setdefault(part, {})[field] = value

    return lambda objects: _on_pools(objects, change)


def _requirement(key: str, values: list[str]) -> Callable[[Objects], Objects]:
    def change(spec: dict[str, Any]) -> None:
        own = spec["template"]["spec"]
        others = [one for one in own.get("requirements", []) if one["key"] != key]
        own["requirements"] = [*others, {"key": key, "operator": "In", "values": values}]

    return lambda objects: _on_pools(objects, change)


def _widen(objects: Objects) -> Objects:
    """Let general pools have every family of theirs, new ones too."""

    def change(spec: dict[str, Any]) -> None:
        own = spec["template"]["spec"]
        listed = [one for one in own.get("requirements", []) if one["key"] == _FAMILY]
        names = [name for one in listed for name in one.get("values", [])]
        if not names or any(name[0] not in _PLAIN or not name[1].isdecimal() for name in names):
            return
        own["requirements"] = [
            *(one for one in own["requirements"] if one["key"] != _FAMILY),
            {"key": _CATEGORY, "operator": "In", "values": list(_PLAIN)},
            {"key": _GENERATION, "operator": "Gt", "values": ["5"]},
        ]

    return _on_pools(objects, change)


def _on_pools(objects: Objects, change: Callable[[dict[str, Any]], None]) -> Objects:
    found = []
    for one in objects:
        made = copy.deepcopy(dict(one))
        if made.get("kind") == "NodePool":
            change(made["spec"])
        found.append(made)
    return tuple(found)


def judge(
    trial: tuple[str, str], runs: Sequence[Measured], base: Sequence[Measured], limits: Limits
) -> Tried:
    """Tell what a setting saves against the one before, and whether it keeps the limits."""
    own = [values_of(one) for one in runs]
    before = [values_of(one) for one in base]
    wait_s = estimate([one["waitP95Seconds"] for one in own]).mean
    moves = estimate([one["movesPerDay"] for one in own]).mean
    keeps = all(
        (
            limits.wait_p95_s is None or wait_s <= limits.wait_p95_s,
            limits.moves_per_day is None or moves <= limits.moves_per_day,
            not any(one["unstarted"] for one in own),
        )
    )
    return Tried(
        knob=trial[0],
        value=trial[1],
        cost=estimate([one["cost"] for one in own]),
        saving=compare([one["cost"] for one in before], [one["cost"] for one in own]),
        wait_p95_s=wait_s,
        moves_per_day=moves,
        keeps_limits=keeps,
    )


def choose(tried: Sequence[Tried], base: Tried) -> Tried | None:
    """Give the setting to take: the cheapest that keeps the limits, if it is surely cheaper.

    Where what is there now breaks the limits, anything that keeps them will do.
    """
    fitting = [one for one in tried if one.keeps_limits]
    if base.keeps_limits:
        fitting = [one for one in fitting if one.saving.mean > (one.saving.half or 0.0)]
    return min(fitting, key=lambda one: (one.cost.mean, one.value), default=None)


def diff_pools(before: Objects, after: Objects) -> str:
    """Write what changes of the NodePools, as a diff of their YAML."""
    lines: list[str] = []
    for old, new in zip(before, after, strict=True):
        if old != new:
            name = f"nodepool/{new['metadata']['name']}"
            lines += difflib.unified_diff(_yaml(old), _yaml(new), name, name, n=2)
    return "".join(lines)


def _yaml(one: Mapping[str, Any]) -> list[str]:
    text: str = yaml.safe_dump(dict(one), sort_keys=False)
    return text.splitlines(keepends=True)
