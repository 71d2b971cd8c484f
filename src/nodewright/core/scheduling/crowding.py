"""What neighbours and limits say no to, with their numbers: who is where, and how much is used."""

from collections.abc import Iterable
from typing import Final

from nodewright.core.scheduling.board import Board
from nodewright.core.scheduling.groups import possible_domains
from nodewright.core.scheduling.limits import NODES
from nodewright.core.scheduling.rules.affinity import affinity_domains
from nodewright.core.scheduling.rules.anti_affinity import free_domains
from nodewright.core.scheduling.rules.spread import emptiest_count, spread_domains
from nodewright.core.scheduling.selectors import Selector
from nodewright.core.scheduling.supply import Bits, Supply
from nodewright.core.scheduling.topology import Domain, Group, GroupKind
from nodewright.core.scheduling.wishes import Wish
from nodewright.model.cause import Cause
from nodewright.model.quantity import MILLI, parse_resources
from nodewright.model.reason import Reason
from nodewright.model.requirements import Requirement, Requirements
from nodewright.model.wording.amounts import show_amount

_SHOWN_MAX: Final = 4

type Reachable = tuple[Requirements, Bits]
"""What the labels of a new node would be, and the ways to buy that are left."""


def neighbour_cause(board: Board, supply: Supply, wish: Wish, reachable: Reachable) -> Cause:
    """Say which neighbour constraint leaves no domain that can be had."""
    groups = [*wish.owns, *wish.kept_away_by]
    for group in groups:
        domains = _domains(board, supply, group, reachable)
        if not _allowed(group, wish, domains):
            return _cause(group, wish, domains)
    if not groups:
        return Cause(Reason.FREED_LATE, "freed-late", supply.name, {"count": _planned(board)})
    # Each constraint has a domain of its own, but no domain suits all of them: name the first.
    return _cause(groups[0], wish, _domains(board, supply, groups[0], reachable))


def _planned(board: Board) -> int:
    return sum(draft.pod_count for draft in board.drafts) + sum(
        len(host.placed) for host in board.hosts
    )


def _domains(board: Board, supply: Supply, group: Group, reachable: Reachable) -> list[Domain]:
    labels, bits = reachable
    if group.is_hostname:
        return [len(board.drafts)]
    known = labels.get(group.key)
    if known is None and group.key not in supply.settings.well_known:
        return []
    return [
        domain
        for domain in possible_domains(labels, group, known)
        if bits & supply.meeting(Requirement(group.key, False, frozenset((str(domain),))))
    ]


def _allowed(group: Group, wish: Wish, domains: Iterable[Domain]) -> list[Domain]:
    itself = group in wish.counted_by
    match group.kind:
        case GroupKind.SPREAD:
            return spread_domains(group, domains, wish.reach(group.key), counts_itself=itself)
        case GroupKind.AFFINITY:
            allowed = wish.strict.get(group.key)
            return affinity_domains(group, domains, allowed, counts_itself=itself)
        case _:
            return free_domains(group, domains) if domains else [""]


def _cause(group: Group, wish: Wish, domains: list[Domain]) -> Cause:
    selector = show_selector(group.spec.selector)
    values: dict[str, str | int] = {
        "key": group.key,
        "selector": selector,
        "domains": len(domains),
        "total": group.total,
    }
    match group.kind:
        case GroupKind.SPREAD:
            if not domains:
                return Cause(Reason.SPREAD, "spread-unlabelled", group.key, values)
            most = group.spec.max_skew + emptiest_count(group, wish.reach(group.key))
            counts = [f"{domain} {group.count(domain)}" for domain in domains]
            more = len(counts) - _SHOWN_MAX
            values |= {
                "skew": group.spec.max_skew,
                "most": most,
                "counts": ", ".join(counts[:_SHOWN_MAX]) + (f" … (+{more})" if more > 0 else ""),
            }
            return Cause(Reason.SPREAD, "spread", group.key, values)
        case GroupKind.AFFINITY:
            kind = "affinity" if group.total else "affinity-none"
            return Cause(Reason.AFFINITY, kind, selector, values)
        case GroupKind.ANTI_AFFINITY:
            return Cause(Reason.ANTI_AFFINITY, "anti-affinity", selector, values)
        case _:
            return Cause(Reason.KEPT_AWAY, "kept-away", selector, values)


def limit_cause(board: Board, supply: Supply, bits: Bits) -> Cause:
    """Say which limit leaves no way to buy, and what the smallest node would add to it."""
    room = board.limits[supply].room
    written = parse_resources(supply.pool.spec.limits or {})
    if room.get(NODES, MILLI) < MILLI:
        used = {"limit": written[NODES] // MILLI, "used": (written[NODES] - room[NODES]) // MILLI}
        return Cause(Reason.LIMIT_REACHED, "limit-nodes", NODES, used)
    sized = [name for name in sorted(room) if name != NODES]
    name = next(
        (one for one in sized if not bits & supply.capacity(one).within(room[one])), sized[0]
    )
    smallest = min(
        supply.alive_types(bits), key=lambda one: supply.types[one].capacity.get(name, 0)
    )
    values: dict[str, str | int] = {
        "resource": name,
        "limit": show_amount(written[name], name),
        "used": show_amount(written[name] - room[name], name, up=True),
        "type": supply.types[smallest].name,
        "needs": show_amount(supply.types[smallest].capacity.get(name, 0), name, up=True),
    }
    return Cause(Reason.LIMIT_REACHED, "limit", name, values)


def show_selector(selector: Selector) -> str:
    """Write a label selector shortly."""
    if selector.nothing:
        return "(nothing)"
    parts = [f"{key}={value}" for key, value in sorted(selector.equals)]
    for key, operator, values in sorted(selector.expressions, key=lambda one: one[:2]):
        parts.append(f"{key} {operator} {', '.join(sorted(values))}".strip())
    return ",".join(parts) or "(any label)"
