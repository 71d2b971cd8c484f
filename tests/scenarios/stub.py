"""A small autoscaler for tests: it plans with the real solver, and does the least that is right.

It stands in for the controllers: pending pods become claims, claims become machines, nodes are
registered and initialized, empty nodes are drained and given back, what is orphaned is collected.
"""

import asyncio
import hashlib

import msgspec

from nodewright.core.scheduling.solve import solve
from nodewright.model.instant import parse_instant, print_instant
from nodewright.model.labels import (
    DISRUPTED_TAINT,
    INITIALIZED,
    NODEPOOL,
    REGISTERED,
    TERMINATION_FINALIZER,
    UNREGISTERED_TAINT,
)
from nodewright.model.metadata import ObjectMeta
from nodewright.model.nodeclaim import NodeClaim, NodeClaimResources, NodeClaimSpec
from nodewright.model.quantity import parse_resources, print_resources
from nodewright.model.requirements import Requirements
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, NODES, PODS, key_of, refer
from nodewright.model.world import Options as WorldOptions
from nodewright.ports.cloud import Ended, Launched, LaunchFailed, LaunchFault, LaunchRequest
from nodewright.ports.kube import Notice, Options, Outcome
from nodewright.sim.checkers.machines import must_leave
from nodewright.sim.checkers.pods import is_held, is_unschedulable
from nodewright.sim.worldview import build_world
from nodewright.state.mirror import BY_NODE, BY_PROVIDER_ID

_BATCH_MS = 1_000
_SCAN_MS = 60_000
_EMPTY_MS = 30_000
_PATIENCE_MS = 120_000
_LAUNCHES_MAX = 20
_ORPHAN_MS = 60_000
_TIMEOUT_MS = 900_000
_STATUS = Options(subresource="status")


