"""Nominations: pods that wait are promised, in their status, the node that was planned for them."""

import logging
from collections.abc import Iterable
from typing import Final

from nodewright.controllers.loop import Controller, Pace
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.core.nominations import NOMINATED, find_idle, is_going, is_unbound, nominate
from nodewright.model.beside import Beside
from nodewright.model.decision import Change as Write
from nodewright.model.decision import Decision
from nodewright.model.labels import INITIALIZED
from nodewright.model.node import Node
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
    wakes_on = (NODES,)
    pace = Pace(at_most_every_ms=250, at_least_every_ms=_IDLE_MS)

    def __init__(self, ports: Ports, memory: Memory, settings: Settings) -> None:
        super().__init__(ports, memory, settings)
        self._written: dict[str, str] = {}
        self._idle_since: dict[str, int] = {}
        self._is_refused = not settings.nominates

    def hears(self, change: Change) -> bool:
        """Wake for nodes that come, begin to work or go."""
        old, new = change.old, change.new
        if not isinstance(old, Node) or not isinstance(new, Node):
            return True
        return is_going(old) != is_going(new) or _is_ready(old) != _is_ready(new)

    async def gather(self) -> bool:
        """Stop for good once we were told that we may not."""
        return not self._is_refused

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
        self._written = {uid: name for uid, name in self._written.items() if uid in waiting}
        self._idle_since = find_idle(world, self._idle_since, self._written)
        expected = dict(self.memory.expectations.hosts())
        return Beside(expected=expected, idle_since_ms=self._idle_since)

    def decide(self, world: World) -> Iterable[Decision]:
        """Give the nominations to be written and taken back."""
        return nominate(world, world.beside.expected, world.beside.idle_since_ms)

    async def act(self, decision: Decision) -> Answer:
        """Write; a server that does not want it is asked no more."""
        if not isinstance(decision, Write) or self._is_refused:
            return Answer(Outcome.NOTHING_TO_DO)
        answer = await self.ports.kube.patch(decision.subject, decision.change, _QUIET)
        now_ms = self.ports.clock.now_ms()
        self.memory.expectations.wrote(decision.subject, answer.version, now_ms)
        if answer.outcome in _REFUSALS and not self._is_refused:
            self._is_refused = True
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
            self._written[uid] = status["nominatedNodeName"] if isinstance(status, dict) else ""
        else:
            # Nothing may count the pod as placed any more, or it would be nominated again.
            self.memory.expectations.withdraw(uid)

    def next_look_ms(self) -> int:
        """Look often while pods are expected somewhere."""
        return _BUSY_MS if self.memory.expectations.hosts() and not self._is_refused else _IDLE_MS


def _is_ready(node: Node) -> bool:
    return node.metadata.labels.get(INITIALIZED) == "true"
