"""A machine as a Node: the Node object is all there is of it, from its launch to its end.

It is written at once, bare: without providerID, labels and capacity, so that nobody takes it for a
node yet, and with an annotation that says when it boots. What is written down survives the process,
so a restart neither launches again nor waits again. Booting fills in the rest, the providerID last:
who has one has everything. KWOK takes only Nodes that are its own from the beginning, so they are;
in a sandbox it holds them until they boot. An end is an annotation too; the object goes when its
finalizers do.
"""

from typing import Any, Final

import msgspec

from nodewright.kwok.choice import Choice
from nodewright.kwok.wishes import PREFIX, Wishes
from nodewright.model.decision import digest
from nodewright.model.instant import print_instant, read_instant
from nodewright.model.labels import (
    CAPACITY_TYPE,
    HOSTNAME,
    INSTANCE_TYPE,
    NODEPOOL,
    UNREGISTERED_TAINT,
    ZONE,
    add_aliases,
    normalize_key,
)
from nodewright.model.metadata import ObjectMeta, Taint
from nodewright.model.node import Node, NodeSpec
from nodewright.model.quantity import Resources, parse_resources, print_resources
from nodewright.model.resource import NODE_CLAIMS
from nodewright.ports.cloud import Launched, LaunchRequest, Machine

SCHEME: Final = "kwok://"
CLAIM: Final = "karpenter.sh/nodeclaim"
PLAYED: Final = "kwok.x-k8s.io/node"
HELD: Final = "sandbox.nodewright.dev/hold"
TYPE_LABEL: Final = "type"
CLAIM_UID: Final = f"{PREFIX}claim-uid"
TOKEN: Final = f"{PREFIX}token"
MACHINE: Final = f"{PREFIX}machine"
LAUNCHED_AT: Final = f"{PREFIX}launched-at"
BOOTS_AT: Final = f"{PREFIX}boots-at"
ENDED_AT: Final = f"{PREFIX}ended-at"
_UNREGISTERED: Final = Taint(key=UNREGISTERED_TAINT, effect="NoExecute")


class Shape(msgspec.Struct, frozen=True, rename="camel"):
    """What a bare machine will be once it has booted."""

    labels: dict[str, str]
    capacity: dict[str, str]
    allocatable: dict[str, str]
    taints: tuple[Taint, ...] = ()
    registers: bool = True


def name_machine(request: LaunchRequest) -> str:
    """Name the one machine that a token can ever start."""
    return f"kwok-{digest(request.token)}"


def draft_machine(request: LaunchRequest, choice: Choice, wishes: Wishes, now_ms: int) -> Node:
    """Write a machine that was just launched."""
    name = name_machine(request)
    kind = choice.type
    shape = Shape(
        labels={**add_aliases(choice.labels), HOSTNAME: name, TYPE_LABEL: "kwok"},
        capacity=dict(print_resources(kind.capacity)),
        allocatable=dict(print_resources(kind.allocatable)),
        taints=request.taints,
        registers=not wishes.never_registers,
    )
    return Node(
        metadata=ObjectMeta(
            name=name,
            annotations={
                CLAIM: request.claim,
                CLAIM_UID: request.claim_uid,
                NODEPOOL: request.node_pool,
                TOKEN: request.token,
                LAUNCHED_AT: print_instant(now_ms),
                BOOTS_AT: print_instant(now_ms + wishes.boot_ms),
                MACHINE: msgspec.json.encode(shape, order="sorted").decode(),
                **({} if wishes.never_ready else {PLAYED: "fake", HELD: "booting"}),
            },
        ),
        spec=NodeSpec(taints=(_UNREGISTERED,)),
    )


def is_machine(node: Node) -> bool:
    """Tell whether a Node is a machine of ours, or one that Karpenter's KWOK provider left."""
    return CLAIM_UID in node.metadata.annotations or node.spec.provider_id.startswith(SCHEME)


def is_ended(node: Node) -> bool:
    """Tell whether a machine was given back."""
    return ENDED_AT in node.metadata.annotations


def provider_id_of(node: Node) -> str:
    """Give a machine's provider id, which it has before its Node says so."""
    return node.spec.provider_id or f"{SCHEME}{node.metadata.name}"


def name_of(provider_id: str) -> str:
    """Give the name of the Node behind a provider id."""
    return provider_id.removeprefix(SCHEME)


def describe(node: Node) -> Machine:
    """Tell what the cloud would of a machine."""
    said, shape = node.metadata.annotations, read_shape(node)
    labels = {**(shape.labels if shape is not None else {}), **node.metadata.labels}
    state = "running" if node.spec.provider_id else "pending"
    return Machine(
        provider_id=provider_id_of(node),
        state="terminated" if is_ended(node) else state,
        instance_type=labels.get(INSTANCE_TYPE, ""),
        zone=labels.get(ZONE, ""),
        capacity_type=labels.get(CAPACITY_TYPE, ""),
        launched_ms=_instant(said.get(LAUNCHED_AT) or node.metadata.creation_timestamp or ""),
        tags={CLAIM: said.get(CLAIM) or _owner(node), NODEPOOL: said.get(NODEPOOL, "")},
    )


def launched(node: Node) -> Launched:
    """Give the answer to the launch that made a machine."""
    shape = read_shape(node) or Shape({}, {}, {})
    return Launched(
        machine=describe(node),
        labels={
            name: value
            for name, value in shape.labels.items()
            if name not in _NODE_ONLY and normalize_key(name) == name
        },
        capacity=_amounts(shape.capacity),
        allocatable=_amounts(shape.allocatable),
    )


def boots_at_ms(node: Node) -> int | None:
    """Give the instant at which a bare machine becomes a node, or nothing where it never does."""
    if node.spec.provider_id or is_ended(node) or node.metadata.deletion_timestamp is not None:
        return None
    shape, written = read_shape(node), node.metadata.annotations.get(BOOTS_AT)
    if shape is None or not shape.registers or written is None:
        return None
    return _instant(written)


def boot_status(shape: Shape) -> dict[str, Any]:
    """Give the change that tells what a machine has."""
    return {"status": {"capacity": shape.capacity, "allocatable": shape.allocatable}}


def boot_node(node: Node, shape: Shape) -> dict[str, Any]:
    """Give the change that makes a bare machine a node."""
    known = {(one.key, one.effect) for one in node.spec.taints}
    added = [one for one in shape.taints if (one.key, one.effect) not in known]
    return {
        "metadata": {
            "labels": shape.labels,
            "annotations": {HELD: None},
        },
        "spec": {
            "providerID": f"{SCHEME}{node.metadata.name}",
            "taints": msgspec.to_builtins([*node.spec.taints, *added]),
        },
    }


def read_shape(node: Node) -> Shape | None:
    """Read what a machine is, where it is one of ours."""
    written = node.metadata.annotations.get(MACHINE)
    if written is None:
        return None
    try:
        return msgspec.json.decode(written, type=Shape)
    except msgspec.DecodeError:
        return None


_NODE_ONLY: Final = (HOSTNAME, TYPE_LABEL)


def _owner(node: Node) -> str:
    owners = node.metadata.owner_references
    return next((one.name for one in owners if one.kind == NODE_CLAIMS.kind), "")


def _instant(written: str) -> int:
    return read_instant(written) or 0


def _amounts(written: dict[str, str]) -> Resources:
    return parse_resources(written)