class Stub:
    """The autoscaler of one process."""

    def __init__(self, ports):
        self.ports = ports
        self.mirror = ports.mirror
        self.wake = asyncio.Event()
        self.expected: dict[str, int] = {}
        self.launching: set[str] = set()
        self.tasks: set[asyncio.Task] = set()
        self.empty_since: dict[str, int] = {}
        self.unsettled: set[str] = set()
        self.planned: dict[str, int] = {}
        self.work = asyncio.Event()
        ports.listen(self.heard)

    def heard(self, changes):
        for change in changes:
            self.expected.pop(change.key, None)
            if change.resource is NODE_CLAIMS:
                claim = change.new
                if claim is not None and not is_settled(claim):
                    self.unsettled.add(change.key)
                    self.work.set()
                else:
                    self.unsettled.discard(change.key)
            if change.resource is PODS:
                pod = change.new
                if pod is None or pod.spec.node_name:
                    old = pod or change.old
                    self.planned.pop(old.metadata.uid, None)
                elif is_unschedulable(pod) and pod.metadata.uid not in self.planned:
                    self.wake.set()

    async def run(self):
        while self.mirror.waiting_for():
            await self.ports.clock.sleep_ms(100)
        async with asyncio.TaskGroup() as group:
            group.create_task(self.provision_loop())
            group.create_task(self.claims_loop())
            group.create_task(self.scan_loop())
            group.create_task(self.collect_loop())

    async def provision_loop(self):
        while True:
            await self.wake.wait()
            await self.ports.clock.sleep_ms(_BATCH_MS)
            if not self.expected:
                self.wake.clear()
                await self.provision()
            now_ms = self.ports.clock.now_ms()
            self.expected = {k: t for k, t in self.expected.items() if now_ms - t < 60_000}

    async def provision(self):
        pending = [
            pod for pod in self.mirror.all(PODS) if not pod.spec.node_name and is_unschedulable(pod)
        ]
        if not pending:
            return
        # What was promised may fail, and then no pod changes: look again in a while.
        asyncio.get_running_loop().call_later(30, self.wake.set)
        now_ms = self.ports.clock.now_ms()
        if all(now_ms - self.planned.get(p.metadata.uid, 0) < _PATIENCE_MS for p in pending):
            return
        types = await self.ports.cloud.instance_types(None)
        if not isinstance(types, tuple):
            self.wake.set()
            return
        world = build_world(
            self.mirror.all, types, self.ports.clock.now_ms(), WorldOptions(pending_rule="live")
        )
        plan = solve(world)
        for pod in pending:
            self.planned[pod.metadata.uid] = now_ms
            refused = plan.unschedulable.get(key_of(pod.metadata))
            self.ports.kube.publish(
                Notice(
                    refer(PODS, pod),
                    "FailedScheduling" if refused else "Nominated",
                    refused.summary if refused else "a node is on its way",
                )
            )
        for node in plan.new_nodes:
            await self.claim(node)

    async def claim(self, node):
        pool = self.mirror.get(NODE_POOLS, node.node_pool)
        digest = hashlib.sha256("/".join(node.pods).encode()).hexdigest()[:8]
        name = f"{node.node_pool}-{digest}-{self.ports.clock.now_ms() % 10**8}"
        spec = pool.spec.template.spec
        labels = {NODEPOOL: node.node_pool, **pool.spec.template.metadata.labels}
        keep = set(node.instance_types[:60])
        requirements = [
            one
            for one in node.requirements.expressions()
            if one.key != "node.kubernetes.io/instance-type"
        ]
        kind = {
            "key": "node.kubernetes.io/instance-type",
            "operator": "In",
            "values": sorted(keep),
        }
        claim = NodeClaim(
            metadata=ObjectMeta(name=name, labels=labels, finalizers=(TERMINATION_FINALIZER,)),
            spec=NodeClaimSpec(
                node_class_ref=spec.node_class_ref,
                requirements=msgspec.convert(
                    [*msgspec.to_builtins(requirements), kind],
                    NodeClaimSpec.__annotations__["requirements"].__origin__,
                ),
                resources=NodeClaimResources(requests=dict(print_resources(node.requests))),
                taints=spec.taints,
                startup_taints=spec.startup_taints,
                expire_after=spec.expire_after,
                termination_grace_period=spec.termination_grace_period,
            ),
        )
        answer = await self.ports.kube.create(NODE_CLAIMS, claim)
        if answer.outcome in (Outcome.DONE, Outcome.UNREACHABLE):
            self.expected[name] = self.ports.clock.now_ms()

    async def claims_loop(self):
        while True:
            await self.work.wait()
            await self.ports.clock.sleep_ms(1_000)
            if not self.unsettled:
                self.work.clear()
            for name in sorted(self.unsettled):
                claim = self.mirror.get(NODE_CLAIMS, name)
                if claim is not None:
                    await self.step(claim)

    async def scan_loop(self):
        while True:
            await self.ports.clock.sleep_ms(_SCAN_MS)
            for claim in self.mirror.all(NODE_CLAIMS):
                if claim.metadata.name not in self.unsettled:
                    await self.step(claim)

    async def step(self, claim):
        name = claim.metadata.name
        if claim.metadata.deletion_timestamp is not None:
            await self.terminate(claim)
        elif not claim.status.provider_id:
            if name not in self.launching and len(self.launching) < _LAUNCHES_MAX:
                self.launching.add(name)
                task = asyncio.get_running_loop().create_task(self.launch(claim))
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)
        elif not has(claim, "Registered"):
            await self.register(claim)
        elif not has(claim, "Initialized"):
            await self.initialize(claim)
        else:
            await self.shrink(claim)

    async def launch(self, claim):
        meta = claim.metadata
        reqs = Requirements.from_expressions(claim.spec.requirements)
        names = tuple(sorted(reqs["node.kubernetes.io/instance-type"].values))
        request = LaunchRequest(
            token=meta.uid,
            claim=meta.name,
            claim_uid=meta.uid,
            node_pool=meta.labels[NODEPOOL],
            node_class=None,
            requirements=reqs,
            instance_types=names,
            requests=parse_resources(claim.spec.resources.requests),
            labels=meta.labels,
            taints=claim.spec.taints,
        )
        answer = await self.ports.cloud.launch(request)
        match answer:
            case Launched(machine=machine):
                status = {
                    "providerID": machine.provider_id,
                    "capacity": dict(print_resources(answer.capacity)),
                    "allocatable": dict(print_resources(answer.allocatable)),
                    "conditions": self.conditions(claim, "Launched"),
                }
                ref = refer(NODE_CLAIMS, claim)
                await self.ports.kube.patch(ref, {"metadata": {"labels": dict(answer.labels)}})
                await self.ports.kube.patch(ref, {"status": status}, _STATUS)
            case LaunchFailed(fault=LaunchFault.NO_CAPACITY):
                await self.ports.kube.delete(refer(NODE_CLAIMS, claim))
                self.planned.clear()
                self.wake.set()
        await self.ports.clock.sleep_ms(2_000)
        self.launching.discard(meta.name)

    def conditions(self, claim, *kinds):
        now = print_instant(self.ports.clock.now_ms())
        known = {one.type for one in claim.status.conditions}
        return [
            *msgspec.to_builtins(claim.status.conditions),
            *(
                {"type": kind, "status": "True", "reason": kind, "lastTransitionTime": now}
                for kind in kinds
                if kind not in known
            ),
        ]

    async def register(self, claim):
        nodes = self.mirror.find(NODES, BY_PROVIDER_ID, claim.status.provider_id)
        age_ms = self.ports.clock.now_ms() - parse_instant(claim.metadata.creation_timestamp)
        if not nodes:
            if age_ms > _TIMEOUT_MS:
                await self.ports.kube.delete(refer(NODE_CLAIMS, claim))
            return
        node = nodes[0]
        taints = [
            taint
            for taint in msgspec.to_builtins(node.spec.taints)
            if taint["key"] != UNREGISTERED_TAINT
        ]
        change = {
            "metadata": {
                "labels": {**claim.metadata.labels, REGISTERED: "true"},
                "finalizers": [*node.metadata.finalizers, TERMINATION_FINALIZER],
            },
            "spec": {"taints": taints},
        }
        guard = Options(if_version=node.metadata.resource_version)
        if TERMINATION_FINALIZER not in node.metadata.finalizers:
            answer = await self.ports.kube.patch(refer(NODES, node), change, guard)
            if not answer.is_done:
                return
        status = {
            "nodeName": node.metadata.name,
            "conditions": self.conditions(claim, "Registered"),
        }
        await self.ports.kube.patch(refer(NODE_CLAIMS, claim), {"status": status}, _STATUS)

    async def initialize(self, claim):
        node = self.mirror.get(NODES, claim.status.node_name)
        age_ms = self.ports.clock.now_ms() - parse_instant(claim.metadata.creation_timestamp)
        if node is None or not is_ready(node):
            if age_ms > _TIMEOUT_MS:
                await self.ports.kube.delete(refer(NODE_CLAIMS, claim))
            return
        change = {"metadata": {"labels": {INITIALIZED: "true"}}}
        await self.ports.kube.patch(refer(NODES, node), change)
        status = {"conditions": self.conditions(claim, "Initialized")}
        await self.ports.kube.patch(refer(NODE_CLAIMS, claim), {"status": status}, _STATUS)

    async def shrink(self, claim):
        name = claim.status.node_name
        node = self.mirror.get(NODES, name)
        if node is None or node.metadata.deletion_timestamp is not None:
            await self.ports.kube.delete(refer(NODE_CLAIMS, claim))
            return
        now_ms = self.ports.clock.now_ms()
        pods = self.mirror.find(PODS, BY_NODE, name)
        if any(must_leave(pod, now_ms) for pod in pods):
            self.empty_since.pop(name, None)
        elif now_ms - self.empty_since.setdefault(name, now_ms) > _EMPTY_MS:
            await self.ports.kube.delete(refer(NODE_CLAIMS, claim))

    async def terminate(self, claim):
        name = claim.status.node_name
        node = self.mirror.get(NODES, name) if name else None
        now_ms = self.ports.clock.now_ms()
        if node is not None and not await self.drained(node, now_ms):
            return
        if claim.status.provider_id:
            ended = await self.ports.cloud.terminate(claim.status.provider_id)
            if ended is Ended.TRY_AGAIN:
                return
            if ended is Ended.ACCEPTED and claim.metadata.name not in self.empty_since:
                self.empty_since[claim.metadata.name] = now_ms
                return
            seen = await self.ports.cloud.describe(claim.status.provider_id)
            if seen is not None:
                return
        elif claim.metadata.name in self.launching or await self.find_lost(claim):
            return
        if node is not None:
            await self.remove_node(node)
        ref = refer(NODE_CLAIMS, claim)
        await self.ports.kube.remove_finalizer(ref, claim, TERMINATION_FINALIZER)

    async def find_lost(self, claim):
        machines = await self.ports.cloud.list_machines()
        if not isinstance(machines, tuple):
            return True
        mine = [
            one
            for one in machines
            if one.tags.get("karpenter.sh/nodeclaim") == claim.metadata.name and one.is_alive
        ]
        for machine in mine:
            await self.ports.cloud.terminate(machine.provider_id)
        return bool(mine)

    async def drained(self, node, now_ms):
        ref = refer(NODES, node)
        if not any(taint.key == DISRUPTED_TAINT for taint in node.spec.taints):
            taints = [
                *msgspec.to_builtins(node.spec.taints),
                {"key": DISRUPTED_TAINT, "effect": "NoSchedule"},
            ]
            guard = Options(if_version=node.metadata.resource_version)
            await self.ports.kube.patch(ref, {"spec": {"taints": taints}}, guard)
            return False
        waiting = [
            pod
            for pod in self.mirror.find(PODS, BY_NODE, node.metadata.name)
            if must_leave(pod, now_ms)
        ]
        for pod in waiting:
            if pod.metadata.deletion_timestamp is None and not is_held(pod, now_ms):
                await self.ports.kube.evict(refer(PODS, pod))
        return not waiting

    async def remove_node(self, node):
        ref = refer(NODES, node)
        if node.metadata.deletion_timestamp is None:
            await self.ports.kube.delete(ref)
        await self.ports.kube.remove_finalizer(ref, node, TERMINATION_FINALIZER)

    async def collect_loop(self):
        alone: dict[str, int] = {}
        rounds = 0
        while True:
            rounds += 1
            await self.ports.clock.sleep_ms(10_000 if rounds < 20 else 120_000)
            machines = await self.ports.cloud.list_machines()
            if not isinstance(machines, tuple):
                continue
            now_ms = self.ports.clock.now_ms()
            for machine in machines:
                claim = self.mirror.get(NODE_CLAIMS, machine.tags.get("karpenter.sh/nodeclaim", ""))
                if claim is not None or not machine.is_alive:
                    alone.pop(machine.provider_id, None)
                elif now_ms - alone.setdefault(machine.provider_id, now_ms) > _ORPHAN_MS:
                    await self.ports.cloud.terminate(machine.provider_id)
            await self.collect_claims({one.provider_id for one in machines if one.is_alive})
            await self.collect_nodes({one.provider_id for one in machines})

    async def collect_claims(self, known):
        for claim in self.mirror.all(NODE_CLAIMS):
            lost = claim.status.provider_id not in known and has(claim, "Registered")
            if lost and claim.metadata.deletion_timestamp is None:
                node = self.mirror.get(NODES, claim.status.node_name)
                if node is None or not is_ready(node):
                    await self.ports.kube.delete(refer(NODE_CLAIMS, claim))

    async def collect_nodes(self, known):
        owned = {claim.status.node_name for claim in self.mirror.all(NODE_CLAIMS)}
        for node in self.mirror.all(NODES):
            mine = TERMINATION_FINALIZER in node.metadata.finalizers
            if mine and node.spec.provider_id not in known and node.metadata.name not in owned:
                await self.remove_node(node)


def is_settled(claim):
    return claim.metadata.deletion_timestamp is None and has(claim, "Initialized")


def is_ready(node):
    return any(one.type == "Ready" and one.status == "True" for one in node.status.conditions)


def has(claim, kind):
    return any(one.type == kind and one.status == "True" for one in claim.status.conditions)


async def autoscale(ports):
    """Run the stub until it is killed."""
    await Stub(ports).run()
