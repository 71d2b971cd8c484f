"""CapacityBuffer (`autoscaling.x-k8s.io/v1beta1`): room that is kept ready for pods to come."""

from typing import Annotated, Final

from nodewright.model.ec2nodeclass_terms import has
from nodewright.model.metadata import ObjectMeta, Struct
from nodewright.model.pod import Amounts
from nodewright.model.schema import Rule, about
from nodewright.model.schema_requirements import StatusCondition

ACTIVE_CAPACITY: Final = "buffer.x-k8s.io/active-capacity"
SCALABLE_KINDS: Final = ("Deployment", "StatefulSet", "ReplicaSet")


class LocalObjectRef(Struct, frozen=True):
    """An object of the same namespace."""

    name: Annotated[str, about("Its name.", required=True, minLength=1)] = ""


class ScalableRef(Struct, frozen=True):
    """A workload of the same namespace whose pods the buffer imitates."""

    api_group: Annotated[str, about("The workload's API group.", enum=["apps"], default="apps")] = (
        "apps"
    )
    kind: Annotated[str, about("Its kind.", required=True, enum=list(SCALABLE_KINDS))] = ""
    name: Annotated[str, about("Its name.", required=True, minLength=1)] = ""


class CapacityBufferSpec(Struct, frozen=True):
    """How much room, and of what shape."""

    provisioning_strategy: Annotated[
        str | None,
        about("How the room is kept.", default=ACTIVE_CAPACITY, maxLength=253),
    ] = ACTIVE_CAPACITY
    pod_template_ref: Annotated[
        LocalObjectRef | None, about("The PodTemplate that gives the shape of one piece.")
    ] = None
    scalable_ref: Annotated[
        ScalableRef | None, about("The workload whose pods give the shape of one piece.")
    ] = None
    replicas: Annotated[
        int | None, about("How many pieces to keep.", minimum=0, format="int32")
    ] = None
    percentage: Annotated[
        int | None,
        about(
            "How many pieces to keep, as a percentage of the workload's replicas (rounded up, "
            "at least 1); the larger of this and replicas counts.",
            minimum=0,
            format="int32",
        ),
    ] = None
    limits: Annotated[
        Amounts, about("The most that all pieces together may ask for; alone, it is the size.")
    ] = {}


_SPEC_RULES: Final = (
    Rule(
        "has(self.podTemplateRef) != has(self.scalableRef)",
        "set exactly one of podTemplateRef and scalableRef",
        lambda spec: has(spec, "podTemplateRef") != has(spec, "scalableRef"),
    ),
    Rule(
        "!has(self.podTemplateRef) || has(self.replicas) || has(self.limits)",
        "a buffer with podTemplateRef needs replicas or limits to tell its size",
        lambda spec: not has(spec, "podTemplateRef") or has(spec, "replicas", "limits"),
    ),
    Rule(
        "!has(self.percentage) || has(self.scalableRef)",
        "percentage needs a scalableRef to be a percentage of",
        lambda spec: not has(spec, "percentage") or has(spec, "scalableRef"),
    ),
)


class CapacityBufferStatus(Struct, frozen=True):
    """What became of it."""

    pod_template_ref: Annotated[LocalObjectRef | None, about("The PodTemplate that was used.")] = (
        None
    )
    replicas: Annotated[int | None, about("How many pieces are kept.", format="int32")] = None
    pod_template_generation: Annotated[
        int | None, about("The generation of the PodTemplate that was used.")
    ] = None
    provisioning_strategy: Annotated[str | None, about("How the room is kept.")] = None
    conditions: Annotated[tuple[StatusCondition, ...], about("What the controllers found.")] = ()


class CapacityBuffer(Struct, frozen=True):
    """Room that is kept ready for pods to come."""

    metadata: ObjectMeta
    spec: Annotated[
        CapacityBufferSpec,
        about("How much room, and of what shape.", *_SPEC_RULES, required=True),
    ] = CapacityBufferSpec()
    status: Annotated[CapacityBufferStatus, about("What became of it.")] = CapacityBufferStatus()
