"""Nominations: pods that wait are promised, in their status, the node that was planned for them."""

import logging
from collections.abc import Iterable
from typing import Final

import msgspec

from nodewright.controllers.loop import Controller, Pace
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.core.nominations import NOMINATED, find_idle, is_going, is_unbound, nominate
from nodewright.model.beside import Beside
from nodewright.model.decision import Change as Write
from nodewright.model.decision import Decision, rest_on
from nodewright.model.labels import INITIALIZED
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.pod import Pod
from nodewright.model.resource import NODE_CLAIMS, NODES, PODS
from nodewright.model.world import World
from nodewright.ports.kube import Answer, Options, Outcome, Urgency
from nodewright.state.mirror import Change

_log: Final = logging.getLogger("nodewright.controllers")
_BUSY_MS: Final = 1_000
_IDLE_MS: Final = 10_000
_QUIET: Final = Options(subresource="status", urgency=Urgency.BACKGROUND)
_REFUSALS: Final = (Outcome.FORBIDDEN, Outcome.INVALID)


class Nominations(Controller):
    """Writes and withdraws nominations, as long as the API server lets it."""

    name = "nominations"
    wakes_on = (NODES, NODE_CLAIMS, PODS)
    pace = Pace(at_most_every_ms=100, at_least_every_ms=_IDLE_MS)

    def __init__(self, ports: Ports, memory: Memory, settings: Settings) -> None:
        super().__init__(ports, memory, settings)
        self._idle_since: dict[str, int] = {}
        memory.nominates = settings.nominates

    def hears(self, change: Change) -> bool:
        """Wake for nodes that come, begin to work or go, claims with a machine, and broken promises."""
        old, new = change.old, change.new
        if change.resource is PODS:
            return isinstance(old, Pod) and isinstance(new, Pod) and _has_lost_its_promise(old, new)
        if isinstance(old, NodeClaim) and isinstance(new, NodeClaim):
            return old.status.provider_id != new.status.provider_id
        if not isinstance(old, Node) or not isinstance(new, Node):
            return True
        return is_going(old) != is_going(new) or _is_ready(old) != _is_ready(new)

    async def gather(self) -> bool:
        """Stop for good once we were told that we may not."""
        return self.memory.nominates

    def look(self) -> World:
        """Look at pods that wait or leave, and at where they could go."""
        mirror = self.ports.mirror
        pods = tuple(
            pod
            for pod in mirror.all(PODS)
            if not pod.spec.node_name or pod.metadata.deletion_timestamp is not None
        )
        return World(
            self.ports.clock.now_ms(),
            pods=pods,
            nodes=mirror.all(NODES),
            node_claims=mirror.all(NODE_CLAIMS),
        )

    def beside(self, world: World) -> Beside:
        """Give where pods are expected, and since when that leads nowhere."""
        waiting = {pod.metadata.uid for pod in world.pods if is_unbound(pod)}
        self.memory.expectations.keep(waiting)
        expected = dict(self.memory.expectations.hosts())
        broken = {pod.metadata.uid for pod in world.pods if self._is_broken(pod)}
        kept = waiting - broken
        written = {uid: name for uid, name in self.memory.nominated.items() if uid in kept}
        self.memory.nominated = written
        self._idle_since = find_idle(world, self._idle_since, written)
        return Beside(expected=expected, idle_since_ms=self._idle_since)

    def _is_broken(self, pod: Pod) -> bool:
        """Tell whether a promise that was seen on a pod is there no more: the scheduler gave up on it."""
        if pod.status.nominated_node_name or pod.metadata.uid not in self.memory.nominated:
            return False
        now_ms = self.ports.clock.now_ms()
        return not self.memory.expectations.is_stale(rest_on((PODS, pod)), now_ms)

    def decide(self, world: World) -> Iterable[Decision]:
        """Give the nominations to be written and taken back."""
        return nominate(world, world.beside.expected, world.beside.idle_since_ms)

    async def act(self, decision: Decision) -> Answer:
        """Write; a server that does not want it is asked no more."""
        if not isinstance(decision, Write) or not self.memory.nominates:
            return Answer(Outcome.NOTHING_TO_DO)
        options = msgspec.structs.replace(_QUIET, if_version=decision.if_version)
        answer = await self.ports.kube.patch(decision.subject, decision.change, options)
        now_ms = self.ports.clock.now_ms()
        self.memory.expectations.wrote(decision.subject, answer.version, now_ms)
        if answer.outcome in _REFUSALS and self.memory.nominates:
            self.memory.nominates = False
            _log.warning(
                "pods are not nominated to their planned nodes any more: %s (may the controller "
                "patch pods/status?)",
                answer.message,
            )
        elif answer.is_done:
            self._remember(decision)
        return Answer(Outcome.NOTHING_TO_DO) if answer.outcome is Outcome.NOT_FOUND else answer

    def _remember(self, decision: Write) -> None:
        uid = decision.subject.uid
        if decision.reason == NOMINATED:
            status = decision.change["status"]
            name = status["nominatedNodeName"] if isinstance(status, dict) else ""
            self.memory.nominated[uid] = name
        else:
            # Nothing may count the pod as placed any more, or it would be nominated again.
            self.memory.expectations.withdraw(uid)
            self.memory.nominated.pop(uid, None)

    def next_look_ms(self) -> int:
        """Look often while pods are expected somewhere."""
        return _BUSY_MS if self.memory.expectations.hosts() and self.memory.nominates else _IDLE_MS


def _has_lost_its_promise(old: Pod, new: Pod) -> bool:
    """Tell whether a pod that still waits is nominated no more.

    Up to Kubernetes 1.34 each try of the scheduler that fails takes the nomination away, and while
    nodes come up one by one it tries often: room that nobody holds is soon taken by another pod.
    """
    was, now = old.status.nominated_node_name, new.status.nominated_node_name
    return bool(was) and not now and is_unbound(new)


def _is_ready(node: Node) -> bool:
    return node.metadata.labels.get(INITIALIZED) == "true"
