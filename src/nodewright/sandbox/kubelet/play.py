"""The play itself: look at the machines and the nodes, and bring the nodes after the machines.

A machine that runs and has no node boots: its user data is read once, everything around it at every
attempt, so a group that is opened or a policy that is attached lets it join a moment later. A machine that
ends takes its node along, as the cloud's part of the control plane would see to. All state is in the
cloud and the cluster; what is kept here only saves questions.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Final

import msgspec

from nodewright.catalog.table import Shape, bundled_table
from nodewright.kwok.machine import HELD
from nodewright.model.errors import UserError
from nodewright.sandbox.kubelet.access import Door
from nodewright.sandbox.kubelet.api import Api, Surroundings
from nodewright.sandbox.kubelet.boot import Boot, BootError
from nodewright.sandbox.kubelet.cloud import Cloud, mode_of, read_cluster
from nodewright.sandbox.kubelet.family import Image, image_of, read_user_data
from nodewright.sandbox.kubelet.fault import Fault, Weight
from nodewright.sandbox.kubelet.instance import ENDED, Instance, instance_id_of
from nodewright.sandbox.kubelet.judge import Facts, judge
from nodewright.sandbox.kubelet.node import Body, draft_node, fell_silent, not_ready

_AT_ONCE: Final = 8
_RETRY_MS: Final = 2_000
_UNREADY: Final = "not ready"
_SILENT: Final = "silent"
_NAME_IS_TAKEN: Final = "a node of this name is there still; trying again"
_SHUTDOWN: Final = {"key": "node.cloudprovider.kubernetes.io/shutdown", "effect": "NoSchedule"}

type Print = Callable[[str, str], None]
"""Puts a text on the console of an instance."""


class Attempt(msgspec.Struct):
    """What came of a machine's boot so far."""

    next_ms: int = 0
    boot: Boot | None = None
    is_over: bool = False
    console: str = ""


