"""Empties a node by evictions, so that budgets for disruptions hold, and waits until its pods are gone.

A pod that nobody would make anew is not evicted: the move stops and names it. Pods of daemons stay, as they
go with their node.
"""

from collections.abc import Callable
from typing import Final

from nodewright.install.cluster import Objects
from nodewright.install.found import Json
from nodewright.model.errors import UserError
from nodewright.ports.clock import Clock

HELD: Final = "NW-9720"
LIMIT_MS: Final = 1_800_000
POLL_MS: Final = 1_000
_MIRROR: Final = "kubernetes.io/config.mirror"
_OVER: Final = ("Succeeded", "Failed")


async def drain(objects: Objects, clock: Clock, node: str, tell: Callable[[str], None]) -> None:
    """Evict the pods of a node until none is left; who holds it up is told, and named in the end."""
    end_ms = clock.now_ms() + LIMIT_MS
    while pods := await _pods_of(objects, node):
        for pod in pods:
            if not _has_owner(pod):
                raise _held(node, pod, "has no owner that would make it anew", "move or delete it")
        held = [one for one in pods if not await _evict(objects, one)]
        tell(
            f"{_count(len(pods))} of {node} to go"
            + (f"; {_title(held[0])} is held" if held else "")
        )
        if clock.now_ms() >= end_ms:
            why = f"is not gone after {LIMIT_MS // 60_000} min"
            raise _held(node, (held or pods)[0], why, "`kubectl get pdb -A` shows what holds it")
        await clock.sleep_ms(POLL_MS)


async def _pods_of(objects: Objects, node: str) -> list[Json]:
    listed = await objects.list(f"/api/v1/pods?fieldSelector=spec.nodeName%3D{node}")
    return [one for one in listed if one["spec"].get("nodeName") == node and _must_go(one)]


def _must_go(pod: Json) -> bool:
    notes = pod["metadata"].get("annotations") or {}
    owners = [one.get("kind") for one in pod["metadata"].get("ownerReferences") or ()]
    phase = (pod.get("status") or {}).get("phase")
    return _MIRROR not in notes and "DaemonSet" not in owners and phase not in _OVER


def _has_owner(pod: Json) -> bool:
    return bool(pod["metadata"].get("ownerReferences")) or _is_going(pod)


def _is_going(pod: Json) -> bool:
    return bool(pod["metadata"].get("deletionTimestamp"))


async def _evict(objects: Objects, pod: Json) -> bool:
    meta = pod["metadata"]
    return _is_going(pod) or await objects.evict(meta["namespace"], meta["name"])


def _count(pods: int) -> str:
    return f"{pods} pod{'s' if pods != 1 else ''}"


def _title(pod: Json) -> str:
    return f"pod/{pod['metadata']['namespace']}/{pod['metadata']['name']}"


def _held(node: str, pod: Json, why: str, what: str) -> UserError:
    return UserError(
        f"{_title(pod)} on {node} {why}", code=HELD, advice=f"{what}, then repeat the command"
    )
