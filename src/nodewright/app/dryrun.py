"""A dry run: everything is decided and told to witnesses, and nothing is written anywhere.

Whoever would act is answered that it is not allowed, so each decision is taken up again later and
later, and nobody believes that something was done.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from nodewright.model.disruption import RepairRule
from nodewright.model.instance import InstanceType
from nodewright.model.nodeclass import NodeClass
from nodewright.model.pod import Pod
from nodewright.model.resource import Object, Ref, Resource
from nodewright.ports.cloud import (
    Cloud,
    Deaf,
    Ended,
    Launched,
    LaunchFailed,
    LaunchFault,
    LaunchRequest,
    Machine,
    MachineStatus,
    QueueFault,
    Unavailable,
)
from nodewright.ports.cloud import Notice as CloudNotice
from nodewright.ports.kube import Answer, Json, Notice, Options, Outcome

NOT_DONE: Final = Answer(Outcome.BLOCKED, "dry run: nothing is written")
_PLAIN: Final = Options()
_NO_QUEUE_MS: Final = 600_000


class DryKube:
    """A cluster on which nothing is done; keeps the promise of `ports.kube.Kube`."""

    async def create[T: Object](
        self, resource: Resource[T], thing: T, options: Options = _PLAIN
    ) -> Answer:
        """Create nothing."""
        del resource, thing, options
        return NOT_DONE

    async def create_all[T: Object](
        self, resource: Resource[T], things: Sequence[T], options: Options = _PLAIN
    ) -> tuple[Answer, ...]:
        """Create nothing."""
        del resource, options
        return tuple(NOT_DONE for _ in things)

    async def patch(self, ref: Ref, change: Json, options: Options = _PLAIN) -> Answer:
        """Change nothing."""
        del ref, change, options
        return NOT_DONE

    async def patch_list(
        self, ref: Ref, steps: Sequence[Json], options: Options = _PLAIN
    ) -> Answer:
        """Change nothing."""
        del ref, steps, options
        return NOT_DONE

    async def apply(self, ref: Ref, wanted: Json, options: Options = _PLAIN) -> Answer:
        """Change nothing."""
        del ref, wanted, options
        return NOT_DONE

    async def delete(self, ref: Ref, options: Options = _PLAIN) -> Answer:
        """Delete nothing."""
        del ref, options
        return NOT_DONE

    async def evict(self, pod: Ref, options: Options = _PLAIN) -> Answer:
        """Evict nobody."""
        del pod, options
        return NOT_DONE

    async def list_pods(self, node: str) -> tuple[Pod, ...] | Answer:
        """Ask nothing: no machine is about to end."""
        del node
        return NOT_DONE

    async def add_finalizer(self, ref: Ref, thing: Object, finalizer: str) -> Answer:
        """Hold nothing back."""
        del ref, thing, finalizer
        return NOT_DONE

    async def remove_finalizer(self, ref: Ref, thing: Object, finalizer: str) -> Answer:
        """Let nothing go."""
        del ref, thing, finalizer
        return NOT_DONE

    def publish(self, notice: Notice) -> bool:
        """Publish nothing."""
        del notice
        return False


class DryCloud:
    """A cloud that may be looked at; keeps the promise of `ports.cloud.Cloud`."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    async def instance_types(
        self, node_class: NodeClass | None
    ) -> tuple[InstanceType, ...] | Unavailable:
        """Give what is on sale."""
        return await self._cloud.instance_types(node_class)

    async def launch(self, request: LaunchRequest) -> Launched | LaunchFailed:
        """Launch nothing."""
        del request
        return LaunchFailed(LaunchFault.TRANSIENT, "DryRun", NOT_DONE.message)

    async def describe(self, provider_id: str) -> Machine | Unavailable | None:
        """Give one machine."""
        return await self._cloud.describe(provider_id)

    async def list_machines(self) -> tuple[Machine, ...] | Unavailable:
        """Give every machine."""
        return await self._cloud.list_machines()

    async def terminate(self, provider_id: str) -> Ended:
        """End nothing."""
        del provider_id
        return Ended.TRY_AGAIN

    async def receive_notices(self) -> tuple[CloudNotice, ...] | Deaf:
        """Hear nothing: a message that is received here is hidden from the one who acts."""
        return Deaf(QueueFault.UNSET, NOT_DONE.message, _NO_QUEUE_MS)

    async def acknowledge(self, receipts: tuple[str, ...]) -> int:
        """Leave the messages where they are."""
        del receipts
        return 0

    def mark_unavailable(self, labels: Mapping[str, str]) -> None:
        """Take note of nothing: nothing was ended."""
        del labels

    def repair_rules(self) -> tuple[RepairRule, ...]:
        """Give the node conditions that mean a broken machine."""
        return self._cloud.repair_rules()

    async def statuses(self) -> tuple[MachineStatus, ...] | Unavailable:
        """Give the machines that are unwell."""
        return await self._cloud.statuses()
