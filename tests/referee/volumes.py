"""Storage: from where a pod's volumes can be reached, and how many a node can hold."""

from collections.abc import Iterator, Sequence

import msgspec

from nodewright.model.labels import HOSTNAME, normalize_key
from nodewright.model.metadata import NodeSelectorRequirement
from nodewright.model.pod import Pod, PodVolume
from nodewright.model.volume import PersistentVolume, PersistentVolumeClaim
from nodewright.model.world import World
from referee.board import Board
from referee.labels import expression_holds
from referee.places import OldPlace, Place
from referee.verdict import Violation

type Term = tuple[NodeSelectorRequirement, ...]

_IN_TREE = {
    "kubernetes.io/aws-ebs": "ebs.csi.aws.com",
    "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
    "kubernetes.io/azure-disk": "disk.csi.azure.com",
}


class Held(msgspec.Struct, frozen=True):
    """A volume of a pod: its claim, where it can be reached from, or what is wrong with it."""

    claim: str
    terms: tuple[Term, ...] = ()
    driver: str = ""
    only_one_pod: bool = False
    fault: str = ""


def volumes_of(pod: Pod, world: World) -> list[Held]:
    """Every volume of the pod that is a claim, followed to where it lies."""
    return [
        _follow(pod, volume, world)
        for volume in pod.spec.volumes
        if volume.persistent_volume_claim is not None or volume.ephemeral is not None
    ]


def _follow(pod: Pod, volume: PodVolume, world: World) -> Held:
    namespace = pod.metadata.namespace or "default"
    if volume.persistent_volume_claim is not None:
        name = volume.persistent_volume_claim.claim_name
    else:
        name = f"{pod.metadata.name}-{volume.name}"
    key = f"{namespace}/{name}"
    claim = next(
        (
            one
            for one in world.volume_claims
            if one.metadata.name == name and (one.metadata.namespace or "default") == namespace
        ),
        None,
    )
    if claim is not None:
        return _follow_claim(key, claim, world)
    if volume.ephemeral is None or volume.ephemeral.volume_claim_template is None:
        return Held(key, fault="its claim does not exist")
    template = volume.ephemeral.volume_claim_template.spec
    return _follow_class(key, template.storage_class_name, world)


def _follow_claim(key: str, claim: PersistentVolumeClaim, world: World) -> Held:
    if claim.metadata.deletion_timestamp:
        return Held(key, fault="its claim is being deleted")
    if claim.status.phase == "Lost":
        return Held(key, fault="its claim has lost its volume")
    alone = "ReadWriteOncePod" in claim.spec.access_modes
    if not claim.spec.volume_name:
        held = _follow_class(key, claim.spec.storage_class_name, world)
        return msgspec.structs.replace(held, only_one_pod=alone)
    volume = next(
        (one for one in world.volumes if one.metadata.name == claim.spec.volume_name), None
    )
    if volume is None or volume.metadata.deletion_timestamp:
        return Held(key, fault="its volume does not exist or is being deleted")
    return Held(key, _reach(volume), _driver(volume), alone)


def _reach(volume: PersistentVolume) -> tuple[Term, ...]:
    affinity = volume.spec.node_affinity
    if affinity is None or affinity.required is None:
        return ()
    terms = [term.match_expressions for term in affinity.required.node_selector_terms]
    if volume.spec.local is not None or volume.spec.host_path is not None:
        # A local volume is lost with its node: it is made anew wherever the pod goes.
        terms = [tuple(one for one in term if normalize_key(one.key) != HOSTNAME) for term in terms]
    return () if any(not term for term in terms) else tuple(terms)


def _driver(volume: PersistentVolume) -> str:
    spec = volume.spec
    if spec.csi is not None:
        return spec.csi.driver
    if spec.aws_elastic_block_store is not None:
        return "ebs.csi.aws.com"
    if spec.gce_persistent_disk is not None:
        return "pd.csi.storage.gke.io"
    return "disk.csi.azure.com" if spec.azure_disk is not None else ""


def _follow_class(key: str, name: str | None, world: World) -> Held:
    found = next((one for one in world.storage_classes if one.metadata.name == name), None)
    if found is None:
        return Held(key, fault="its storage class does not exist")
    if found.volume_binding_mode == "Immediate":
        return Held(key, fault="it waits for a volume that is to be made before the pod runs")
    terms = tuple(
        tuple(
            NodeSelectorRequirement(key=one.key, operator="In", values=one.values)
            for one in term.match_label_expressions
        )
        for term in found.allowed_topologies
    )
    driver = _IN_TREE.get(found.provisioner, found.provisioner)
    return Held(key, terms if all(terms) else (), driver)


def judge_volumes(board: Board) -> Iterator[Violation]:
    """Volumes that cannot be reached, are broken, too many, or meant for one pod only."""
    for pod, place in board.placed():
        for held in volumes_of(pod, board.world):
            if held.fault:
                yield Violation("volume", pod.key, f"{held.claim} cannot be used: {held.fault}")
            elif held.terms and not _within_reach(held.terms, place):
                yield Violation(
                    "volume", pod.key, f"{held.claim} cannot be reached from {place.name}"
                )
    yield from _judge_single_use(board)
    for place in board.old:
        if place.pods:
            yield from _judge_attachments(place, board.world)


def _within_reach(terms: Sequence[Term], place: Place) -> bool:
    keys = {normalize_key(one.key) for term in terms for one in term}
    return all(
        any(all(expression_holds(one, labels) for one in term) for term in terms)
        for labels in place.label_sets(keys)
    )


def _judge_single_use(board: Board) -> Iterator[Violation]:
    users: dict[str, list[str]] = {}
    newly: set[str] = set()
    everyone = [*((pod, False) for pod, _ in board.bound())]
    everyone += [(pod, True) for pod, _ in board.placed()]
    for pod, is_new in everyone:
        for held in volumes_of(pod, board.world):
            if held.only_one_pod:
                users.setdefault(held.claim, []).append(pod.key)
                if is_new:
                    newly.add(held.claim)
    for claim, pods in users.items():
        if len(pods) > 1 and claim in newly:
            yield Violation(
                "single-use volume", claim, f"only one pod may use it, not {', '.join(pods)}"
            )


def _judge_attachments(place: OldPlace, world: World) -> Iterator[Violation]:
    name = place.node.metadata.name if place.node else place.name
    limits = {
        driver.name: driver.allocatable.count
        for csi in world.csi_nodes
        if csi.metadata.name == name
        for driver in csi.spec.drivers
        if driver.allocatable is not None and driver.allocatable.count is not None
    }
    if not limits:
        return
    new = {(held.driver, held.claim) for pod in place.pods for held in volumes_of(pod, world)}
    old = {(held.driver, held.claim) for pod in place.bound for held in volumes_of(pod, world)}
    for driver, limit in limits.items():
        count = sum(1 for one in new | old if one[0] == driver)
        if count > limit and any(one[0] == driver for one in new - old):
            yield Violation(
                "volume limit", place.name, f"holds {count} volumes of {driver}, may hold {limit}"
            )
