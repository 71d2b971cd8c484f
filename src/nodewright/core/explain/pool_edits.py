"""Changes to a NodePool that could undo its refusal, each as a patch of its spec."""

from collections.abc import Iterator, Sequence

from nodewright.core.explain.patch import Edit, add, remove
from nodewright.core.scheduling.board import Board
from nodewright.core.scheduling.limits import NODES
from nodewright.core.scheduling.supply import Bits, Supply
from nodewright.model.instance import InstanceType
from nodewright.model.labels import is_restricted, normalize_key
from nodewright.model.nodepool import NodePool
from nodewright.model.quantity import MILLI, Milli, Resources, parse_resources, print_quantity
from nodewright.model.requirements import (
    BadRequirement,
    Requirement,
    Requirements,
    read_requirement,
)
from nodewright.model.wording.amounts import round_up

_REQUIREMENTS = ("spec", "template", "spec", "requirements")
TINY, SMALL, FAIR = 1, 3, 5


def target_of(pool: NodePool) -> str:
    """Name a pool as commands do."""
    return f"nodepool/{pool.metadata.name}"


def allow(pool: NodePool, wanted: Requirement) -> Iterator[Edit]:
    """Allow a value that a pod needs, where the pool lists values of that label."""
    if wanted.complement or not wanted.values:
        return
    value = min(wanted.values)
    for index, one in enumerate(pool.spec.template.spec.requirements):
        if normalize_key(one.key) == wanted.key and one.operator == "In":
            ops = (add(value, *_REQUIREMENTS, index, "values", "-"),)
            values = {"pool": pool.metadata.name, "want": f"{wanted.key} {value}"}
            yield Edit("pool-allow", values, target_of(pool), ops, SMALL)


def rename(pool: NodePool, key: str, new: str) -> Iterator[Edit]:
    """Ask for the label that was probably meant."""
    ops = tuple(
        add(new, *_REQUIREMENTS, index, "key")
        for index, one in enumerate(pool.spec.template.spec.requirements)
        if normalize_key(one.key) == key
    )
    if ops:
        values = {"pool": pool.metadata.name, "key": key, "new": new}
        yield Edit("pool-rename", values, target_of(pool), ops, TINY)


def define(pool: NodePool, wanted: Requirement, well_known: frozenset[str]) -> Iterator[Edit]:
    """Define a label that a pod needs and that nothing defines."""
    if is_restricted(wanted.key, well_known) or wanted.low is not None or wanted.high is not None:
        return
    value = min(wanted.values) if wanted.values and not wanted.complement else "true"
    if not wanted.has(value):
        return
    metadata = pool.spec.template.metadata
    if metadata.labels:
        op = add(value, "spec", "template", "metadata", "labels", wanted.key)
    elif metadata.annotations:
        op = add({wanted.key: value}, "spec", "template", "metadata", "labels")
    else:
        op = add({"labels": {wanted.key: value}}, "spec", "template", "metadata")
    values = {"pool": pool.metadata.name, "label": f"{wanted.key}={value}"}
    yield Edit("pool-label", values, target_of(pool), (op,), SMALL)


def loosen(
    pool: NodePool, types: Sequence[InstanceType], wanted: Requirements, requests: Resources
) -> Iterator[Edit]:
    """Take out one requirement, where types that would then do exist and can be had."""
    written = pool.spec.template.spec.requirements
    for index, one in enumerate(written):
        try:
            taken = read_requirement(one)
            rest = Requirements.from_expressions((*written[:index], *written[index + 1 :]))
        except BadRequirement:
            continue
        if not _can_be_had(types, rest.with_all(wanted.values()), requests):
            continue
        values = {"pool": pool.metadata.name, "want": str(taken)}
        ops = (remove(*_REQUIREMENTS, index),)
        yield Edit("pool-drop", values, target_of(pool), ops, FAIR)


def _can_be_had(types: Sequence[InstanceType], wanted: Requirements, requests: Resources) -> bool:
    return any(
        one.requirements.conflict(wanted) is None
        and all(amount <= one.allocatable.get(name, 0) for name, amount in requests.items())
        and any(
            offering.available and offering.requirements.conflict(wanted) is None
            for offering in one.offerings
        )
        for one in types
    )


def lower_min_values(pool: NodePool, key: str, have: int) -> Iterator[Edit]:
    """Ask for no more choice than there is."""
    for index, one in enumerate(pool.spec.template.spec.requirements):
        if normalize_key(one.key) != key or one.min_values is None or one.min_values <= have:
            continue
        path = (*_REQUIREMENTS, index, "minValues")
        op = add(have, *path) if have > 0 else remove(*path)
        values: dict[str, str | int] = {
            "pool": pool.metadata.name,
            "key": key,
            "old": one.min_values,
            "new": have,
        }
        yield Edit("min-values", values, target_of(pool), (op,), TINY)


def raise_limits(board: Board, supply: Supply, bits: Bits, waiting: int) -> Iterator[Edit]:
    """Raise the limits by one node, and by as many as there are pods that wait."""
    for nodes in dict.fromkeys((1, waiting + 1)):
        yield from _raise_limits(board, supply, bits, nodes)


def _raise_limits(board: Board, supply: Supply, bits: Bits, nodes: int) -> Iterator[Edit]:
    pool = supply.pool
    limits = board.limits[supply]
    written = parse_resources(pool.spec.limits or {})
    if not bits:
        return
    if board.min_values[supply]:
        # Enough choice must remain, so the limit is charged with the largest of them.
        added: Resources = {
            name: supply.capacity(name).largest(bits) for name in written if name != NODES
        }
    else:
        added = min(
            (supply.types[index].capacity for index in supply.alive_types(bits)),
            key=lambda one: sorted(_missing(limits.room, one).items()),
        )
    whole = {name: amount * nodes for name, amount in {**added, NODES: MILLI}.items()}
    wanted = {name: written[name] + short for name, short in _missing(limits.room, whole).items()}
    ops = tuple(
        add(print_quantity(round_up(amount, name), name), "spec", "limits", name)
        for name, amount in sorted(wanted.items())
    )
    if not ops:
        return
    values: dict[str, str | int] = {
        "pool": pool.metadata.name,
        "resource": ", ".join(sorted(wanted)),
        "old": ", ".join(print_quantity(written[name], name) for name in sorted(wanted)),
        "new": ", ".join(
            print_quantity(round_up(wanted[name], name), name) for name in sorted(wanted)
        ),
    }
    yield Edit("limit", values, target_of(pool), ops, TINY if nodes == 1 else SMALL)


def _missing(room: Resources, added: Resources) -> dict[str, Milli]:
    return {
        name: added.get(name, 0) - left for name, left in room.items() if added.get(name, 0) > left
    }
