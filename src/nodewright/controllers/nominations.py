"""Nominations: pods that wait are promised, in their status, the node that was planned for them.

Thousands may wait for nodes that take minutes to come, so a look takes in only those whose turn it
is: who can be promised something now, and whose promise may lead nowhere.
"""

import logging
from collections.abc import Iterable
from typing import Final

import msgspec

from nodewright.controllers.loop import Controller, Pace
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.core.nominations import (
    NOMINATED,
    find_idle,
    is_going,
    is_unbound,
    nominate,
    works,
)
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
from nodewright.state.mirror import BY_NODE, BY_NOMINATED, BY_PROVIDER_ID, BY_WAITING, Change

_log: Final = logging.getLogger("nodewright.controllers")
_BUSY_MS: Final = 1_000
_IDLE_MS: Final = 10_000
_NONE_MS: Final = 60_000
_TIDY_MS: Final = 10_000
_SWEEP_MS: Final = 20
_SWEEP_MS_MAX: Final = 5_000
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
        self._unseen: set[str] = set()
        self._tidied_ms = 0
        self._swept_ms = 0
        self._is_sweep = True
        memory.nominates = settings.nominates

    def hears(self, change: Change) -> bool:
        """Wake for nodes that come, begin to work or go, claims with a machine, and broken promises."""
        old, new = change.old, change.new
        if change.resource is PODS:
            self._follow(old, new)
            return isinstance(old, Pod) and isinstance(new, Pod) and _has_lost_its_promise(old, new)
        if isinstance(old, NodeClaim) and isinstance(new, NodeClaim):
            return old.status.provider_id != new.status.provider_id
        if not isinstance(old, Node) or not isinstance(new, Node):
            return True
        return is_going(old) != is_going(new) or _is_ready(old) != _is_ready(new)

    async def gather(self) -> bool:
        """Stop for good once we were told that we may not."""
        return self.memory.nominates

    def _follow(self, old: object, new: object) -> None:
        """Expect nobody any more who waits no more, and doubt promises that are not to be seen."""
        pod = new if isinstance(new, Pod) else old
        if not isinstance(pod, Pod):
            return
        uid = pod.metadata.uid
        if new is None or not is_unbound(pod):
            self.memory.expectations.withdraw(uid)
            self.memory.nominated.pop(uid, None)
        elif not pod.status.nominated_node_name and uid in self.memory.nominated:
            self._unseen.add(uid)

    def look(self) -> World:
        """Look at pods whose turn it is, and at their nodes."""
        self._doubt()
        self._tidy()
        mirror = self.ports.mirror
        is_due = self._is_sweep = self._must_sweep()
        pods: list[Pod] = []
        nodes: dict[str, Node] = {}
        claims: dict[str, NodeClaim] = {}
        for name in mirror.values(PODS, BY_NOMINATED):
            node = mirror.get(NODES, name)
            if node is not None and not is_due and not is_going(node):
                continue
            owner = self._claim_of(node) if node is not None else None
            claimed = (owner.status.provider_id,) if owner is not None else ()
            if node is None or is_going(node) or (is_due and works(node, claimed)):
                pods += mirror.find(PODS, BY_NOMINATED, name)
                if node is not None:
                    nodes[name] = node
                    pods += (one for one in mirror.find(PODS, BY_NODE, name) if _leaves(one))
                if owner is not None:
                    claims[owner.metadata.name] = owner
        for host in self.memory.expectations.hosts():
            if not self._has_unpromised(host):
                continue
            claim = mirror.get(NODE_CLAIMS, host)
            node = mirror.get(NODES, host) or self._node_of(claim)
            unpromised = self._unpromised(host) if node is not None else []
            if node is not None and unpromised:
                pods += unpromised
                nodes[node.metadata.name] = node
                if claim is not None:
                    claims[host] = claim
        return World(
            self.ports.clock.now_ms(),
            pods=tuple(pods),
            nodes=tuple(nodes.values()),
            node_claims=tuple(claims.values()),
        )

    def _must_sweep(self) -> bool:
        """Tell whether to look through promises that may lead nowhere: not each time while many wait."""
        now_ms = self.ports.clock.now_ms()
        pause_ms = min(
            self.ports.mirror.count_values(PODS, BY_NOMINATED) * _SWEEP_MS, _SWEEP_MS_MAX
        )
        if now_ms - self._swept_ms < pause_ms:
            return False
        self._swept_ms = now_ms
        return True

    def _node_of(self, claim: NodeClaim | None) -> Node | None:
        provider_id = claim.status.provider_id if claim is not None else ""
        found = self.ports.mirror.find(NODES, BY_PROVIDER_ID, provider_id) if provider_id else ()
        return found[-1] if found else None

    def _claim_of(self, node: Node) -> NodeClaim | None:
        found = self.ports.mirror.find(NODE_CLAIMS, BY_PROVIDER_ID, node.spec.provider_id)
        return found[0] if found else None

    def _has_unpromised(self, host: str) -> bool:
        return not self.memory.nominated.keys() >= self.memory.expectations.pods_of(host)

    def _unpromised(self, host: str) -> list[Pod]:
        """Give the pods that are expected on a host and do not know it."""
        promised = self.memory.nominated
        uids = [one for one in self.memory.expectations.pods_of(host) if one not in promised]
        found = [self._waiting(uid) for uid in sorted(uids)]
        return [pod for pod in found if pod is not None and not pod.status.nominated_node_name]

    def _waiting(self, uid: str) -> Pod | None:
        found = self.ports.mirror.find(PODS, BY_WAITING, uid)
        return found[0] if found and is_unbound(found[0]) else None

    def _doubt(self) -> None:
        """Take back what was promised and is not to be seen on the pod: the scheduler gave up on it."""
        now_ms = self.ports.clock.now_ms()
        for uid in sorted(self._unseen):
            pod = self._waiting(uid)
            is_seen = pod is None or bool(pod.status.nominated_node_name)
            if pod is not None and not is_seen:
                if self.memory.expectations.is_stale(rest_on((PODS, pod)), now_ms):
                    continue
                self.memory.nominated.pop(uid, None)
            self._unseen.discard(uid)

    def _tidy(self) -> None:
        """Forget now and then those who waited no more before anybody expected them."""
        now_ms = self.ports.clock.now_ms()
        if now_ms - self._tidied_ms >= _TIDY_MS:
            self._tidied_ms = now_ms
            memory, waiting = self.memory, set(self.ports.mirror.values(PODS, BY_WAITING))
            memory.expectations.keep(waiting)
            memory.nominated = {one: on for one, on in memory.nominated.items() if one in waiting}

    def beside(self, world: World) -> Beside:
        """Give where pods are expected, and since when that leads nowhere."""
        uids = (pod.metadata.uid for pod in world.pods)
        hosts = {uid: self.memory.expectations.host_of(uid) for uid in uids}
        found = find_idle(world, self._idle_since, self.memory.nominated)
        self._idle_since = found if self._is_sweep else {**self._idle_since, **found}
        expected = {uid: host for uid, host in hosts.items() if host}
        waiting_count = self.ports.mirror.count_values(PODS, BY_WAITING)
        return Beside(
            expected=expected, idle_since_ms=self._idle_since, waiting_count=waiting_count
        )

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
            self._unseen.add(uid)
        else:
            # Nothing may count the pod as placed any more, or it would be nominated again.
            self.memory.expectations.withdraw(uid)
            self.memory.nominated.pop(uid, None)

    def next_look_ms(self) -> int:
        """Look often while pods are expected somewhere, and seldom while none waits."""
        if not self.memory.nominates or not self.ports.mirror.count_values(PODS, BY_WAITING):
            return _NONE_MS
        return _BUSY_MS if self.memory.expectations.hosts() else _IDLE_MS


def _has_lost_its_promise(old: Pod, new: Pod) -> bool:
    """Tell whether a pod that still waits is nominated no more.

    Up to Kubernetes 1.34 each try of the scheduler that fails takes the nomination away, and while
    nodes come up one by one it tries often: room that nobody holds is soon taken by another pod.
    """
    was, now = old.status.nominated_node_name, new.status.nominated_node_name
    return bool(was) and not now and is_unbound(new)


def _leaves(pod: Pod) -> bool:
    return pod.metadata.deletion_timestamp is not None


def _is_ready(node: Node) -> bool:
    return node.metadata.labels.get(INITIALIZED) == "true"
