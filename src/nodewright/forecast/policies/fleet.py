"""Machines without claims: node groups launch them, let them join, drain them and give them back."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Final

import msgspec

from nodewright.core.disruption.protection import has_to_move
from nodewright.forecast.policies.node_groups import GROUP_LABEL, Group, pool_of
from nodewright.model.labels import UNREGISTERED_TAINT
from nodewright.model.metadata import Taint
from nodewright.model.node import Node
from nodewright.model.requirements import Requirements
from nodewright.model.resource import NODES, PODS, refer
from nodewright.ports.cloud import Launched, LaunchRequest, Machine
from nodewright.ports.kube import Options
from nodewright.sim.process import Ports
from nodewright.state.mirror import BY_NODE, BY_PROVIDER_ID, Change

GOING_TAINT: Final = "ToBeDeletedByClusterAutoscaler"
_PAUSE_MS: Final = 2_000
_DRAIN_MS: Final = 600_000


class Fleet:
    """The machines of some groups, as one process knows them."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._number = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self.machines: dict[str, tuple[Machine, Group]] = {}
        self.going: set[str] = set()
        self.has_news = True
        ports.listen(self._hear)

    def node_of(self, machine: Machine) -> Node | None:
        """Give the node that a machine has become, if it has."""
        found = self._ports.mirror.find(NODES, BY_PROVIDER_ID, machine.provider_id)
        return found[0] if found else None

    def count(self, group: Group) -> int:
        """Tell how many machines a group has or expects."""
        return sum(
            own.name == group.name and key not in self.going
            for key, (_, own) in self.machines.items()
        )

    def pod_count(self, machine: Machine) -> int:
        """Tell how many pods would have to move from a machine."""
        node = self.node_of(machine)
        pods = () if node is None else self._ports.mirror.find(PODS, BY_NODE, node.metadata.name)
        return sum(map(has_to_move, pods))

    async def launch(self, group: Group) -> bool:
        """Launch one machine of a group; tell whether there was one."""
        self._number += 1
        name = f"{group.name}-{self._number}"
        template = pool_of(group).spec.template
        request = LaunchRequest(
            token=name,
            claim=name,
            claim_uid=name,
            node_pool=group.name,
            node_class=None,
            requirements=Requirements.from_expressions(template.spec.requirements),
            instance_types=(group.instance_type,),
            labels={**group.labels, GROUP_LABEL: group.name},
            taints=group.taints,
        )
        answer = await self._ports.cloud.launch(request)
        if isinstance(answer, Launched):
            self.machines[answer.machine.provider_id] = (answer.machine, group)
            self.has_news = True
        return isinstance(answer, Launched)

    def remove(self, machine: Machine) -> None:
        """Drain a machine's node and give the machine back, beside whatever else goes on."""
        self.going.add(machine.provider_id)
        self._start(self._remove(machine))

    def forget_lost(self) -> None:
        """Forget machines whose node is gone, and those that never got one, after a while."""
        now_ms = self._ports.clock.now_ms()
        for key, (machine, _) in list(self.machines.items()):
            is_old = now_ms - machine.launched_ms > _DRAIN_MS
            if is_old and self.node_of(machine) is None:
                del self.machines[key]
                self.going.discard(key)
                self.has_news = True

    def _hear(self, changes: tuple[Change, ...]) -> None:
        for change in changes:
            if change.resource is PODS:
                self.has_news = True
            elif change.resource is NODES:
                self.has_news = True
                if isinstance(change.new, Node) and has_taint(change.new, UNREGISTERED_TAINT):
                    self._start(self._let_join(change.new))

    def _start(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _let_join(self, node: Node) -> None:
        """Take off the taint by which only claims are told from strangers."""
        await self._taint(node, lambda taints: [t for t in taints if t.key != UNREGISTERED_TAINT])

    async def _taint(self, node: Node, change: Callable[[list[Taint]], list[Taint]]) -> None:
        now = self._ports.mirror.get(NODES, node.metadata.name)
        if now is None:
            return
        wanted = change(list(now.spec.taints))
        body = {"spec": {"taints": [msgspec.to_builtins(one) for one in wanted]}}
        guard = Options(if_version=now.metadata.resource_version)
        answer = await self._ports.kube.patch(refer(NODES, now), body, guard)
        if not answer.is_done:
            await self._ports.clock.sleep_ms(_PAUSE_MS // 10)
            again = self._ports.mirror.get(NODES, node.metadata.name)
            if again is not None and again != now:
                await self._taint(again, change)

    async def _remove(self, machine: Machine) -> None:
        node = self.node_of(machine)
        if node is not None:
            going = Taint(key=GOING_TAINT, effect="NoSchedule")
            await self._taint(node, lambda taints: [*taints, going])
            await self._drain(node)
        await self._ports.cloud.terminate(machine.provider_id)
        self.machines.pop(machine.provider_id, None)
        self.going.discard(machine.provider_id)
        self.has_news = True

    async def _drain(self, node: Node) -> None:
        mirror, clock = self._ports.mirror, self._ports.clock
        end_ms = clock.now_ms() + _DRAIN_MS
        while clock.now_ms() < end_ms:
            pods = mirror.find(PODS, BY_NODE, node.metadata.name)
            staying = [pod for pod in pods if has_to_move(pod)]
            if not staying:
                return
            for pod in staying:
                if pod.metadata.deletion_timestamp is None:
                    await self._ports.kube.evict(refer(PODS, pod))
            await clock.sleep_ms(_PAUSE_MS)


def has_taint(node: Node, key: str) -> bool:
    """Tell whether a node has a taint."""
    return any(one.key == key for one in node.spec.taints)
