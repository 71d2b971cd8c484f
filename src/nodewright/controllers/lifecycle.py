"""The life of claims: machines are asked for, nodes registered and initialized."""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from nodewright.controllers.loop import Controller, Pace
from nodewright.controllers.ports import CLAIM_TAG, Memory, Ports, Settings
from nodewright.core.garbage import ORPHAN_MS
from nodewright.core.lifecycle import age_ms, decide_lives
from nodewright.core.lifecycle_launch import (
    FoundMachine,
    LaunchedMachine,
    adopt,
    choose_types,
    give_up_launch,
    label_claim,
    launch_token,
    next_attempt,
    note_launch,
    retry_launch,
    was_asked_for,
)
from nodewright.core.scheduling.overlays import apply_overlays
from nodewright.model.decision import Decision, Start
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.instance import InstanceType
from nodewright.model.labels import INSTANCE_TYPE, NODEPOOL
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodeclass import NodeClass
from nodewright.model.quantity import parse_resources
from nodewright.model.requirements import Requirements
from nodewright.model.resource import NODE_CLAIMS, NODE_OVERLAYS, NODE_POLICIES, NODES
from nodewright.model.world import World
from nodewright.ports.cloud import Launched, LaunchFailed, LaunchFault, LaunchRequest
from nodewright.ports.kube import Answer, Outcome
from nodewright.state.live import find_class, unfinished_claims
from nodewright.state.mirror import BY_PROVIDER_ID, BY_UNFINISHED, Change

_GIVEN_UP: Final = {
    LaunchFault.NO_CAPACITY: "insufficient_capacity",
    LaunchFault.CLASS_NOT_READY: "nodeclass_not_ready",
}

_RELAXED: Final = "karpenter.sh/nodeclaim-min-values-relaxed"
_BUSY_MS: Final = 5_000
_IDLE_MS: Final = 60_000
_PROMISE_MS: Final = 50
_PROMISE_TRIES: Final = 40
_OUTCOMES: Final = {
    "Registered": True,
    "launch_timeout": False,
    "registration_timeout": False,
    "instance_terminated": False,
}


