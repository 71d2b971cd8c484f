"""Karpenter in a forecast: our own controllers, with its way to plan and its way to consolidate.

What is the same in both is run as it is: batching, claims, launches, registration, draining, expiry,
interruptions. It promises no nodes to pods: the scheduler finds them by itself.
"""

from collections.abc import Iterable, Sequence

from nodewright.controllers.disruption import Disruption
from nodewright.controllers.loop import Controller, run_all
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.controllers.provisioning import Provisioning
from nodewright.core.disrupting import disrupt_and_tell
from nodewright.core.provisioning import carry_out
from nodewright.forecast.policies.karpenter_plan import plan_as_karpenter
from nodewright.forecast.policies.karpenter_rules import decide_as_karpenter
from nodewright.model.decision import Decision
from nodewright.model.world import World


class KarpenterProvisioning(Provisioning):
    """Plans by first fit."""

    def decide(self, world: World) -> Iterable[Decision]:
        """Plan."""
        return list(carry_out(world, plan_as_karpenter(world)))


class KarpenterDisruption(Disruption):
    """Lets nodes go by Karpenter's methods."""

    def decide(self, world: World) -> Iterable[Decision]:
        """Decide which nodes go."""
        decisions, self._look_again_ms = disrupt_and_tell(world, decide_as_karpenter)
        return decisions


async def autoscale(ports: Ports, controllers: Sequence[type[Controller]]) -> None:
    """Run all controllers, two of them by Karpenter's rules."""
    instead: dict[type[Controller], type[Controller]] = {
        Provisioning: KarpenterProvisioning,
        Disruption: KarpenterDisruption,
    }
    memory, settings = Memory(), Settings(nominates=False)
    kinds = [instead.get(one, one) for one in controllers]
    await run_all([one(ports, memory, settings) for one in kinds], is_strict=True)
