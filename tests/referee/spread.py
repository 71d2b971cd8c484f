"""Topology spread that must hold.

The scheduler checks a spread when a pod comes, so a plan is right if its pods can come in some
order. The judge plays that order: whoever may come now comes, the emptiest domain first; when
nobody may, a pod that is counted but not bound by the constraint is let into the emptiest domain,
which can only help. Playing greedily is safe here: a pod in the emptiest domain is always allowed,
and letting one in never lowers the emptiest count.
"""

from collections.abc import Iterator

import msgspec

from nodewright.model.labels import HOSTNAME, normalize_key
from nodewright.model.metadata import NodeSelectorTerm
from nodewright.model.nodepool import NodePool
from nodewright.model.pod import Pod, TopologySpreadConstraint
from nodewright.model.requirements import Requirement
from referee.amounts import untolerated
from referee.board import Board
from referee.labels import normalized, values_of
from referee.neighbours import (
    Crowd,
    Pick,
    alternatives,
    kept_terms,
    may_use,
    passes,
    pick_of_spread,
    sole_domain,
)
from referee.places import Place, pool_requirements
from referee.verdict import Violation


class _Group(msgspec.Struct, frozen=True, eq=False):
    """Pods under the same constraint, which see the same domains and the same nodes."""

    pick: Pick
    constraint: TopologySpreadConstraint
    members: list[tuple[Pod, Place]]


class _Table(msgspec.Struct, eq=False):
    """The state of one domain while the order is played."""

    count: int = 0
    counted: int = 0
    uncounted: int = 0
    free: int = 0


def judge_spread(board: Board, crowd: Crowd) -> Iterator[Violation]:
    """Spreads that are broken in every order, and nodes that leave a domain open."""
    for group in _groups(crowd):
        open_places = False
        for pod, place in group.members:
            if sole_domain(place, group.pick.key) is None:
                open_places = True
                yield Violation(
                    "spread", pod.key, f"{place.name} is not in one domain of {group.pick.key}"
                )
        if not open_places:
            yield from _judge_group(group, board, crowd)


def _groups(crowd: Crowd) -> list[_Group]:
    groups: dict[bytes, _Group] = {}
    for pod, place in crowd.placed:
        for constraint in pod.spec.topology_spread_constraints:
            if constraint.when_unsatisfiable != "DoNotSchedule":
                continue
            pick = pick_of_spread(constraint, pod)
            sight = [
                pick,
                constraint,
                pod.spec.node_selector,
                kept_terms(pod, place),
                pod.spec.affinity.node_affinity if pod.spec.affinity else None,
                pod.spec.tolerations if _heeds_taints(constraint) else (),
            ]
            key = msgspec.json.encode(sight, order="deterministic")
            groups.setdefault(key, _Group(pick, constraint, [])).members.append((pod, place))
    return list(groups.values())


def _heeds_taints(constraint: TopologySpreadConstraint) -> bool:
    return constraint.node_taints_policy == "Honor"


def _judge_group(group: _Group, board: Board, crowd: Crowd) -> list[Violation]:
    """Play the order; a pod may stick to any one of its alternatives and see what that allows."""
    found: list[Violation] = []
    for terms in alternatives(*group.members[0]):
        tables = _set_tables(group, board, crowd, terms)
        found = _play(group, tables)
        if not found:
            break
    return found


def _play(group: _Group, tables: dict[str, _Table]) -> list[Violation]:
    skew = group.constraint.max_skew
    is_fixed = group.pick.key == HOSTNAME or len(tables) < (group.constraint.min_domains or 0)
    while any(table.counted or table.uncounted for table in tables.values()):
        least = min(table.count for table in tables.values())
        floor = 0 if is_fixed else least
        if _let_in(tables, floor, skew):
            continue
        if is_fixed or not _let_free_in(tables, least):
            return list(_name_stuck(group, tables, floor))
    return []


