"""Termination: what is deleted drains, gives its machine back, and is let go."""

from collections.abc import Iterable
from typing import Final

from nodewright.controllers.loop import Controller, Pace
from nodewright.core.termination import decide_ends, has_work, needs_listing
from nodewright.core.termination_drain import those_waited_for
from nodewright.model.beside import Beside
from nodewright.model.decision import Decision, Delete, End, Evict, Tell
from nodewright.model.resource import NODE_CLAIMS, NODES, PODS, VOLUME_ATTACHMENTS, key_of
from nodewright.model.world import World
from nodewright.ports.cloud import Machine
from nodewright.ports.kube import Answer, Outcome
from nodewright.state.live import served_claims
from nodewright.state.mirror import Change

_IDLE_MS: Final = 60_000
_BUSY_MS: Final = 1_000
_TWO_BUDGETS: Final = "more than one PodDisruptionBudget"


class Termination(Controller):
    """Ends nodes and claims that are being deleted."""

    name = "termination"
    wakes_on = (NODE_CLAIMS, NODES, PODS, VOLUME_ATTACHMENTS)
    pace = Pace(at_most_every_ms=100, at_least_every_ms=_IDLE_MS)
    _machines: tuple[Machine, ...] | None = None
    _has_work = True

    def hears(self, change: Change) -> bool:
        """Tell whether something goes, or a pod or volume of what goes has changed."""
        if change.resource in (NODE_CLAIMS, NODES):
            thing = change.new
            return thing is None or thing.metadata.deletion_timestamp is not None
        return self._has_work

    async def gather(self) -> bool:
        """Ask the cloud which machines there are, where a decision needs it."""
        mirror, now_ms = self.ports.mirror, self.ports.clock.now_ms()
        # Most of the time nothing goes: then nobody looks at the pods.
        world = World(now_ms, nodes=mirror.all(NODES), node_claims=served_claims(mirror))
        self._has_work = mirror.derive("ends", (NODES, NODE_CLAIMS), lambda: has_work(world))
        self._machines = None
        if self._has_work and needs_listing(world):
            listed = await self.ports.cloud.list_machines()
            self._machines = listed if isinstance(listed, tuple) else None
        return self._has_work

    def beside(self, world: World) -> Beside:
        """Give what the cloud listed, and what it said to what was given back."""
        known = {claim.status.provider_id for claim in world.node_claims}
        self.memory.forget(known | {node.spec.provider_id for node in world.nodes})
        return Beside(cloud=self.memory.view(self._machines))

    def decide(self, world: World) -> Iterable[Decision]:
        """Give the next step of everything that is going away."""
        return decide_ends(world, world.beside.cloud)

    async def act(self, decision: Decision) -> Answer:
        """Act, and tell of pods that leave or do not."""
        if isinstance(decision, End) and decision.node is not None:
            unseen = await self._look_again(decision.node.name)
            if unseen is not None:
                return unseen
        answer = await super().act(decision)
        if isinstance(decision, Evict):
            await self._tell_of(decision, answer)
        elif isinstance(decision, Delete) and decision.grace_s is not None and answer.is_done:
            told = Tell(subject=decision.subject, reason="Disrupted", note=decision.note)
            await super().act(told)
        return answer

    async def _look_again(self, node: str) -> Answer | None:
        """Answer why a machine must not end yet: a pod came so late that its news is still under way."""
        found = await self.ports.kube.list_pods(node)
        if isinstance(found, Answer):
            return found
        waiting = those_waited_for(found, self.ports.clock.now_ms())
        if not waiting:
            return None
        return Answer(
            Outcome.CONFLICT, f"pod {key_of(waiting[0].metadata)} has just come to {node}"
        )

    async def _tell_of(self, decision: Evict, answer: Answer) -> None:
        if answer.is_done:
            note = f"Evicted pod: {decision.note}"
            await super().act(Tell(subject=decision.subject, reason="Evicted", note=note))
        elif answer.outcome is Outcome.BLOCKED or _TWO_BUDGETS in answer.message:
            pod = f"{decision.subject.namespace}/{decision.subject.name}"
            told = Tell(
                subject=decision.node,
                reason="FailedDraining",
                note=f"pod {pod} cannot be evicted: {answer.message}",
                is_warning=True,
                dedupe=(str(decision.subject),),
            )
            await super().act(told)

    def next_look_ms(self) -> int:
        """Look often while something is going away."""
        return _BUSY_MS if self._has_work else _IDLE_MS
