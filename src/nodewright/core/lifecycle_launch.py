"""What an answer of the cloud to a launch means for its claim."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from nodewright.core.lifecycle import write_findings
from nodewright.core.lifecycle_conditions import LAUNCHED, UNKNOWN, Finding, says
from nodewright.model.decision import Change, Decision, Delete, Tell, rest_on
from nodewright.model.instance import InstanceType
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.quantity import Resources, print_resources
from nodewright.model.requirements import Requirements
from nodewright.model.resource import NODE_CLAIMS, refer

NO_CAPACITY: Final = "InsufficientCapacityError"


class LaunchedMachine(msgspec.Struct, frozen=True):
    """A machine that the cloud gave."""

    provider_id: str
    image_id: str = ""
    labels: Mapping[str, str] = {}
    capacity: Resources = {}
    allocatable: Resources = {}


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


def label_claim(claim: NodeClaim, machine: LaunchedMachine) -> Change | None:
    """Give the labels that the machine brings; those that the claim has stay as they are."""
    new = {
        name: value for name, value in machine.labels.items() if name not in claim.metadata.labels
    }
    if not new:
        return None
    return Change(
        subject=refer(NODE_CLAIMS, claim),
        reason=LAUNCHED,
        basis=rest_on((NODE_CLAIMS, claim)),
        change={"metadata": {"labels": dict(sorted(new.items()))}},
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
