"""Cluster Autoscaler in a forecast: it looks every ten seconds, grows one group, and shrinks what is unneeded.

It has groups and no claims, and knows nothing of prices but through its expander. Warnings before spot
machines are taken back are not for it to hear: their pods wait for a new node when the old one is gone.
"""

from collections.abc import Mapping

from nodewright.forecast.policies.cluster_autoscaler_rules import (
    Option,
    choose,
    coming_node,
    find_helpless,
    fits_elsewhere,
    may_drain,
    use_of,
    weigh,
)
from nodewright.forecast.policies.fleet import Fleet
from nodewright.forecast.policies.node_groups import GROUP_LABEL, Autoscaling, Group
from nodewright.model.instance import InstanceType
from nodewright.model.labels import CAPACITY_TYPE, HOSTNAME, ZONE
from nodewright.model.node import Node
from nodewright.model.pod import Pod
from nodewright.model.world import Options, World
from nodewright.ports.cloud import Machine
from nodewright.sim.process import Ports
from nodewright.sim.worldview import build_world


class ClusterAutoscaler:
    """One process of it."""

    def __init__(self, ports: Ports, settings: Autoscaling) -> None:
        self._ports = ports
        self._settings = settings
        self._fleet = Fleet(ports)
        self._unneeded: dict[str, int] = {}
        self._backoff: dict[str, int] = {}
        self._added_ms = -(1 << 60)

    async def run(self) -> None:
        """Look and act until the process ends."""
        while self._ports.mirror.waiting_for():
            await self._ports.clock.sleep_ms(100)
        for group in self._settings.groups:
            for _ in range(group.min):
                await self._fleet.launch(group)
        while True:
            self._fleet.forget_lost()
            if self._fleet.has_news:
                await self._turn()
            else:
                # Where nothing has changed, what was unneeded still is, and only grows older.
                self._shrink()
            await self._ports.clock.sleep_ms(self._settings.scan_interval * 1000)

    async def _turn(self) -> None:
        self._fleet.has_news = False
        types = await self._ports.cloud.instance_types(None)
        if not isinstance(types, tuple):
            self._fleet.has_news = True
            return
        by_name = {one.name: one for one in types}
        world = self._world(types)
        helpless = find_helpless(world)
        if helpless and await self._grow(world, helpless, by_name):
            return
        if helpless:
            # They wait for a group to come back, or for nothing at all: look again in any case.
            self._fleet.has_news = True
        self._judge_unneeded(world)
        self._shrink()

    def _world(self, types: tuple[InstanceType, ...]) -> World:
        """Give the cluster with machines on their way as nodes that are there."""
        now_ms = self._ports.clock.now_ms()
        options = Options(pending_rule="live")
        world = build_world(self._ports.mirror.all, types, now_ms, options)
        by_name = {one.name: one for one in types}
        coming = {}
        for key, (machine, group) in self._fleet.machines.items():
            node = self._fleet.node_of(machine)
            if key not in self._fleet.going and (node is None or not is_ready(node)):
                name = key if node is None else node.metadata.name
                coming[name] = self._coming(name, machine, group, by_name)
        ready = [node for node in world.nodes if node.metadata.name not in coming]
        settled = {node.metadata.name: node for node in (*ready, *coming.values())}
        nodes = tuple(settled[name] for name in sorted(settled))
        return World(
            now_ms=now_ms,
            pods=world.pods,
            nodes=nodes,
            daemon_sets=world.daemon_sets,
            namespaces=world.namespaces,
            volume_claims=world.volume_claims,
            volumes=world.volumes,
            storage_classes=world.storage_classes,
            disruption_budgets=world.disruption_budgets,
            options=options,
        )

    def _coming(
        self, name: str, machine: Machine, group: Group, by_name: Mapping[str, InstanceType]
    ) -> Node:
        labels = {
            **group.labels,
            GROUP_LABEL: group.name,
            ZONE: machine.zone,
            CAPACITY_TYPE: machine.capacity_type,
            HOSTNAME: name,
        }
        return coming_node(name, group, by_name[machine.instance_type], labels)

    async def _grow(
        self, world: World, helpless: tuple[Pod, ...], by_name: Mapping[str, InstanceType]
    ) -> bool:
        """Grow the group that the expander takes; tell whether any did."""
        now_ms = world.now_ms
        options: list[Option] = []
        for group in self._settings.groups:
            room = group.max - self._fleet.count(group)
            if room <= 0 or self._backoff.get(group.name, 0) > now_ms:
                continue
            option = weigh(world, helpless, group, by_name[group.instance_type])
            if option is not None:
                options.append(option)
        if not options:
            return False
        chosen = choose(options, self._settings.expander, self._ports.random.fraction())
        group = chosen.group
        room = group.max - self._fleet.count(group)
        self._added_ms = now_ms
        for _ in range(min(chosen.node_count, room)):
            if not await self._fleet.launch(group):
                self._backoff[group.name] = now_ms + self._settings.node_group_backoff * 1000
                self._fleet.has_news = True
                break
        return True

    def _judge_unneeded(self, world: World) -> None:
        """Take note of nodes that nobody needs, and since when."""
        pods_of: dict[str, list[Pod]] = {}
        for pod in world.pods:
            pods_of.setdefault(pod.spec.node_name, []).append(pod)
        found: dict[str, int] = {}
        for key, (machine, _) in self._fleet.machines.items():
            node = self._fleet.node_of(machine)
            if node is None or key in self._fleet.going or not is_ready(node):
                continue
            name = node.metadata.name
            pods = pods_of.get(name, [])
            if use_of(node, pods) >= self._settings.scale_down_utilization_threshold:
                continue
            if not may_drain(pods, world.disruption_budgets, world.now_ms):
                continue
            if fits_elsewhere(world, name):
                found[key] = self._unneeded.get(key, world.now_ms)
        self._unneeded = found

    def _shrink(self) -> None:
        """Give back what has been unneeded for long enough: empty nodes together, others one by one."""
        now_ms, settings = self._ports.clock.now_ms(), self._settings
        if now_ms - self._added_ms < settings.scale_down_delay_after_add * 1000:
            return
        ripe_ms = settings.scale_down_unneeded_time * 1000
        ripe = [key for key, since_ms in self._unneeded.items() if now_ms - since_ms >= ripe_ms]
        drained = bool(self._fleet.going)
        empty_count = 0
        for key in sorted(ripe, key=lambda one: (self._load(one), one)):
            machine, group = self._fleet.machines[key]
            if self._fleet.count(group) <= group.min:
                continue
            if self._load(key) == 0:
                if empty_count < settings.max_empty_bulk_delete:
                    empty_count += 1
                    self._unneeded.pop(key)
                    self._fleet.remove(machine)
            elif not drained and not empty_count:
                drained = True
                self._unneeded.pop(key)
                self._fleet.remove(machine)

    def _load(self, key: str) -> int:
        """Tell how many pods would have to move from a machine."""
        return self._fleet.pod_count(self._fleet.machines[key][0])


def is_ready(node: Node) -> bool:
    """Tell whether pods can come to a node."""
    is_well = any(one.type == "Ready" and one.status == "True" for one in node.status.conditions)
    return is_well and not any(one.key.startswith("node.") for one in node.spec.taints)


async def autoscale(ports: Ports, settings: Autoscaling) -> None:
    """Run it until the process ends."""
    await ClusterAutoscaler(ports, settings).run()