class Play:
    """Plays the kubelets of every machine that wants to join one cluster."""

    def __init__(self, cloud: Cloud, api: Api, say: Print) -> None:
        self._cloud = cloud
        self._api = api
        self._say = say
        self._attempts: dict[str, Attempt] = {}

    async def step(self, now_ms: int, now: str) -> None:
        """Bring the nodes up to the machines as they are now."""
        self._cloud.look_anew()
        instances = {one.id: one for one in await asyncio.to_thread(self._cloud.instances)}
        nodes = await self._api.nodes()
        await self._follow_ends(nodes, instances, now)
        joined = {_instance_of(node): node for node in nodes}
        due = [
            one
            for one in instances.values()
            if one.state == "running"
            and self._is_due(one.id, now_ms)
            and (one.id not in joined or _is_held(joined[one.id], _UNREADY))
        ]
        if due:
            around = await self._api.surroundings()
            gate = asyncio.Semaphore(_AT_ONCE)
            moment = _Moment(around, now_ms, now)
            await _each(self._boot(gate, one, joined.get(one.id), moment) for one in due)
        self._forget(instances)

    def _is_due(self, instance_id: str, now_ms: int) -> bool:
        attempt = self._attempts.get(instance_id)
        return attempt is None or (not attempt.is_over and attempt.next_ms <= now_ms)

    def _forget(self, instances: dict[str, Instance]) -> None:
        for gone in [one for one in self._attempts if one not in instances]:
            del self._attempts[gone]

    async def _follow_ends(
        self, nodes: Iterable[dict[str, Any]], instances: dict[str, Instance], now: str
    ) -> None:
        gate = asyncio.Semaphore(_AT_ONCE)
        await _each(
            self._follow(gate, node, instances.get(instance_id), now)
            for node in nodes
            if (instance_id := _instance_of(node))
        )

    async def _follow(
        self,
        gate: asyncio.Semaphore,
        node: dict[str, Any],
        instance: Instance | None,
        now: str,
    ) -> None:
        async with gate:
            if instance is None or instance.state == "terminated":
                if "deletionTimestamp" not in node["metadata"]:
                    await self._api.delete(node["metadata"]["name"])
            elif instance.state == "running":
                if _is_held(node, _SILENT):
                    await self._wake(node)
            elif not _is_held(node, _SILENT):
                await self._silence(node, instance, now)

    async def _silence(self, node: dict[str, Any], instance: Instance, now: str) -> None:
        name = node["metadata"]["name"]
        change: dict[str, Any] = {"metadata": {"annotations": {HELD: _SILENT}}}
        if instance.state not in ENDED:
            # The list is one value: whoever changes it writes all of it.
            change["spec"] = {"taints": [*node["spec"].get("taints", []), _SHUTDOWN]}
        await self._api.patch(name, change)
        await self._api.patch(name, fell_silent(now), "status")

    async def _wake(self, node: dict[str, Any]) -> None:
        taints = [one for one in node["spec"].get("taints", []) if one["key"] != _SHUTDOWN["key"]]
        change = {"metadata": {"annotations": {HELD: None}}, "spec": {"taints": taints}}
        await self._api.patch(node["metadata"]["name"], change)

    async def _boot(
        self,
        gate: asyncio.Semaphore,
        instance: Instance,
        node: dict[str, Any] | None,
        moment: "_Moment",
    ) -> None:
        async with gate:
            attempt = self._attempts.setdefault(instance.id, Attempt())
            attempt.next_ms = moment.now_ms + _RETRY_MS
            try:
                found = await asyncio.to_thread(self._examine, instance, attempt, moment.around)
                if found is None:
                    # It is a node of another cluster, which is not played here.
                    attempt.is_over = True
                    return
                body, faults = found
                is_there = await self._join(body, faults, node, moment)
            except (BootError, UserError) as problem:
                attempt.is_over = True
                self._show(instance.id, attempt, str(problem))
            else:
                attempt.is_over = is_there and all(one.weight <= Weight.LIMITED for one in faults)
                said = "\n".join(one.text for one in faults)
                self._show(instance.id, attempt, said if is_there else _NAME_IS_TAKEN)

    async def _join(
        self,
        body: Body,
        faults: tuple[Fault, ...],
        node: dict[str, Any] | None,
        moment: "_Moment",
    ) -> bool:
        """Register a node or bring it up to date; tell whether it is there, or need not be yet."""
        worst = max((fault.weight for fault in faults), default=Weight.LIMITED)
        if worst is Weight.ABSENT and node is None:
            return True
        problem = "; ".join(one.text for one in faults if one.weight > Weight.LIMITED)
        name = body.instance.dns_name
        if node is None:
            # An address is given out again while the node that had it is still on its way out.
            if not await self._api.create(draft_node(body, problem)):
                return False
        elif not problem:
            await self._api.patch(name, {"metadata": {"annotations": {HELD: None}}})
        if problem:
            await self._api.patch(name, not_ready(problem, moment.now), "status")
        return True

    def _examine(
        self, instance: Instance, attempt: Attempt, around: Surroundings
    ) -> tuple[Body, tuple[Fault, ...]] | None:
        image = image_of(self._cloud.image_name(instance.image_id))
        if attempt.boot is None:
            data = self._cloud.user_data(instance.id)
            attempt.boot = read_user_data(image.family, data)
        facts = self._gather(instance, image, attempt.boot, around)
        if facts.cluster is not None and not _is_home(facts, self._api.server):
            return None
        body = Body(
            instance=instance,
            image=image,
            shape=_shape_of(instance),
            boot=attempt.boot,
            zone_id=self._cloud.zone_id(instance.subnet_id),
            disks=self._cloud.disks(instance),
            daemons=around.daemons,
            kubelet_version=_version(image, around.version),
        )
        return body, judge(facts)

    def _gather(self, instance: Instance, image: Image, boot: Boot, around: Surroundings) -> Facts:
        cloud = self._cloud
        told = cloud.cluster(boot.cluster_name)
        role = cloud.role_of(instance.profile)
        mode = "" if told is None else mode_of(told)
        entries = {} if told is None or mode == "CONFIG_MAP" else cloud.entries(told["name"])
        own_role = around.plugin_has_role or (
            told is not None and cloud.has_association(told["name"], "kube-system", "aws-node")
        )
        return Facts(
            boot=boot,
            image=image,
            cluster=None if told is None else read_cluster(told),
            site=cloud.site(instance, told),
            role=role,
            allowed=cloud.allowed(role) if role else frozenset(),
            door=Door(mode, entries, around.aws_auth),
            daemons=around.daemons,
            plugin_has_role=own_role,
        )

    def _show(self, instance_id: str, attempt: Attempt, text: str) -> None:
        shown = text or "node registered"
        if shown != attempt.console:
            attempt.console = shown
            self._say(instance_id, shown)


class _Moment(msgspec.Struct, frozen=True):
    around: Surroundings
    now_ms: int
    now: str


async def _each(runs: Iterable[Coroutine[None, None, None]]) -> None:
    """Let all have their turn, then tell the first trouble."""
    for trouble in filter(None, await asyncio.gather(*runs, return_exceptions=True)):
        raise trouble


def _shape_of(instance: Instance) -> Shape:
    shape = bundled_table().shapes_by_name.get(instance.type)
    if shape is None:
        raise BootError(f"nobody here knows what a {instance.type} is")
    return shape


def _is_home(facts: Facts, server: str) -> bool:
    assert facts.cluster is not None
    return facts.cluster.endpoint.rstrip("/") == server.rstrip("/")


def _version(image: Image, server: str) -> str:
    """Give the kubelet's release: the server's own where the image is of the same minor."""
    minor = ".".join(server.removeprefix("v").split(".")[:2])
    return server if image.minor in ("", minor) else f"v{image.minor}.0"


def _instance_of(node: dict[str, Any]) -> str:
    return instance_id_of(node.get("spec", {}).get("providerID", ""))


def _is_held(node: dict[str, Any], why: str) -> bool:
    annotations = node["metadata"].get("annotations", {})
    return bool(annotations.get(HELD) == why)
