"""A World made ready to search: pods as shapes, pools as supplies, nodes as hosts, groups counted.

A problem is made once per decision and holds nothing that changes while searching; `new_board`
gives a fresh board, so that several fillings of the same problem can be compared.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from nodewright.core.scheduling.board import Board
from nodewright.core.scheduling.daemons import Daemon, read_daemons
from nodewright.core.scheduling.defaults import DefaultSpread
from nodewright.core.scheduling.funnel import Catalog, find_unavailable
from nodewright.core.scheduling.groups import BoundPods, Groups, pool_domains
from nodewright.core.scheduling.hosts import Host, HostBuilder, Joined, copy_hosts, join
from nodewright.core.scheduling.limits import read_limits
from nodewright.core.scheduling.pools import Pools, read_pools
from nodewright.core.scheduling.reservations import Reservations
from nodewright.core.scheduling.rules.volumes import Storage
from nodewright.core.scheduling.selection import Candidate, Selection, select_pods
from nodewright.core.scheduling.wishes import (
    Ladder,
    NamespaceReader,
    Shape,
    WishMaker,
    WishSource,
)
from nodewright.model.metadata import Taint
from nodewright.model.node import Node
from nodewright.model.pod import Pod
from nodewright.model.world import World

AMOUNT_MAX: Final = 1 << 60
"""More than any machine has; larger amounts are cut to it, so that columns can hold them."""

_ENCODER: Final = msgspec.json.Encoder(order="deterministic")


class Problem:
    """Everything about a World that does not change while its pods are placed."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.storage = Storage(world)
        self.joined: Sequence[Joined] = join(world)
        self.daemons: tuple[Daemon, ...] = read_daemons(world.daemon_sets, world.pods)
        self.selection: Selection = select_pods(world, self.joined, self.storage)
        self.pools: Pools = read_pools(world, self.daemons)
        self.nodes: Mapping[str, Node] = {node.metadata.name: node for node in world.nodes}
        self.bound = BoundPods(self.selection.staying, self.nodes)
        self.namespaces = NamespaceReader(
            {one.metadata.name: one.metadata.labels for one in world.namespaces}
        )
        self.resources: tuple[str, ...] = tuple(
            sorted({name for one in self.selection.candidates for name in one.requests})
        )
        builder = HostBuilder(world, self.daemons, self.storage)
        self._hosts: list[Host] = builder.build(self.joined)
        self._with_volumes = [pod for pod in self.selection.staying if pod.spec.volumes]
        self._domains = pool_domains(self.pools.ranges)
        self._owned: dict[str, list[Joined]] = {}
        for one in self.joined:
            self._owned.setdefault(one.pool, []).append(one)
        self._kinds = _alike(self.selection.candidates, DefaultSpread(world))
        self._catalogs: dict[str, Catalog] = {}

    def new_board(self) -> tuple[Board, list[Shape]]:
        """Give an empty board and the shapes to put on it, in order of first appearance."""
        options = self.world.options
        hosts = copy_hosts(self._hosts)
        supplies = list(self.pools.supplies)
        groups = Groups(self._domains, hosts, self.bound, self.namespaces)
        reservations = Reservations(supplies, strict=options.reserved_offering_mode == "Strict")
        board = Board(supplies, hosts, groups, self.resources, reservations)
        board.relax_min_values = options.min_values_policy == "BestEffort"
        for supply in supplies:
            limits = read_limits(supply, self._owned.get(supply.name, ()))
            if limits is not None:
                board.limits[supply] = limits
        for pod in self._with_volumes:
            board.exclusive.update(self.storage.exclusive_claims(pod))
        maker = WishMaker(
            groups,
            respect=options.preference_policy == "Respect",
            soft_taints=_has_soft_taints(supplies_taints(self.pools), hosts),
        )
        return board, self._shapes(maker)

    def catalog(self, pool: str) -> Catalog:
        """Give what a pool's catalog holds, looked through once."""
        known = self._catalogs.get(pool)
        if known is None:
            types = self.world.instance_types.get(pool, ())
            known = self._catalogs[pool] = Catalog(len(types), find_unavailable(types))
        return known

    def _shapes(self, maker: WishMaker) -> list[Shape]:
        shapes: list[Shape] = []
        for source, sizes in self._kinds:
            ladder = Ladder(source, maker)
            for candidates in sizes:
                shape = Shape(len(shapes), ladder, candidates[0].requests)
                shape.amounts = tuple(
                    min(shape.requests.get(name, 0), AMOUNT_MAX) for name in self.resources
                )
                shape.pods = [one.pod for one in candidates]
                shapes.append(shape)
        return shapes


def supplies_taints(pools: Pools) -> Iterable[Taint]:
    """Give the taints of all usable pools."""
    return (taint for supply in pools.supplies for taint in supply.taints)


def _has_soft_taints(taints: Iterable[Taint], hosts: Iterable[Host]) -> bool:
    return any(taint.effect == "PreferNoSchedule" for taint in taints) or any(
        taint.effect == "PreferNoSchedule" for host in hosts for taint in host.taints
    )


type _Kinds = list[tuple[WishSource, list[list[Candidate]]]]


def _alike(candidates: Iterable[Candidate], defaults: DefaultSpread) -> _Kinds:
    """Group pods that ask for the same, and within those the ones of the same size."""
    kinds: dict[bytes, tuple[WishSource, dict[tuple[tuple[str, int], ...], list[Candidate]]]] = {}
    # Pods that share their spec and labels as objects need not be looked into one by one.
    shared: dict[tuple[int, int, str, str, int], list[Candidate]] = {}
    for one in candidates:
        metadata = one.pod.metadata
        owners = metadata.owner_references
        owner = owners[0].name if owners and defaults.are_set else ""
        alike = (id(one.pod.spec), id(metadata.labels), metadata.namespace, owner, id(one.needs))
        known = shared.get(alike)
        if known is None:
            known = shared[alike] = _same_size(kinds, one, defaults)
        known.append(one)
    return [(source, list(sizes.values())) for source, sizes in kinds.values()]


def _same_size(
    kinds: dict[bytes, tuple[WishSource, dict[tuple[tuple[str, int], ...], list[Candidate]]]],
    one: Candidate,
    defaults: DefaultSpread,
) -> list[Candidate]:
    spec = defaults.spec_of(one.pod)
    namespace = one.pod.metadata.namespace or "default"
    labels = one.pod.metadata.labels
    key = _ENCODER.encode(
        (
            namespace,
            labels,
            spec.node_selector,
            spec.affinity,
            spec.tolerations,
            spec.topology_spread_constraints,
            _ports(one.pod),
            _volumes(one),
        )
    )
    if key not in kinds:
        kinds[key] = (WishSource(namespace, labels, spec, one.needs), {})
    return kinds[key][1].setdefault(tuple(sorted(one.requests.items())), [])


def _ports(pod: Pod) -> list[tuple[str, str, int]]:
    return [
        (port.host_ip, port.protocol, port.host_port)
        for container in pod.spec.containers
        for port in container.ports
        if port.host_port
    ]


def _volumes(one: Candidate) -> object:
    needs = one.needs
    if not (needs.alternatives or needs.attachments or needs.exclusive):
        return None
    return (
        [requirements.expressions() for requirements in needs.alternatives],
        sorted(needs.attachments),
        sorted(needs.exclusive),
    )
