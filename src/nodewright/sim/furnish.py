"""From a scenario's words to objects on the API server, and to things that happen later."""

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from nodewright.model.errors import UserError
from nodewright.model.labels import HOSTNAME, SPOT, ZONE
from nodewright.model.quantity import parse_resources
from nodewright.sim.kubelet import RUNS_FOR, Host
from nodewright.sim.objects import RESOURCES
from nodewright.sim.patches import merge
from nodewright.sim.refusals import Refused
from nodewright.sim.scenario import (
    CODE,
    CurveWords,
    EventWords,
    NodeWords,
    Scenario,
    WorkloadWords,
    read_ms,
)
from nodewright.sim.simulation import Simulation

_USER: Final = "user"
_DAY_MS: Final = 24 * 3_600_000
_BASICS: Final = {"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}


class Furnisher:
    """Puts a scenario's contents into a simulation."""

    def __init__(self, sim: Simulation, scenario: Scenario) -> None:
        self._sim = sim
        self._scenario = scenario
        self._start_ms = sim.loop.now_ms()
        self._chance = sim.ground.chance.stream("scenario")

    def furnish(self) -> None:
        """Make everything that is there at the start, and plan what comes later."""
        zones = self._scenario.catalog.zones
        number = 0
        for words in self._scenario.nodes:
            for _ in range(words.count):
                self._sim.cluster.kubelets.join(_host(words, number, zones))
                number += 1
        for manifest in self._scenario.objects:
            self.create(manifest)
        for workload in self._scenario.workloads:
            self.create(workload_manifest(workload))
            if workload.curve is not None:
                self._plan_curve(workload, workload.curve)
        for event in self._scenario.events:
            self._sim.loop.at_ms(self._start_ms + read_ms(event.at), self._happen, event)

    def create(self, manifest: Mapping[str, Any]) -> None:
        """Create an object from a manifest, and its namespace if need be."""
        kind = str(manifest.get("kind", ""))
        resource = RESOURCES.get(kind)
        if resource is None:
            raise UserError(f"objects: the simulator knows no kind {kind!r}", code=CODE)
        name = manifest.get("metadata", {}).get("name", "")
        try:
            thing = msgspec.convert(manifest, resource.struct, strict=False)
            if resource.namespaced and thing.metadata.namespace:
                self._sim.cluster.add_namespace(thing.metadata.namespace)
            self._sim.api.create(resource, thing, _USER)
        except msgspec.ValidationError as error:
            raise UserError(f"objects: {kind} {name}: {error}", code=CODE) from None
        except Refused as refusal:
            raise UserError(f"objects: {kind} {name}: {refusal.message}", code=CODE) from None

    def _happen(self, event: EventWords) -> None:
        if event.scale:
            self.scale(event.scale, event.replicas)
        if event.create:
            self.create(event.create)
        if event.edit:
            self.edit(event.edit)
        if event.delete:
            kind, _, key = event.delete.partition("/")
            if kind in RESOURCES and self._sim.api.get(RESOURCES[kind], key) is not None:
                self._sim.api.delete(RESOURCES[kind], key, _USER)
        if event.interrupt:
            self._interrupt(event.interrupt)
        for name, depth in event.depth.items():
            kind, zone, capacity_type = name.split("/")
            self._sim.market.set_depth((kind, zone, capacity_type), depth)
        if event.kill and self._sim.process is not None:
            self._sim.process.kill()

    def edit(self, manifest: Mapping[str, Any]) -> None:
        """Merge a manifest into the object that it names."""
        resource, meta = RESOURCES[manifest["kind"]], manifest["metadata"]
        space = meta.get("namespace", "")
        key = f"{space}/{meta['name']}" if space else meta["name"]

        def edited(one: Any) -> Any:
            return msgspec.convert(merge(msgspec.to_builtins(one), manifest), resource.struct)

        self._sim.api.change(resource, key, edited, "user")

    def _interrupt(self, share: float) -> None:
        for instance in list(self._sim.ec2.instances.values()):
            if instance.key[2] == SPOT and self._chance.happens(share):
                self._sim.ec2.interrupt(instance.provider_id)

    def scale(self, target: str, replicas: int) -> None:
        """Set the size of a workload (`Deployment/default/web`)."""
        kind, _, key = target.partition("/")
        if kind not in RESOURCES:
            raise UserError(f"events: scale names no known kind: {target!r}", code=CODE)

        def sized(one: Any) -> Any:
            spec = msgspec.structs.replace(one.spec, replicas=replicas)
            return msgspec.structs.replace(one, spec=spec)

        self._sim.api.change(RESOURCES[kind], key, sized, "hpa")

    def _plan_curve(self, workload: WorkloadWords, curve: CurveWords) -> None:
        target = f"{workload.kind}/{workload.namespace}/{workload.name}"
        if curve.points:
            for at, replicas in curve.points:
                due_ms = self._start_ms + read_ms(at)
                self._sim.loop.at_ms(due_ms, self.scale, target, replicas)
            return
        wanted = daily_curve(curve, self._chance.normal)
        step_ms = read_ms(curve.every)

        def step() -> None:
            self.scale(target, wanted(self._sim.loop.now_ms()))
            self._sim.loop.after_ms(step_ms, step)

        step()


def daily_curve(curve: CurveWords, normal: Callable[[], float]) -> Callable[[int], int]:
    """Give the function from an instant to the replicas of a day's curve."""

    def wanted(now_ms: int) -> int:
        hour = (now_ms % _DAY_MS) / 3_600_000
        share = (1 + round(math.cos((hour - curve.peak) / 24 * 2 * math.pi), 9)) / 2
        size = curve.low + share * (curve.high - curve.low)
        noisy = size * (1 + curve.noise * normal()) if curve.noise else size
        return max(0, round(noisy))

    return wanted


def workload_manifest(words: WorkloadWords) -> dict[str, Any]:
    """Give the manifest that a workload's words stand for."""
    labels = {"app": words.name, **words.labels}
    annotations = dict(words.annotations)
    if words.runs_for:
        annotations[RUNS_FOR] = words.runs_for
    spec: dict[str, Any] = {
        "containers": [{"resources": {"requests": {"cpu": words.cpu, "memory": words.memory}}}]
    }
    template = {
        "metadata": {"labels": labels, "annotations": annotations},
        "spec": merge(spec, words.pod),
    }
    meta = {"name": words.name, "namespace": words.namespace}
    body: dict[str, Any] = {"template": template}
    if words.kind in ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"):
        body["selector"] = {"matchLabels": labels}
    if words.kind in ("Deployment", "ReplicaSet", "StatefulSet"):
        body["replicas"] = words.replicas
    if words.kind in ("Job", "CronJob"):
        body |= {"completions": words.replicas, "parallelism": words.replicas}
        body["ttlSecondsAfterFinished"] = 60
    if words.volume:
        claim = {"storageClassName": words.volume, "accessModes": ["ReadWriteOnce"]}
        body["volumeClaimTemplates"] = [{"metadata": {"name": "data"}, "spec": claim}]
    if words.kind == "CronJob":
        body = {"schedule": words.schedule, "jobTemplate": {"spec": body}}
    return {"kind": words.kind, "metadata": meta, "spec": body}


def _host(words: NodeWords, number: int, zones: tuple[str, ...]) -> Host:
    name = f"node-{number + 1}"
    room = parse_resources({"cpu": words.cpu, "memory": words.memory, "pods": words.pods})
    zone = words.zone or zones[number % len(zones)]
    labels = {**_BASICS, ZONE: zone, HOSTNAME: name, **words.labels}
    return Host(name, f"static:///{name}", room, room, labels)
