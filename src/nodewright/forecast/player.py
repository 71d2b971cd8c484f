"""Plays a trace into a simulated cluster: each entry becomes objects at its time.

One entry is read ahead, so that memory is bounded by what is alive. A pod that lasts is a Job of its own,
which starts over where its pod is moved; a pod that is there until an instant is a ReplicaSet of its own,
which brings it back.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from nodewright.model.duration import print_duration
from nodewright.model.metadata import LabelSelector, ObjectMeta
from nodewright.model.pod import PodTemplate, WorkloadSpec
from nodewright.model.resource import Resource
from nodewright.sim.furnish import Furnisher
from nodewright.sim.kubelet import RUNS_FOR
from nodewright.sim.objects import JOBS, REPLICA_SETS, RESOURCES, Job, JobSpec, ReplicaSet
from nodewright.sim.patches import merge
from nodewright.sim.scenario import CatalogWords, Scenario
from nodewright.sim.simulation import Simulation
from nodewright.trace.entry import Arrival, Entry, Scaling, Size, Thing, Trace

_USER: Final = "user"
_FOREVER: Final = 1_000_000
_OWNER: Final = "trace.nodewright.dev/of"
_KEPT_S: Final = 5
_replace = msgspec.structs.replace


class Player:
    """Puts the entries of a trace into a simulation, from its present instant on.

    What is there at the start of the trace comes `warm_ms` before it, so that it runs by then.
    """

    def __init__(
        self, sim: Simulation, trace: Trace, zones: tuple[str, ...], warm_ms: int = 0
    ) -> None:
        self._sim = sim
        self._entries = trace.entries
        self._warm_ms = warm_ms
        self._start_ms = sim.loop.now_ms() + warm_ms
        self._furnisher = Furnisher(sim, Scenario(trace.name, catalog=CatalogWords(zones=zones)))
        self._kinds: dict[str, str] = {}
        self._count = 0
        self.last_ms = 0

    def create(self, manifest: Any) -> None:
        """Create an object from a manifest."""
        self._furnisher.create(manifest)

    def begin(self) -> None:
        """Play what is due now, and plan the rest."""
        self._play(next(self._entries, None))

    def _play(self, entry: Entry | None) -> None:
        while entry is not None:
            due_ms = self._start_ms + entry.at_ms
            self.last_ms = entry.at_ms
            if entry.at_ms and due_ms > self._sim.loop.now_ms():
                self._sim.loop.at_ms(due_ms, self._play, entry)
                return
            self._do(entry)
            entry = next(self._entries, None)

    def _do(self, entry: Entry) -> None:
        match entry:
            case Thing():
                self.create(entry.manifest)
            case Arrival(lasts_ms=None):
                self._bring_service(entry)
            case Arrival():
                self._bring_job(entry)
            case Scaling():
                self._scale(entry)

    def _bring_job(self, entry: Arrival) -> None:
        assert entry.lasts_ms is not None, "it was asked before"
        lasts_ms = entry.lasts_ms + (0 if entry.at_ms else self._warm_ms)
        notes = {RUNS_FOR: print_duration(lasts_ms)}
        meta, template = self._named(entry, notes)
        spec = JobSpec(
            template=template,
            completions=entry.count,
            parallelism=entry.count,
            backoff_limit=_FOREVER,
            ttl_seconds_after_finished=_KEPT_S,
        )
        self._sim.api.create(JOBS, Job(metadata=meta, spec=spec), _USER)

    def _bring_service(self, entry: Arrival) -> None:
        meta, template = self._named(entry, {})
        selector = LabelSelector(match_labels=dict(template.metadata.labels))
        spec = WorkloadSpec(template=template, selector=selector, replicas=entry.count)
        self._sim.api.create(REPLICA_SETS, ReplicaSet(metadata=meta, spec=spec), _USER)
        if entry.until_ms is not None:
            due_ms = self._start_ms + entry.until_ms
            key = f"{meta.namespace}/{meta.name}"
            self._sim.loop.at_ms(due_ms, self._delete, REPLICA_SETS, key)

    def _named(self, entry: Arrival, notes: dict[str, str]) -> tuple[ObjectMeta, PodTemplate]:
        """Give a name that is used once, since a trace may use its names again."""
        space, _, name = entry.name.partition("/")
        self._count += 1
        self._sim.cluster.add_namespace(space)
        unique = f"{name}-{self._count}"
        return ObjectMeta(name=unique, namespace=space), template_of(entry.size, unique, notes)

    def _scale(self, entry: Scaling) -> None:
        kind = self._kinds.get(entry.name)
        if entry.replicas is None:
            if kind is not None:
                del self._kinds[entry.name]
                self._delete(RESOURCES[kind], entry.name)
        elif kind is None:
            assert entry.size is not None, "the reader has seen to that"
            self._kinds[entry.name] = entry.kind
            self._create_workload(entry, entry.size)
        else:
            self._sim.api.change(RESOURCES[kind], entry.name, _sized(entry), "hpa")

    def _create_workload(self, entry: Scaling, size: Size) -> None:
        space, _, name = entry.name.partition("/")
        self._sim.cluster.add_namespace(space)
        template = template_of(size, name, {})
        resource = RESOURCES[entry.kind]
        body: dict[str, Any] = {
            "template": template,
            "selector": LabelSelector(match_labels=dict(template.metadata.labels)),
        }
        if entry.kind != "DaemonSet":
            body["replicas"] = entry.replicas
        meta = ObjectMeta(name=name, namespace=space)
        made = resource.struct(metadata=meta)
        made = _replace(made, spec=_replace(made.spec, **body))
        self._sim.api.create(resource, made, _USER)

    def _delete(self, resource: Resource[Any], key: str) -> None:
        if self._sim.api.get(resource, key) is not None:
            self._sim.api.delete(resource, key, _USER)


def _sized(entry: Scaling) -> Callable[[Any], Any]:
    def changed(one: Any) -> Any:
        spec = one.spec
        if entry.kind != "DaemonSet":
            spec = _replace(spec, replicas=entry.replicas)
        if entry.size is not None:
            name = one.metadata.name
            spec = _replace(spec, template=template_of(entry.size, name, {}))
        return _replace(one, spec=spec)

    return changed


def template_of(size: Size, owner: str, notes: dict[str, str]) -> PodTemplate:
    """Give the pod that an entry is about; the owner's name is a label, for its selector."""
    spec = {"containers": [{"resources": {"requests": dict(size.resources)}}]}
    return msgspec.convert(
        {
            "metadata": {
                "labels": {**size.labels, _OWNER: owner},
                "annotations": {**size.annotations, **notes},
            },
            "spec": merge(spec, size.spec),
        },
        PodTemplate,
        strict=False,
    )