def _let_in(tables: dict[str, _Table], floor: int, skew: int) -> bool:
    for table in sorted(tables.values(), key=lambda one: one.count):
        if table.uncounted and table.count - floor <= skew:
            table.uncounted = 0
            return True
        if table.counted and table.count + 1 - floor <= skew:
            table.counted -= 1
            table.count += 1
            return True
    return False


def _let_free_in(tables: dict[str, _Table], least: int) -> bool:
    for table in tables.values():
        if table.count == least and table.free:
            table.free -= 1
            table.count += 1
            return True
    return False


def _name_stuck(group: _Group, tables: dict[str, _Table], floor: int) -> Iterator[Violation]:
    for domain, table in sorted(tables.items()):
        if table.counted or table.uncounted:
            one = next(
                pod for pod, place in group.members if sole_domain(place, group.pick.key) == domain
            )
            yield Violation(
                "spread",
                one.key,
                f"{group.pick.key}={domain} would hold {table.count + table.counted}, the least is "
                f"{floor}, skew {group.constraint.max_skew}",
            )


def _set_tables(
    group: _Group, board: Board, crowd: Crowd, terms: tuple[NodeSelectorTerm, ...]
) -> dict[str, _Table]:
    key = group.pick.key
    first = group.members[0][0]
    tables = {
        domain: _Table() for domain in _domains(group, board) if may_use(first, terms, key, domain)
    }
    for pod, place in group.members:
        table = tables.setdefault(str(sole_domain(place, key)), _Table())
        if crowd.is_picked(group.pick, pod):
            table.counted += 1
        else:
            table.uncounted += 1
    members = {id(pod) for pod, _ in group.members}
    for pod, place in crowd.bound:
        if crowd.is_picked(group.pick, pod) and _is_seen(group, place):
            _add(tables, place, key, bound=True)
    for pod, place in crowd.placed:
        if id(pod) not in members and crowd.is_picked(group.pick, pod) and _is_seen(group, place):
            _add(tables, place, key, bound=False)
    return tables


def _add(tables: dict[str, _Table], place: Place, key: str, *, bound: bool) -> None:
    table = tables.get(sole_domain(place, key) or "")
    if table is not None and bound:
        table.count += 1
    elif table is not None:
        table.free += 1


def _is_seen(group: _Group, place: Place) -> bool:
    """Whether the constraint counts pods on this node at all."""
    pod = group.members[0][0]
    if _heeds_taints(group.constraint) and untolerated(pod, place.taints):
        return False
    return group.constraint.node_affinity_policy == "Ignore" or passes(pod, place)


def _domains(group: _Group, board: Board) -> set[str]:
    """Every domain that pods of this group could be spread over, empty ones too."""
    key = group.pick.key
    pod = group.members[0][0]
    found: set[str] = set()
    for place in board.old:
        domain = sole_domain(place, key)
        is_node = place.node is not None and not place.is_leaving
        if domain is not None and is_node and _is_seen(group, place):
            found.add(domain)
    if key == HOSTNAME:
        return found
    for pool in board.world.node_pools:
        refused = any(
            one.type == "Ready" and one.status == "False" for one in pool.status.conditions
        )
        usable = pool.spec.replicas is None and not (refused or pool.metadata.deletion_timestamp)
        taints = pool.spec.template.spec.taints
        if usable and not (_heeds_taints(group.constraint) and untolerated(pod, taints)):
            found |= pool_domains(pool, key, board)
    return found


def pool_domains(pool: NodePool, key: str, board: Board) -> set[str]:
    """The values of a label that nodes of a pool can have, where they are listed."""
    given = normalized(pool.spec.template.metadata.labels).get(key)
    if given is not None:
        return {given}
    demands = pool_requirements(pool)
    own = [demands[key]] if key in demands else []
    found: set[str] = set()
    if own and not own[0].complement:
        found |= {str(value) for value in own[0].values}
    for kind in board.world.instance_types.get(pool.metadata.name, ()):
        offered: Requirement | None = kind.requirements.get(normalize_key(key))
        if offered is not None and not offered.complement and offered.values:
            found |= set(values_of([offered, *own]))
    return found
