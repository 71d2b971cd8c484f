"""Disruption: nodes that are empty, drifted or not worth their price are asked to go.

Theory: docs/why/disruption.md. Here commands are only begun: the record of each is written on the claims
that go, and what replaces them is made. Whatever comes after that, in this life or the next, is found on
the cluster by the orchestration.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from nodewright.controllers.acting import perform, tell
from nodewright.controllers.loop import Controller, Pace, is_heartbeat
from nodewright.controllers.onsale import OnSale, ask_for_types
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.controllers.remembering import recall, save
from nodewright.core.chronicle import enter_wave, note_begun
from nodewright.core.disrupting import PROPOSED, disrupt_and_tell
from nodewright.core.disruption.loads import workload_of
from nodewright.core.disruption.policies import read_policies
from nodewright.core.disruption.waves import tend_waves
from nodewright.core.lifecycle_conditions import INITIALIZED, is_true
from nodewright.core.lifecycle_podevents import node_of_event
from nodewright.core.orchestration import running_of
from nodewright.core.scheduling.hosts import join
from nodewright.model import labels as names
from nodewright.model.beside import Beside
from nodewright.model.command import COMMAND
from nodewright.model.decision import Change as Write
from nodewright.model.decision import Decision, Disrupt, Keep, Launch, Tell
from nodewright.model.disruption import Leaving, Running
from nodewright.model.hashing import hash_nodepool
from nodewright.model.keeping import Keeping
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepolicy import NodePolicy
from nodewright.model.nodepool import NodePool
from nodewright.model.pod import Pod
from nodewright.model.remembered import MEMORY
from nodewright.model.resource import (
    CAPACITY_BUFFERS,
    DISRUPTION_BUDGETS,
    NODE_CLAIMS,
    NODE_POLICIES,
    NODE_POOLS,
    NODES,
    PODS,
    Ref,
    refer,
)
from nodewright.model.world import World
from nodewright.ports.kube import Answer, Options, Outcome
from nodewright.state.live import find_pools, take_snapshot
from nodewright.state.mirror import Change

_PASS_MS: Final = 10_000
_PASS_MS_MAX: Final = 60_000
_GATHER_MS: Final = 10_000
_RETRY_MS: Final = 1_000
_ASK_MS: Final = 300_000
_ANYWAY_MS: Final = 3_600_000
_UNSEEN_MS: Final = 60_000
_HELD_MS: Final = 60_000
_TOLD: Final = Answer(Outcome.DONE)
_LAST: Final = (Keeping.LAST_REPLICAS.code,)
_FOR_READERS: Final = ("Consolidatable", "ConsistentStateFound")


class Disruption(Controller):
    """Begins commands, as many at a time as budgets allow.

    Where nothing has changed and no time has come, nothing is asked: the answer would be the same. Prices
    change without a word, so what is on sale is asked for now and then, and compared.
    """

    name = "disruption"
    wakes_on = (
        PODS, NODES, NODE_CLAIMS, NODE_POOLS, NODE_POLICIES, DISRUPTION_BUDGETS, CAPACITY_BUFFERS,
    )  # fmt: skip
    # A look costs some 50 us for each object, and shall not take more than a twentieth of a core.
    pace = Pace(_PASS_MS, _PASS_MS, objects_per_ms=1, longest_ms=_PASS_MS_MAX)
    is_heavy = True

    def __init__(self, ports: Ports, memory: Memory, settings: Settings) -> None:
        super().__init__(ports, memory, settings)
        self._types: OnSale = {}
        self._proposed: dict[str, int] = {}
        self._has_news = True
        # Whoever has just started lets those go first who act on what cannot wait.
        self._news_ms = ports.clock.now_ms()
        self._due_ms = self._news_ms + _GATHER_MS
        self._ask_ms = self._due_ms
        self._look_again_ms: int | None = None

    def hears(self, change: Change) -> bool:
        """Take note of what may change the answer; pods that wait or come do not.

        With more on it a node is not easier to do without: a "no" stays one. What was to be done is looked
        at again in any case before it is done.
        """
        if not self._has_news and self._matters(change):
            self._has_news = True
            self._news_ms = self.ports.clock.now_ms()
        return self._has_news

    def _matters(self, change: Change) -> bool:
        if change.resource is PODS:
            return _has_left(change)
        if _is_coming(change):
            # Nobody is moved to a node that does not work yet, and it does not go.
            return False
        if change.resource is NODES:
            return not is_heartbeat(change)
        if isinstance(change.old, NodePool) and isinstance(change.new, NodePool):
            return self._is_edit(change.old, change.new)
        if isinstance(change.old, NodePolicy) and isinstance(change.new, NodePolicy):
            return change.old.spec != change.new.spec
        if isinstance(change.old, NodeClaim) and isinstance(change.new, NodeClaim):
            return _read_of(change.old) != _read_of(change.new)
        return True

    def _is_edit(self, old: NodePool, new: NodePool) -> bool:
        """Tell whether somebody else changed a pool: what we remember on it, and its status, are ours."""
        own = {**old.metadata.annotations, MEMORY: ""} == {**new.metadata.annotations, MEMORY: ""}
        text = new.metadata.annotations.get(MEMORY)
        is_same = old.spec == new.spec and old.metadata.labels == new.metadata.labels
        return not (own and is_same and self.memory.notes.knows(new.metadata.name, text))

    async def gather(self) -> bool:
        """Ask what is on sale, where there is anything to decide."""
        now_ms = self.ports.clock.now_ms()
        is_due = now_ms >= self._next_ms()
        if not is_due and now_ms < self._ask_ms:
            return False
        pools = find_pools(self.ports.mirror)
        types = await ask_for_types(self.ports, pools) if pools else None
        if types is None:
            self._due_ms = self._ask_ms = now_ms + (_RETRY_MS if pools else _ASK_MS)
            return False
        self._ask_ms = now_ms + _ASK_MS
        if not is_due and types == self._types:
            return False
        self._types, self._has_news = types, False
        return True

    def look(self) -> World:
        """Give the World with what is on sale."""
        now_ms = self.ports.clock.now_ms()
        return take_snapshot(self.ports.mirror, now_ms, self._types, self.settings.options)

    def beside(self, world: World) -> Beside:
        """Give what is going on: commands, nodes that pods are promised to, and what was done before."""
        recall(self.ports, self.memory)
        memory, joined = self.memory, join(world)
        seen = {one.id for one in running_of(joined, ())}
        memory.begun = {
            name: one
            for name, one in memory.begun.items()
            if name not in seen and world.now_ms - one.started_ms < _UNSEEN_MS
        }
        memory.abandoned &= seen | memory.begun.keys()
        running = running_of(joined, memory.begun.values())
        known = replace(
            memory.disruption,
            running=running,
            nominated=self._nominated(world, running),
            proposed=self._proposed,
        )
        known = tend_waves(known, joined, world.pods, world.now_ms)
        memory.disruption = replace(memory.disruption, waves=known.waves)
        waiting = (pod.metadata.uid for pod in world.pods if not pod.spec.node_name)
        hosts = {uid: memory.expectations.host_of(uid) for uid in waiting}
        return Beside(
            expected={uid: host for uid, host in hosts.items() if host},
            disruption=known,
            repair_rules=self.ports.cloud.repair_rules(),
        )

    def _nominated(self, world: World, running: Sequence[Running]) -> dict[str, int]:
        """Give the nodes on which pods of running commands are to come, and those just promised."""
        until_ms = world.now_ms + self.memory.expectations.nomination_ms
        ids = {one.id for one in running}
        self.memory.targets = {
            name: nodes for name, nodes in self.memory.targets.items() if name in ids
        }
        names = {node for nodes in self.memory.targets.values() for node in nodes}
        claims = {claim.metadata.name: claim.status.node_name for claim in world.node_claims}
        replacements = [name for one in running for name in one.replacements]
        for host in (*self.memory.expectations.hosts(), *replacements):
            names.add(claims.get(host) or host)
        return dict.fromkeys(sorted(names), until_ms)

    def decide(self, world: World) -> Iterable[Decision]:
        """Decide which nodes go."""
        decisions, self._look_again_ms = disrupt_and_tell(world)
        return decisions

    def note(self, decisions: Sequence[Decision]) -> None:
        """Remember what is proposed, and when to look again though nothing changes."""
        now_ms = self.ports.clock.now_ms()
        kept = [one for one in decisions if isinstance(one, Keep) and one.reason == PROPOSED]
        self._proposed = {
            one.subject.name: self._proposed.get(one.subject.name, now_ms) for one in kept
        }
        # In a wave, nodes that do not get well count by time.
        anyway_ms = _ASK_MS if self.memory.disruption.waves else _ANYWAY_MS
        times = [now_ms + one.look_again_ms for one in kept] + [now_ms + anyway_ms]
        if any(isinstance(one, Tell) and one.dedupe == _LAST for one in decisions):
            # Nobody tells of pods that get well.
            times.append(now_ms + _HELD_MS)
        if self._look_again_ms is not None:
            times.append(self._look_again_ms)
        self._due_ms = max(now_ms + _RETRY_MS, min(times))

    async def act(self, decision: Decision) -> Answer:
        """Begin a command, or write down what is remembered of a pool; everything else is told."""
        if isinstance(decision, Tell):
            # Nearly all are, one for each node that stays at each look.
            tell(decision, self.ports)
            return _TOLD
        if isinstance(decision, Write) and decision.subject.resource is NODE_POOLS:
            return await save(self.ports, self.memory, (decision.subject.name,))
        if not isinstance(decision, Disrupt):
            return await super().act(decision)
        record, memory = decision.record, self.memory
        memory.begun[record.id] = record.running(tuple(one.node for one in decision.leaving))
        memory.being_begun.add(record.id)
        memory.targets[record.id] = decision.targets
        try:
            answer = await self._remember(decision)
            if not answer.is_done:
                memory.begun.pop(record.id, None)
                return answer
            answer = await self._begin(decision)
        finally:
            memory.being_begun.discard(record.id)
        if not answer.is_done:
            memory.abandoned.add(record.id)
        return answer

    async def _begin(self, decision: Disrupt) -> Answer:
        """Write the record on every claim that goes, then make what replaces them.

        Where something fails the record is left without its replacements, which undoes the command.
        """
        answers = [await self._write_record(one, decision) for one in decision.leaving]
        failed = [one for one in answers if not one.is_done]
        if len(failed) == len(answers):
            # Where nobody answered it may be written all the same, and counts until that is known.
            if all(one.outcome is not Outcome.UNREACHABLE for one in failed):
                self.memory.begun.pop(decision.record.id, None)
            return failed[0]
        if failed and decision.claims:
            return failed[0]
        for claim in decision.claims:
            self.memory.expectations.create(claim, (), self.ports.clock.now_ms())
            launch = Launch(
                subject=Ref(NODE_CLAIMS, claim.metadata.name),
                reason=decision.reason.lower(),
                claim=claim,
            )
            answer = await perform(launch, self.ports, self.memory)
            if not answer.is_done and answer.outcome is not Outcome.EXISTS:
                return answer
        return Answer(Outcome.DONE)

    async def _write_record(self, one: Leaving, decision: Disrupt) -> Answer:
        claim = self.ports.mirror.get(NODE_CLAIMS, one.claim)
        if claim is None or claim.metadata.deletion_timestamp is not None:
            return Answer(Outcome.NOT_FOUND, f"{one.claim} is gone")
        ref = refer(NODE_CLAIMS, claim)
        change = {"metadata": {"annotations": {COMMAND: decision.record.write()}}}
        options = Options(if_version=claim.metadata.resource_version)
        answer = await self.ports.kube.patch(ref, change, options)
        self.memory.expectations.wrote(ref, answer.version, self.ports.clock.now_ms())
        return answer

    async def _remember(self, decision: Disrupt) -> Answer:
        """Write down what a command means for later, before it is begun."""
        mirror, now_ms = self.ports.mirror, self.ports.clock.now_ms()
        pods = [mirror.get(PODS, key) for one in decision.leaving for key in one.pods]
        workloads = [workload_of(pod) for pod in pods if pod is not None]
        names = {one.node_pool for one in decision.leaving}
        pools = [one for one in find_pools(mirror) if one.metadata.name in names]
        policies = read_policies(pools, mirror.all(NODE_POLICIES))
        targets = {one.metadata.name: hash_nodepool(one) for one in pools}
        known = note_begun(self.memory.disruption, decision, filter(None, workloads), now_ms)
        self.memory.disruption = enter_wave(known, decision, policies, targets, now_ms)
        return await save(self.ports, self.memory, names)

    def next_look_ms(self) -> int:
        """Look when the next time comes."""
        return max(1, min(self._next_ms(), self._ask_ms) - self.ports.clock.now_ms())

    def _next_ms(self) -> int:
        """Tell when to look: a while after the first news, because what leaves seldom leaves alone."""
        return min(self._due_ms, self._news_ms + _GATHER_MS) if self._has_news else self._due_ms


def _has_left(change: Change) -> bool:
    """Tell whether a pod has left its node, is seen there for the first time, or has another mark."""
    old = change.old if isinstance(change.old, Pod) else None
    new = change.new if isinstance(change.new, Pod) else None
    if old is None:
        return new is not None and bool(new.spec.node_name)
    if old.spec.node_name and node_of_event(old, new):
        return True
    return _mark_of(old) != _mark_of(new)


def _is_coming(change: Change) -> bool:
    """Tell whether a change is about a node of ours that has not begun to work, and is not given up."""
    old, new = change.old, change.new
    if isinstance(new, NodeClaim):
        was_there = isinstance(old, NodeClaim) and is_true(old, INITIALIZED)
        return not (was_there or is_true(new, INITIALIZED) or new.metadata.deletion_timestamp)
    if isinstance(new, Node):
        was_there = isinstance(old, Node) and not _is_starting(old)
        return _is_starting(new) and not was_there and new.metadata.deletion_timestamp is None
    return False


def _is_starting(node: Node) -> bool:
    labels = node.metadata.labels
    is_ours = names.NODEPOOL in labels or any(
        one.key == names.UNREGISTERED_TAINT for one in node.spec.taints
    )
    return is_ours and labels.get(names.INITIALIZED) != "true"


def _read_of(claim: NodeClaim) -> NodeClaim:
    """Give a claim without what lets no node go: its version, pod events, and words for readers."""
    conditions = tuple(one for one in claim.status.conditions if one.type not in _FOR_READERS)
    return replace(
        claim,
        metadata=replace(claim.metadata, resource_version=""),
        status=replace(claim.status, conditions=conditions, last_pod_event_time=None),
    )


def _mark_of(pod: Pod | None) -> str | None:
    return pod.metadata.annotations.get(names.DO_NOT_DISRUPT) if pod is not None else None
