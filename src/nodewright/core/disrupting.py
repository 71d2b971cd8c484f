"""Disrupting: what is done about the nodes that could go.

Drift begins at once. What only saves money is looked at twice: a node must have been proposed for a
while before it goes, and what happens then is decided on the cluster as it is then, so that a pod that
came or a budget that closed meanwhile has its say. Why the others stay is told on them, once in a while.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from nodewright.core.disrupting_words import (
    ON_NODE,
    ON_POOL,
    describe_command,
    tell_approved,
    tell_candidate,
    tell_kept,
    tell_pool,
    tell_rejected,
)
from nodewright.core.disruption.decide import decide
from nodewright.core.disruption.policies import read_policies
from nodewright.core.disruption.recall import cut_out, freshen
from nodewright.core.provisioning import draft_claim
from nodewright.core.static import draft_static
from nodewright.model.command import REPLACES, Record
from nodewright.model.decision import Change, Decision, Disrupt, Keep, Tell, digest, rest_on
from nodewright.model.disruption import (
    EMPTY,
    Command,
    Decided,
    Kept,
    Leaving,
    Memory,
    Method,
    Settings,
)
from nodewright.model.keeping import Keeping
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepool import NodePool
from nodewright.model.older import origin_of
from nodewright.model.remembered import MEMORY, read_remembered
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, NODES, Ref, refer
from nodewright.model.wording.keeping import kept_sentence
from nodewright.model.world import World

VALIDATION_MS: Final = 15_000
"""How long a move that saves money must have looked right before it is made."""

PROPOSED: Final = "Proposed"
REMEMBERED: Final = "Remembered"
_HELD_MS: Final = 60_000
_AT_ONCE: Final = (Method.DRIFT, Method.STATIC_DRIFT)


def disrupt(world: World) -> list[Decision]:
    """Give the commands that begin now, those that are proposed, and why other nodes stay."""
    return disrupt_and_tell(world)[0]


def disrupt_and_tell(
    world: World, judge: Callable[[World, int, Settings, Memory], Decided] = decide
) -> tuple[list[Decision], int | None]:
    """Give the same, and when the answer may change by itself; another judge may decide who goes."""
    beside = world.beside
    settings = Settings(repair_rules=beside.repair_rules)
    decided = judge(world, world.now_ms, settings, beside.disruption)
    acts = _Acts(world, beside.disruption.proposed)
    return list(acts.of(decided)), decided.look_again_ms


class _Acts:
    """What is done about an answer."""

    def __init__(self, world: World, proposed: Mapping[str, int]) -> None:
        self._world = world
        self._proposed = proposed
        self._nodes = {node.metadata.name: node for node in world.nodes}
        self._claims = {claim.metadata.name: claim for claim in world.node_claims}
        self._pools = {pool.metadata.name: pool for pool in world.node_pools}
        self._owners = {
            claim.status.provider_id: claim
            for claim in world.node_claims
            if claim.status.provider_id
        }

    def of(self, decided: Decided) -> Iterator[Decision]:
        """Give all of it, commands first."""
        for command in decided.commands:
            ripe = [one for one in command.nodes if self._is_ripe(one, command)]
            if command.reason == EMPTY and ripe:
                yield self._begin(replace(command, nodes=tuple(ripe)))
            elif ripe and len(ripe) == len(command.nodes):
                yield self._begin(command)
                yield from self._praise(command)
                continue
            left = [one for one in command.nodes if command.reason != EMPTY or one not in ripe]
            for leaving in left:
                yield self._propose(leaving.node, command.reason)
                if command.replacements:
                    yield from tell_candidate(command, self._subjects(leaving.node))
        for name, one in decided.kept.items():
            # It would go but for the budget: once that has room, it has been looked at often enough.
            if one.reason is Keeping.BUDGET_SPENT and one.values.get("reason") == EMPTY:
                yield replace(self._propose(name, EMPTY), look_again_ms=_HELD_MS)
        yield from self._explain(decided.kept)
        yield from self._remember()

    def _is_ripe(self, one: Leaving, command: Command) -> bool:
        if command.method in _AT_ONCE:
            return True
        since_ms = self._proposed.get(one.node)
        return since_ms is not None and self._world.now_ms - since_ms >= VALIDATION_MS

    def _propose(self, name: str, reason: str) -> Keep:
        node = self._nodes[name]
        since_ms = self._proposed.get(name, self._world.now_ms)
        left_ms = max(1, since_ms + VALIDATION_MS - self._world.now_ms)
        return Keep(
            subject=refer(NODES, node),
            reason=PROPOSED,
            note=f"{reason}: the node will go unless something changes",
            basis=rest_on((NODES, node)),
            look_again_ms=left_ms,
        )

    def _begin(self, command: Command) -> Disrupt:
        claims = [self._claims[one.claim] for one in command.nodes]
        uids = sorted(claim.metadata.uid for claim in claims)
        name = f"D-{digest('Disrupt', str(self._world.now_ms), *uids)}"
        made = tuple(self._replacements(command, name))
        record = Record(
            id=name,
            reason=command.reason,
            method=command.method,
            started_ms=self._world.now_ms,
            replacements=tuple(one.metadata.name for one in made),
        )
        return Disrupt(
            subject=refer(NODE_CLAIMS, claims[0]),
            reason=command.reason,
            note=describe_command(command),
            basis=self._basis(command.nodes, claims),
            record=record,
            leaving=command.nodes,
            claims=made,
            targets=tuple(sorted({one for one in command.moves.values() if isinstance(one, str)})),
            types=tuple(one.offering.instance_type for one in command.replacements),
            scores=command.scores,
        )

    def _basis(
        self, leaving: Iterable[Leaving], claims: Iterable[NodeClaim]
    ) -> tuple[tuple[str, str], ...]:
        nodes: list[Node] = [self._nodes[one.node] for one in leaving]
        return rest_on(
            *((NODE_CLAIMS, claim) for claim in claims), *((NODES, node) for node in nodes)
        )

    def _replacements(self, command: Command, name: str) -> Iterator[NodeClaim]:
        for index, planned in enumerate(command.replacements):
            pool: NodePool = self._pools[planned.node_pool]
            key = f"{name}/{index}"
            if command.method is Method.STATIC_DRIFT:
                claim = draft_static(pool, key)
            else:
                claim = draft_claim(planned, pool, key, self._world.instance_types)
            annotations = {**claim.metadata.annotations, REPLACES: name}
            yield replace(claim, metadata=replace(claim.metadata, annotations=annotations))

    def _remember(self) -> Iterator[Change]:
        """Give what is to be written on pools of what has changed since: waves that settled or failed."""
        world = self._world
        policies = read_policies(world.node_pools, world.node_policies)
        for name, pool in self._pools.items():
            if origin_of(pool) is not None:
                continue
            policy = policies[name]
            known = freshen(read_remembered(pool), policy, world.now_ms)
            wanted = cut_out(world.beside.disruption, name, policy, world.now_ms)
            if wanted != known:
                yield Change(
                    subject=refer(NODE_POOLS, pool),
                    reason=REMEMBERED,
                    basis=rest_on((NODE_POOLS, pool)),
                    change={"metadata": {"annotations": {MEMORY: wanted.write()}}},
                    if_version=pool.metadata.resource_version,
                )

    def _explain(self, kept: Mapping[str, Kept]) -> Iterator[Tell]:
        """Tell why nodes stay, where somebody could do something about it."""
        told: set[tuple[str, str]] = set()
        for name, one in kept.items():
            if name in self._proposed and one.reason is not Keeping.BUDGET_SPENT:
                yield from tell_rejected(one, self._subjects(name))
            if one.reason in ON_NODE:
                yield from tell_kept(one, self._subjects(name))
            pool = self._pools.get(str(one.values.get("pool", "")))
            if one.reason in ON_POOL and pool is not None:
                about = (pool.metadata.name, kept_sentence(one))
                if about not in told:
                    told.add(about)
                    yield tell_pool(one, pool)

    def _subjects(self, name: str) -> Iterator[Ref]:
        """Give a node and its claim, as far as they are there."""
        node = self._nodes.get(name)
        if node is not None:
            yield refer(NODES, node)
            owner = self._owners.get(node.spec.provider_id)
            if owner is not None:
                yield refer(NODE_CLAIMS, owner)

    def _praise(self, command: Command) -> Iterator[Tell]:
        """Tell what Balanced pools think of a move: on the node, or for many on the pool."""
        for score in command.scores:
            if command.method is Method.SINGLE:
                yield from tell_approved(score, self._subjects(command.nodes[0].node))
            else:
                yield from tell_approved(score, (refer(NODE_POOLS, self._pools[score.node_pool]),))
