"""CapacityBuffers and what they take their shape from."""

import msgspec

from builders.pods import a_pod
from nodewright.model.capacitybuffer import CapacityBuffer
from nodewright.model.metadata import ObjectMeta
from nodewright.model.pod import PodTemplate, PodTemplateObject, Workload, WorkloadSpec


def a_buffer(name="spare", **spec):
    """A buffer in namespace default; of the PodTemplate `shape` unless told."""
    if "scalableRef" not in spec:
        spec.setdefault("podTemplateRef", {"name": "shape"})
    meta = {"name": name, "namespace": "default", "uid": f"uid-{name}", "resourceVersion": "5"}
    return msgspec.convert({"metadata": meta, "spec": spec}, CapacityBuffer)


def a_pod_template(name="shape", **traits):
    """A PodTemplate whose pods have these traits of `a_pod`."""
    pod = a_pod("x", **traits)
    template = PodTemplate(metadata=ObjectMeta(labels=pod.metadata.labels), spec=pod.spec)
    meta = ObjectMeta(name=name, namespace="default", generation=3)
    return PodTemplateObject(metadata=meta, template=template)


def a_workload(name="web", replicas=4, **traits):
    """A ReplicaSet whose pods have these traits of `a_pod`."""
    template = a_pod_template(**traits).template
    return Workload(
        metadata=ObjectMeta(name=name, namespace="default"),
        spec=WorkloadSpec(template=template, replicas=replicas),
    )
