"""Helm values of the first charts as values of today's.

The old chart had its settings for AWS in `settings.aws`; today they stand in `settings`. Some moved
into the EC2NodeClass, some are gone. The steps are values, so that whoever carries them out can keep
the comments of the file.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from nodewright.convert.notes import CHANGED, CHECK, LOST, Note
from nodewright.model.labels import NODEPOOL
from nodewright.model.legacy import PROVISIONER_NAME
from nodewright.model.path import Path

SOURCE: Final = "values"
_AWS: Final[Path] = ("settings", "aws")
_RENAMED: Final = {"interruptionQueueName": "interruptionQueue"}
_TO_CLASS: Final = {
    "defaultInstanceProfile": "instanceProfile (or role) of each EC2NodeClass",
    "tags": "tags of each EC2NodeClass",
}
_GONE: Final = {
    "enablePodENI": "pod interfaces are always counted today",
    "nodeNameConvention": "nodes are found by their provider id today",
}
_ASSUMED: Final = ("assumeRoleARN", "assumeRoleDuration")
_TOP: Final = ("clusterName", "clusterEndpoint")


class ValueStep(msgspec.Struct, frozen=True):
    """One change of a values file; `lift` moves the entries of a mapping to its parent."""

    kind: Literal["rename", "replace", "remove", "lift"]
    path: Path
    name: str = ""


def plan_values(raw: Mapping[str, Any]) -> tuple[list[ValueStep], list[Note]]:
    """Give the steps that make old values today's, and what they mean; none for today's values."""
    steps: list[ValueStep] = []
    notes: list[Note] = []
    settings = raw.get("settings")
    aws = settings.get("aws") if isinstance(settings, dict) else None
    if isinstance(aws, dict):
        for name, value in aws.items():
            _take_setting(name, value, steps, notes)
        steps.append(ValueStep("lift", _AWS))
        notes.append(Note(CHANGED, SOURCE, _AWS, "settings.aws is settings today", SOURCE))
    gates = settings.get("featureGates") if isinstance(settings, dict) else None
    if isinstance(gates, dict):
        for name in ("driftEnabled", "drift"):
            if name in gates:
                path: Path = ("settings", "featureGates", name)
                steps.append(ValueStep("remove", path))
                notes.append(Note(CHANGED, SOURCE, path, "drift is always on today", SOURCE))
    for name in _TOP:
        if name in raw:
            sentence = f"the first charts had {name} here; today it is settings.{name}: move it"
            notes.append(Note(CHECK, SOURCE, (name,), sentence, SOURCE))
    _take_affinity(raw.get("affinity"), ("affinity",), steps, notes)
    return steps, notes


def _take_setting(name: str, value: Any, steps: list[ValueStep], notes: list[Note]) -> None:
    path: Path = (*_AWS, name)
    if name in _RENAMED:
        steps.append(ValueStep("rename", path, _RENAMED[name]))
        sentence = f"{name} is {_RENAMED[name]} today"
        notes.append(Note(CHANGED, SOURCE, path, sentence, SOURCE))
        return
    if name in _TO_CLASS:
        kind, sentence = CHANGED, f"{name} belongs into {_TO_CLASS[name]} today"
    elif name in _GONE:
        kind, sentence = CHANGED, f"{name} was removed: {_GONE[name]}"
    elif name == "enableENILimitedPodDensity":
        kind = LOST if value in (False, "false") else CHANGED
        sentence = f"{name} was removed; where it was false, set kubelet.maxPods: 110 in the class"
    elif name in _ASSUMED:
        kind = LOST if value else CHANGED
        sentence = f"{name} was removed: give the service account the role itself"
    else:
        return
    steps.append(ValueStep("remove", path))
    notes.append(Note(kind, SOURCE, path, sentence, SOURCE))


def _take_affinity(value: Any, path: Path, steps: list[ValueStep], notes: list[Note]) -> None:
    """Rename the label that keeps the controller off its own nodes, wherever it stands."""
    if isinstance(value, dict):
        for key, entry in value.items():
            if key == "key" and entry == PROVISIONER_NAME:
                steps.append(ValueStep("replace", (*path, key), NODEPOOL))
                sentence = f"{PROVISIONER_NAME} is {NODEPOOL} today"
                notes.append(Note(CHANGED, SOURCE, (*path, key), sentence, SOURCE))
            else:
                _take_affinity(entry, (*path, key), steps, notes)
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            _take_affinity(entry, (*path, index), steps, notes)
