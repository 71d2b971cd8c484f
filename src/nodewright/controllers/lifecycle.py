"""The life of claims: machines are asked for, nodes registered and initialized."""

from collections.abc import Iterable, Iterator
from typing import Final

from nodewright.controllers.loop import Controller, Pace
from nodewright.core.lifecycle import decide_lives
from nodewright.core.lifecycle_launch import (
    LaunchedMachine,
    choose_types,
    give_up_launch,
    label_claim,
    note_launch,
    retry_launch,
)
from nodewright.model.decision import Decision, Start
from nodewright.model.labels import INSTANCE_TYPE, NODEPOOL
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.quantity import parse_resources
from nodewright.model.requirements import Requirements
from nodewright.model.resource import NODE_CLAIMS, NODE_POLICIES, NODES
from nodewright.model.world import World
from nodewright.ports.cloud import Launched, LaunchFailed, LaunchFault, LaunchRequest
from nodewright.ports.kube import Answer, Outcome
from nodewright.state.live import find_class

ATTEMPT: Final = "nodewright.dev/launch-attempt"
_GIVEN_UP: Final = {
    LaunchFault.NO_CAPACITY: "insufficient_capacity",
    LaunchFault.CLASS_NOT_READY: "nodeclass_not_ready",
}

_OUTCOMES: Final = {"Registered": True, "launch_timeout": False, "registration_timeout": False}


class Lifecycle(Controller):
    """Takes claims from their creation to a node that works."""

    name = "lifecycle"
    wakes_on = (NODE_CLAIMS, NODES, NODE_POLICIES)
    pace = Pace(at_most_every_ms=100, at_least_every_ms=5_000)

    def decide(self, world: World) -> Iterable[Decision]:
        """Give the next step of every claim."""
        return decide_lives(world)

    async def act(self, decision: Decision) -> Answer:
        """Ask for a machine and write down what came of it; everything else is one call."""
        if not isinstance(decision, Start):
            done = await super().act(decision)
            if done.is_done and decision.reason in _OUTCOMES:
                self._remember(decision)
            return done
        types = await self._types(decision.claim)
        if types is None:
            return Answer(Outcome.BUSY, "the cloud does not say what is on sale")
        answer = await self.ports.cloud.launch(self._request(decision.claim, types))
        last = Answer(Outcome.DONE)
        for follow in self._follow(decision.claim, answer):
            last = await super().act(follow)
            if not last.is_done:
                return last
        return Answer(Outcome.BUSY) if isinstance(answer, LaunchFailed) else last

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
                )
                labelled = label_claim(claim, launched)
                if labelled is not None:
                    yield labelled
                yield note_launch(claim, launched, now_ms)
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

    def _request(self, claim: NodeClaim, types: tuple[str, ...]) -> LaunchRequest:
        meta, spec = claim.metadata, claim.spec
        wanted = Requirements.from_expressions(spec.requirements)
        return LaunchRequest(
            token=f"{meta.uid}-{meta.annotations.get(ATTEMPT, '0')}",
            claim=meta.name,
            claim_uid=meta.uid,
            node_pool=meta.labels.get(NODEPOOL, ""),
            node_class=find_class(self.ports.mirror, spec.node_class_ref),
            requirements=wanted,
            instance_types=types,
            requests=parse_resources(spec.resources.requests),
            labels=meta.labels,
            taints=(*spec.taints, *spec.startup_taints),
        )
