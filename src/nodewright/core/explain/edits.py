"""Which changes could undo a refusal: for every kind of cause, on the pod and on the pool."""

from collections.abc import Iterator

import msgspec

from nodewright.core.explain import pod_edits, pool_edits
from nodewright.core.explain.patch import Edit
from nodewright.core.scheduling.board import Board
from nodewright.core.scheduling.verdicts import PoolAnswer
from nodewright.core.scheduling.wishes import Shape, Wish, required_terms
from nodewright.model.cause import Cause
from nodewright.model.nodepool import NodePool
from nodewright.model.pod import Pod
from nodewright.model.reason import Reason
from nodewright.model.requirements import Requirements
from nodewright.model.world import World


class Refused(msgspec.Struct, frozen=True):
    """A pod in the form that was tried, and what one pool said to it."""

    pod: Pod
    shape: Shape
    answer: PoolAnswer
    waiting: int = 0
    """How many other pods found no place either, and may take what a change makes room for."""


def on_pod(refused: Refused) -> Iterator[Edit]:
    """Give changes to the pod that could undo a pool's refusal, likeliest first."""
    pod, answer = refused.pod, refused.answer
    cause, wish, walk = answer.cause, answer.wish, answer.walk
    if wish is None or walk is None:
        return
    match cause.kind:
        case "taint":
            yield from _some(pod_edits.tolerate(pod, walk.supply.taints))
        case "contradiction" | "label-undefined" | "label-clash" | "no-type-label":
            if meant := _meant(cause):
                yield from pod_edits.rename_label(pod, cause.subject, meant)
            yield from _drop(pod, wish, cause.subject)
        case "volume-zone" | "volume-no-type":
            for label in {key: None for one in wish.alternatives for key in one}:
                yield from _drop(pod, wish, label)
            yield from pod_edits.drop_volumes(pod)
        case "resource-short" | "resource-beside" | "resource-unknown" | "sold-out":
            has = walk.miss.has if walk.miss is not None else 0
            name = walk.miss.resource if walk.miss is not None else cause.subject
            yield from _some(pod_edits.ask_less(pod, name, has))
            yield from pod_edits.drop_every_label(pod)
        case "port-daemon":
            yield from pod_edits.drop_ports(pod)
        case (
            "spread" | "spread-unlabelled" | "affinity" | "affinity-none" | "anti-affinity"
            | "kept-away"
        ):  # fmt: skip
            yield from _on_neighbours(pod, cause, wish)
            yield from pod_edits.drop_every_label(pod)
        case "labels-together" | "reservation-full" | "min-values":
            yield from pod_edits.drop_every_label(pod)
        case _:
            return


def _on_neighbours(pod: Pod, cause: Cause, wish: Wish) -> Iterator[Edit]:
    key = str(cause.values["key"])
    match cause.kind:
        case "affinity" | "affinity-none":
            yield from pod_edits.soften_neighbours(pod, "podAffinity", key)
        case "anti-affinity":
            yield from pod_edits.soften_neighbours(pod, "podAntiAffinity", key)
        case "kept-away":
            yield from pod_edits.relabel(pod, cause.subject)
        case _:
            own = pod.spec.topology_spread_constraints or wish.spec.topology_spread_constraints
            yield from pod_edits.soften_spread(pod, key, own)


def on_invalid_pod(pod: Pod, code: str) -> Iterator[Edit]:
    """Give changes that could make a pod readable."""
    match code:
        case Reason.UNREADABLE_POD.code:
            yield from pod_edits.write_requests(pod)
            yield from pod_edits.drop_bad_requests(pod)
        case Reason.VOLUME_CLAIM_BROKEN.code | Reason.VOLUME_IN_USE.code:
            yield from pod_edits.drop_volumes(pod)
        case Reason.DEVICE_CLAIM.code:
            yield from pod_edits.drop_devices(pod)
        case _:
            yield from pod_edits.drop_every_label(pod)


def on_pool(world: World, board: Board, refused: Refused) -> Iterator[Edit]:
    """Give changes to a pool that could undo its refusal, likeliest first."""
    answer = refused.answer
    cause, walk = answer.cause, answer.walk
    pool = _pool(world, answer.name)
    wanted = answer.wish.requirements if answer.wish is not None else Requirements()
    types = world.instance_types.get(answer.name, ())
    requests = refused.shape.requests
    match cause.kind:
        case "label-clash":
            yield from pool_edits.allow(pool, wanted[cause.subject])
            yield from pool_edits.loosen(pool, types, wanted, requests)
        case "label-undefined":
            known = world.options.well_known_labels
            yield from pool_edits.define(pool, wanted[cause.subject], known)
        case "volume-zone":
            for one in answer.wish.alternatives if answer.wish is not None else ():
                for requirement in one.values():
                    yield from pool_edits.allow(pool, requirement)
        case "min-values" | "pool-few":
            have = int(cause.values["have"])
            yield from pool_edits.lower_min_values(pool, cause.subject, have)
        case "limit" | "limit-nodes":
            assert walk is not None
            yield from pool_edits.raise_limits(board, walk.supply, walk.bits, refused.waiting)
        case "taint" | "contradiction" | "pool-not-ready" | "freed-late" | "reservation-held":
            return
        case _:
            if cause.kind == "pool-empty" and (meant := _meant(cause)):
                yield from pool_edits.rename(pool, cause.subject, meant)
            yield from pool_edits.loosen(pool, types, wanted, requests)


def _meant(cause: Cause) -> str:
    """Give the key of the label that was probably meant, if somebody guessed one."""
    return str(cause.values.get("meant", "")).partition(" ")[0]


def _pool(world: World, name: str) -> NodePool:
    return next(pool for pool in world.node_pools if pool.metadata.name == name)


def _drop(pod: Pod, wish: Wish, key: str) -> Iterator[Edit]:
    terms = required_terms(wish.spec)
    yield from _some(pod_edits.drop_label(pod, key, terms[0] if terms else None))


def _some(edit: Edit | None) -> Iterator[Edit]:
    if edit is not None:
        yield edit
