"""The whole controller: every concern on one set of ports."""

from nodewright.controllers.buffers import Buffers
from nodewright.controllers.checkup import Checkups
from nodewright.controllers.disruptable import Disruptable
from nodewright.controllers.disruption import Disruption
from nodewright.controllers.ec2nodeclass import EC2NodeClasses
from nodewright.controllers.expiration import Expiration
from nodewright.controllers.garbage import Garbage
from nodewright.controllers.hydration import Hydration
from nodewright.controllers.interruption import Interruption
from nodewright.controllers.lifecycle import Lifecycle
from nodewright.controllers.loop import Controller, run_all
from nodewright.controllers.nodeclass import NodeClasses
from nodewright.controllers.nodepolicy import NodePolicies
from nodewright.controllers.nodepool import Consistency, NodePools
from nodewright.controllers.nominations import Nominations
from nodewright.controllers.older import OlderObjects
from nodewright.controllers.orchestration import Orchestration
from nodewright.controllers.perished import Perished
from nodewright.controllers.podevents import PodEvents
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.controllers.provisioning import Provisioning
from nodewright.controllers.repair import Repair
from nodewright.controllers.reserved import Reserved
from nodewright.controllers.static import StaticPools
from nodewright.controllers.tagging import Tagging
from nodewright.controllers.termination import Termination
from nodewright.controllers.transitions import Transitions
from nodewright.ports.classes import Classes

CONTROLLERS: tuple[type[Controller], ...] = (
    Provisioning, Lifecycle, Termination, Interruption, Garbage, Expiration, NodePools, NodeClasses,
    Consistency, PodEvents, Nominations, StaticPools, Buffers, OlderObjects, Perished,
    Hydration, Transitions, Disruption, Orchestration, Disruptable, Repair, Reserved, NodePolicies,
    Checkups,
)  # fmt: skip


async def run_controllers(
    ports: Ports,
    settings: Settings | None = None,
    memory: Memory | None = None,
    classes: Classes | None = None,
    *,
    is_strict: bool = False,
) -> None:
    """Run all controllers until the process ends or another one leads.

    Whoever has somebody that answers for classes gets the controllers that ask them.
    """
    given = (ports, memory or Memory(), settings or Settings())
    made = [_make(kind, given, classes) for kind in CONTROLLERS]
    if classes is not None:
        made.append(Tagging(*given, classes))
    await run_all(made, is_strict=is_strict)


def _make(
    kind: type[Controller], given: tuple[Ports, Memory, Settings], classes: Classes | None
) -> Controller:
    if kind is NodeClasses and classes is not None:
        return EC2NodeClasses(*given, classes)
    return kind(*given)


async def autoscale(ports: Ports) -> None:
    """Run all controllers strictly: what is broken stops them, as simulations want it."""
    await run_controllers(ports, is_strict=True)