class Lifecycle(Controller):
    """Takes claims from their creation to a node that works."""

    name = "lifecycle"
    wakes_on = (NODE_CLAIMS, NODES, NODE_POLICIES)
    pace = Pace(at_most_every_ms=100, at_least_every_ms=_IDLE_MS)
    sees_pods = False

    def __init__(self, ports: Ports, memory: Memory, settings: Settings) -> None:
        super().__init__(ports, memory, settings)
        self._asked: set[str] = set()

    def hears(self, change: Change) -> bool:
        """Wake while any claim is on its way."""
        del change
        return self.ports.mirror.count_values(NODE_CLAIMS, BY_UNFINISHED) > 0

    async def gather(self) -> bool:
        """Tell whether any claim is on its way: most of the time all have come to their nodes."""
        return bool(unfinished_claims(self.ports.mirror))

    def look(self) -> World:
        """Look at claims that are on their way, and at their nodes."""
        world = super().look()
        claims = unfinished_claims(self.ports.mirror)
        machines = {one.status.provider_id for one in claims if one.status.provider_id}
        nodes = tuple([node for node in world.nodes if node.spec.provider_id in machines])
        return replace(world, node_claims=claims, nodes=nodes)

    def decide(self, world: World) -> Iterable[Decision]:
        """Give the next step of every claim."""
        self._asked &= {claim.metadata.uid for claim in world.node_claims}
        return decide_lives(world)

    def next_look_ms(self) -> int:
        """Look often while a claim is on its way: then time alone may change what is next."""
        return _BUSY_MS if unfinished_claims(self.ports.mirror) else _IDLE_MS

    async def act(self, decision: Decision) -> Answer:
        """Ask for a machine and write down what came of it; everything else is one call."""
        if not isinstance(decision, Start):
            if decision.reason == "Registration":
                await self._await_promises(decision)
            done = await super().act(decision)
            if done.is_done and decision.reason in _OUTCOMES:
                self._remember(decision)
            return done
        claim = decision.claim
        is_again = was_asked_for(claim) or claim.metadata.uid in self._asked
        if is_again:
            found = await self._find(claim)
            if isinstance(found, Answer):
                return found
            if found is not None:
                return await self._take(claim, found)
        request = await self._request(claim)
        if request is None:
            return Answer(Outcome.BUSY, "the cloud does not say what is on sale")
        self._asked.add(claim.metadata.uid)
        answer = await self.ports.cloud.launch(request)
        last = Answer(Outcome.DONE)
        if isinstance(answer, LaunchFailed) and answer.fault is LaunchFault.SPENT:
            return await self._begin_anew(claim) if is_again else Answer(Outcome.BUSY)
        for follow in self._follow(claim, answer):
            last = await super().act(follow)
            if not last.is_done:
                return last
        if isinstance(answer, LaunchFailed):
            return Answer(Outcome.BUSY, answer.message or answer.reason)
        return last

    async def _find(self, claim: NodeClaim) -> LaunchedMachine | Answer | None:
        """Look for a machine that was launched for a claim, and whose launch was not answered."""
        listed = await self.ports.cloud.list_machines()
        if not isinstance(listed, tuple):
            return Answer(Outcome.BUSY, "the cloud does not say which machines there are")
        name = claim.metadata.name
        mine = [one for one in listed if one.tags.get(CLAIM_TAG) == name and one.is_alive]
        if not mine:
            return None
        node_class = find_class(self.ports.mirror, claim.spec.node_class_ref)
        on_sale = await self.ports.cloud.instance_types(node_class)
        one = min(mine, key=lambda machine: (machine.launched_ms, machine.provider_id))
        found = FoundMachine(
            one.provider_id,
            one.instance_type,
            one.zone,
            one.capacity_type,
            one.image_id,
            one.labels,
        )
        adopted = adopt(found, on_sale) if isinstance(on_sale, tuple) else None
        return adopted or Answer(Outcome.BUSY, "the cloud does not say what the machine has")

    async def _begin_anew(self, claim: NodeClaim) -> Answer:
        """Take a new token, once a machine of the old one would be in the cloud's list."""
        if age_ms(claim, self.ports.clock.now_ms()) < ORPHAN_MS:
            return Answer(Outcome.BUSY)
        return await super().act(next_attempt(claim))

    async def _take(self, claim: NodeClaim, machine: LaunchedMachine) -> Answer:
        last = Answer(Outcome.DONE)
        for follow in _note(claim, machine, self.ports.clock.now_ms()):
            last = await super().act(follow)
            if not last.is_done:
                return last
        return last

    async def _await_promises(self, decision: Decision) -> None:
        """Let pods be nominated to a node before it opens, or the scheduler is faster; not for long."""
        mirror, memory = self.ports.mirror, self.memory
        node = mirror.get(NODES, decision.subject.name)
        provider_id = node.spec.provider_id if node is not None else ""
        claims = mirror.find(NODE_CLAIMS, BY_PROVIDER_ID, provider_id) if provider_id else ()
        for _ in range(_PROMISE_TRIES):
            names = (one.metadata.name for one in claims)
            expected = {pod for name in names for pod in memory.expectations.pods_of(name)}
            if not memory.nominates or expected <= memory.nominated.keys():
                return
            await self.ports.clock.sleep_ms(_PROMISE_MS)

    def _remember(self, decision: Decision) -> None:
        claim = self.ports.mirror.get(NODE_CLAIMS, decision.subject.name)
        if claim is not None and claim.metadata.uid == decision.subject.uid:
            self.memory.launched(claim, registered=_OUTCOMES[decision.reason])

    def _follow(self, claim: NodeClaim, answer: Launched | LaunchFailed) -> Iterator[Decision]:
        now_ms = self.ports.clock.now_ms()
        match answer:
            case Launched(machine=machine) if machine.is_alive:
                launched = LaunchedMachine(
                    machine.provider_id,
                    machine.image_id,
                    answer.labels,
                    answer.capacity,
                    answer.allocatable,
                    answer.annotations,
                )
                yield from _note(claim, launched, now_ms)
            case Launched(machine=machine):
                note = f"the machine {machine.provider_id} ended before it was written down"
                yield from give_up_launch(claim, "machine_lost", note)
            case LaunchFailed() if answer.fault in _GIVEN_UP:
                reason = _GIVEN_UP[answer.fault]
                yield from give_up_launch(claim, reason, answer.message or answer.reason)
            case LaunchFailed():
                yield from retry_launch(claim, answer.reason, answer.message, now_ms)

    async def _types(self, claim: NodeClaim) -> tuple[str, ...] | None:
        """Name the types that a claim may be launched as; nothing while the cloud does not answer."""
        wanted = Requirements.from_expressions(claim.spec.requirements)
        if INSTANCE_TYPE in wanted and not wanted[INSTANCE_TYPE].complement:
            return tuple(sorted(wanted[INSTANCE_TYPE].values))
        # Claims of static pools, and those made by hand, leave the choice of types to us.
        node_class = find_class(self.ports.mirror, claim.spec.node_class_ref)
        on_sale = await self.ports.cloud.instance_types(node_class)
        return choose_types(wanted, on_sale) if isinstance(on_sale, tuple) else None

    def _class_of(self, claim: NodeClaim) -> NodeClass | None:
        """Give the class of a claim; the status of one without an object is only in our memory."""
        found = find_class(self.ports.mirror, claim.spec.node_class_ref)
        status = self.memory.class_statuses.get(found.metadata.name) if found is not None else None
        if not isinstance(found, EC2NodeClass) or status is None:
            return found
        return replace(found, status=status)

    async def _overlaid(self, claim: NodeClaim) -> tuple[InstanceType, ...] | None:
        """Give the types that NodeOverlays have corrected; nothing while the cloud does not answer."""
        overlays = self.ports.mirror.all(NODE_OVERLAYS)
        if not overlays or not self.settings.options.feature_gates.get("NodeOverlay", True):
            return ()
        node_class = find_class(self.ports.mirror, claim.spec.node_class_ref)
        on_sale = await self.ports.cloud.instance_types(node_class)
        if not isinstance(on_sale, tuple):
            return None
        world = World(0, node_overlays=overlays, instance_types={"": on_sale})
        applied = apply_overlays(world)[""]
        return tuple(new for old, new in zip(on_sale, applied, strict=True) if new is not old)

    async def _request(self, claim: NodeClaim) -> LaunchRequest | None:
        """Give what the cloud is asked for; nothing while it does not say what is on sale."""
        meta, spec = claim.metadata, claim.spec
        types, overlaid = await self._types(claim), await self._overlaid(claim)
        if types is None or overlaid is None:
            return None
        wanted = Requirements.from_expressions(spec.requirements)
        return LaunchRequest(
            token=launch_token(claim),
            claim=meta.name,
            claim_uid=meta.uid,
            node_pool=meta.labels.get(NODEPOOL, ""),
            node_class=self._class_of(claim),
            requirements=wanted,
            instance_types=types,
            requests=parse_resources(spec.resources.requests),
            labels=meta.labels,
            taints=(*spec.taints, *spec.startup_taints),
            overlaid=overlaid,
            is_relaxed=meta.annotations.get(_RELAXED) == "true",
        )


def _note(claim: NodeClaim, launched: LaunchedMachine, now_ms: int) -> Iterator[Decision]:
    labelled = label_claim(claim, launched)
    if labelled is not None:
        yield labelled
    yield note_launch(claim, launched, now_ms)
