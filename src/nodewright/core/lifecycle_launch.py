"""What an answer of the cloud to a launch means for its claim."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from nodewright.core.lifecycle import write_findings
from nodewright.core.lifecycle_conditions import LAUNCHED, UNKNOWN, Finding, find, says
from nodewright.model.decision import Change, Decision, Delete, Tell, rest_on
from nodewright.model.instance import InstanceType
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, ZONE
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.quantity import Resources, print_resources
from nodewright.model.requirements import Requirements
from nodewright.model.resource import NODE_CLAIMS, refer

ATTEMPT: Final = "nodewright.dev/launch-attempt"
NO_CAPACITY: Final = "InsufficientCapacityError"


class FoundMachine(msgspec.Struct, frozen=True):
    """A machine that the cloud lists, and whose launch was not answered."""

    provider_id: str
    instance_type: str
    zone: str
    capacity_type: str
    image_id: str = ""
    labels: Mapping[str, str] = {}


class LaunchedMachine(msgspec.Struct, frozen=True):
    """A machine that the cloud gave."""

    provider_id: str
    image_id: str = ""
    labels: Mapping[str, str] = {}
    capacity: Resources = {}
    allocatable: Resources = {}
    annotations: Mapping[str, str] = {}


def choose_types(wanted: Requirements, on_sale: Sequence[InstanceType]) -> tuple[str, ...]:
    """Name the types on sale that meet requirements which name none."""
    return tuple(
        sorted(
            kind.name
            for kind in on_sale
            if kind.requirements.conflict(wanted) is None
            and any(
                one.available and one.requirements.conflict(wanted) is None
                for one in kind.offerings
            )
        )
    )


def launch_token(claim: NodeClaim) -> str:
    """Give the token of a claim's launch: the same for every try of one attempt."""
    return f"{claim.metadata.uid}-{claim.metadata.annotations.get(ATTEMPT, '0')}"


def was_asked_for(claim: NodeClaim) -> bool:
    """Tell whether a launch of a claim has failed before, so that a machine may be there already."""
    launched = find(claim.status.conditions, LAUNCHED)
    return launched is not None and launched.reason != "AwaitingReconciliation"


def next_attempt(claim: NodeClaim) -> Change:
    """Give the change by which a claim is launched under a new token."""
    written = claim.metadata.annotations.get(ATTEMPT, "0")
    number = int(written) + 1 if written.isdecimal() else 1
    return Change(
        subject=refer(NODE_CLAIMS, claim),
        reason="LaunchAttempt",
        note="the token of the last attempt starts nothing any more, and no machine has its tag",
        basis=rest_on((NODE_CLAIMS, claim)),
        change={"metadata": {"annotations": {ATTEMPT: str(number)}}},
        if_version=claim.metadata.resource_version,
    )


def adopt(machine: FoundMachine, on_sale: Sequence[InstanceType]) -> LaunchedMachine | None:
    """Give a machine that was found by its tag as what its launch would have answered."""
    kind = next((one for one in on_sale if one.name == machine.instance_type), None)
    if kind is None:
        return None
    own = {
        INSTANCE_TYPE: machine.instance_type,
        ZONE: machine.zone,
        CAPACITY_TYPE: machine.capacity_type,
    }
    return LaunchedMachine(
        machine.provider_id,
        machine.image_id,
        {**kind.requirements.labels(), **own, **machine.labels},
        kind.capacity,
        kind.allocatable,
    )


def label_claim(claim: NodeClaim, machine: LaunchedMachine) -> Change | None:
    """Give the labels and annotations that the machine brings; a label that is there stays."""
    have = claim.metadata
    labels = {name: value for name, value in machine.labels.items() if name not in have.labels}
    notes = {
        name: value
        for name, value in machine.annotations.items()
        if have.annotations.get(name) != value
    }
    new = {"labels": labels, "annotations": notes}
    if not (labels or notes):
        return None
    return Change(
        subject=refer(NODE_CLAIMS, claim),
        reason=LAUNCHED,
        basis=rest_on((NODE_CLAIMS, claim)),
        change={
            "metadata": {field: dict(sorted(one.items())) for field, one in new.items() if one}
        },
    )


def note_launch(claim: NodeClaim, machine: LaunchedMachine, now_ms: int) -> Change:
    """Give the status of a claim whose machine was launched."""
    status = {
        "providerID": machine.provider_id,
        "imageID": machine.image_id,
        "capacity": print_resources(machine.capacity),
        "allocatable": print_resources(machine.allocatable),
    }
    return msgspec.structs.replace(
        write_findings(claim, [Finding(LAUNCHED)], now_ms, status), if_version=""
    )


def give_up_launch(claim: NodeClaim, reason: str, note: str) -> Iterator[Decision]:
    """Delete a claim that cannot be launched, so that its pods are planned for anew at once."""
    ref = refer(NODE_CLAIMS, claim)
    if reason == "insufficient_capacity":
        yield Tell(subject=ref, reason=NO_CAPACITY, note=note, is_warning=True)
    yield Delete(subject=ref, reason=reason, note=note, basis=rest_on((NODE_CLAIMS, claim)))


def retry_launch(claim: NodeClaim, reason: str, message: str, now_ms: int) -> Iterator[Decision]:
    """Note why a launch failed that will be tried again."""
    finding = Finding(LAUNCHED, UNKNOWN, reason or "LaunchFailed", message)
    if not says(claim, finding):
        yield write_findings(claim, [finding], now_ms)
