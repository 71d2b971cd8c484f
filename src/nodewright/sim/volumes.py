"""Volumes: claims are bound, volumes are made where the pod goes, attached, and let go again.

A class that binds at once gets a volume in one of its zones; one that waits for its first consumer
gets it in the zone of the node that the scheduler has chosen. A bound volume is attached to the node
of its pod before the pod runs, and detached some seconds after the last pod there has gone.
"""

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from nodewright.model.labels import ZONE
from nodewright.model.metadata import (
    NodeSelectorRequirement,
    NodeSelectorTerm,
    ObjectMeta,
    OwnerReference,
)
from nodewright.model.node import Node
from nodewright.model.pod import Pod
from nodewright.model.resource import (
    CSI_NODES,
    PODS,
    STORAGE_CLASSES,
    VOLUME_CLAIMS,
    VOLUMES,
    key_of,
)
from nodewright.model.volume import (
    CSISource,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimStatus,
    PersistentVolumeSpec,
    StorageClass,
    VolumeAttachmentSource,
    VolumeAttachmentSpec,
    VolumeNodeAffinity,
    VolumeNodeSelector,
)
from nodewright.sim.apiserver import DELETED, Change
from nodewright.sim.ground import Ground, Worklist
from nodewright.sim.nodematch import term_matches
from nodewright.sim.objects import ATTACHMENTS, PHASE_ENDED, Attachment, AttachmentStatus

_PROVISION_MS: Final = (1_500, 4_000)
_ATTACH_MS: Final = (1_000, 5_000)
_DETACH_MS: Final = (2_000, 8_000)
_BOUND: Final = "pv.kubernetes.io/bind-completed"
_WAITS: Final = "WaitForFirstConsumer"
_ZONES_DEFAULT: Final = ("zone-a",)
_replace = msgspec.structs.replace


class Volumes:
    """The volume binder, provisioner and attacher."""

    def __init__(self, ground: Ground, zones: tuple[str, ...] = _ZONES_DEFAULT) -> None:
        self._loop = ground.loop
        self._api = ground.api
        self._chance = ground.chance.stream("volumes")
        self._zones = zones
        self._users: dict[tuple[str, str], dict[str, None]] = {}
        self.on_change: Callable[[], None] = lambda: None
        self._claims = Worklist(ground.loop, 50, self._sync_claim)
        self._api.listen(VOLUME_CLAIMS, self._claim_changed)
        self._api.listen(PODS, self._pod_changed)

    def fits(self, pod: Pod, node: Node) -> bool:
        """Tell whether a node can reach every volume of a pod and attach it."""
        wanted: dict[str, int] = {}
        for claim in self._claims_of(pod):
            if claim is None:
                return False
            if claim.spec.volume_name:
                volume = self._api.get(VOLUMES, claim.spec.volume_name)
                if volume is None or not _reaches(volume, node):
                    return False
                driver = volume.spec.csi.driver if volume.spec.csi else ""
                if (node.metadata.name, claim.spec.volume_name) not in self._users:
                    wanted[driver] = wanted.get(driver, 0) + 1
            else:
                made_by = self._class_of(claim)
                if made_by is None or made_by.volume_binding_mode != _WAITS:
                    return False
                if not _allows(made_by, node):
                    return False
                wanted[made_by.provisioner] = wanted.get(made_by.provisioner, 0) + 1
        return self._has_slots(node.metadata.name, wanted)

    def prepare(self, pod: Pod, node: Node, done: Callable[[], None]) -> None:
        """Make what a pod still lacks in the node's zone, then go on."""
        slowest = 0
        for claim in self._claims_of(pod):
            if claim is not None and not claim.spec.volume_name:
                made_by = self._class_of(claim)
                if made_by is not None:
                    delay_ms = self._chance.integer(*_PROVISION_MS)
                    slowest = max(slowest, delay_ms)
                    zone = node.metadata.labels.get(ZONE, "")
                    self._loop.after_ms(delay_ms, self._make, key_of(claim.metadata), zone)
        if slowest:
            self._loop.after_ms(slowest + 1, done)
        else:
            done()

    def are_ready(self, pod: Pod) -> bool:
        """Tell whether all volumes of a bound pod are attached to its node."""
        for claim in self._claims_of(pod):
            if claim is None:
                return False
            name = _attachment(pod.spec.node_name, claim.spec.volume_name)
            there = self._api.get(ATTACHMENTS, name)
            if there is None or not there.status.attached:
                return False
        return True

    def _claims_of(self, pod: Pod) -> Iterator[PersistentVolumeClaim | None]:
        for volume in pod.spec.volumes:
            if volume.persistent_volume_claim is not None:
                name = volume.persistent_volume_claim.claim_name
            elif volume.ephemeral is not None:
                name = f"{pod.metadata.name}-{volume.name}"
            else:
                continue
            yield self._api.get(VOLUME_CLAIMS, f"{pod.metadata.namespace}/{name}")

    def _class_of(self, claim: PersistentVolumeClaim) -> StorageClass | None:
        return self._api.get(STORAGE_CLASSES, claim.spec.storage_class_name or "")

    def _has_slots(self, name: str, wanted: dict[str, int]) -> bool:
        known = self._api.get(CSI_NODES, name)
        if known is None or not wanted:
            return True
        limits = {
            driver.name: driver.allocatable.count
            for driver in known.spec.drivers
            if driver.allocatable is not None and driver.allocatable.count is not None
        }
        held: dict[str, int] = {}
        for node, volume in self._users:
            if node == name:
                there = self._api.get(VOLUMES, volume)
                driver = there.spec.csi.driver if there and there.spec.csi else ""
                held[driver] = held.get(driver, 0) + 1
        return all(
            held.get(driver, 0) + count <= limits[driver]
            for driver, count in wanted.items()
            if driver in limits
        )

    def _claim_changed(self, change: Change) -> None:
        if change.verb == DELETED:
            volume = change.new.spec.volume_name
            if volume and self._api.get(VOLUMES, volume) is not None:
                self._loop.after_ms(_DETACH_MS[0], self._delete_volume, volume)
        elif not change.new.spec.volume_name:
            self._claims.add(change.key)
        self.on_change()

    def _delete_volume(self, name: str) -> None:
        if self._api.get(VOLUMES, name) is not None:
            self._api.delete(VOLUMES, name, "provisioner")

    def _sync_claim(self, key: str) -> None:
        claim = self._api.get(VOLUME_CLAIMS, key)
        if claim is None or claim.spec.volume_name:
            return
        made_by = self._class_of(claim)
        if made_by is not None and made_by.volume_binding_mode != _WAITS:
            zones = [
                value
                for term in made_by.allowed_topologies
                for one in term.match_label_expressions
                for value in one.values
            ]
            zone = self._chance.choose(zones or self._zones)
            self._loop.after_ms(self._chance.integer(*_PROVISION_MS), self._make, key, zone)

    def _make(self, key: str, zone: str) -> None:
        claim = self._api.get(VOLUME_CLAIMS, key)
        made_by = self._class_of(claim) if claim is not None else None
        if claim is None or made_by is None or claim.spec.volume_name:
            return
        name = f"pvc-{claim.metadata.uid}"
        here = NodeSelectorRequirement(key=ZONE, operator="In", values=(zone,))
        term = NodeSelectorTerm(match_expressions=(here,))
        affinity = VolumeNodeAffinity(required=VolumeNodeSelector(node_selector_terms=(term,)))
        volume = PersistentVolume(
            metadata=ObjectMeta(name=name),
            spec=PersistentVolumeSpec(
                node_affinity=affinity,
                storage_class_name=made_by.metadata.name,
                csi=CSISource(driver=made_by.provisioner, volume_handle=name),
            ),
        )
        self._api.create(VOLUMES, volume, "provisioner")

        def bound(one: PersistentVolumeClaim) -> PersistentVolumeClaim:
            annotations = {**one.metadata.annotations, _BOUND: "yes"}
            return _replace(
                one,
                metadata=_replace(one.metadata, annotations=annotations),
                spec=_replace(one.spec, volume_name=name),
                status=PersistentVolumeClaimStatus(phase="Bound"),
            )

        self._api.change(VOLUME_CLAIMS, key, bound, "volume-binder")

    def _pod_changed(self, change: Change) -> None:
        pod: Pod = change.new
        if not pod.spec.node_name or not pod.spec.volumes:
            self._make_ephemeral(change)
            return
        ended = change.verb == DELETED or pod.status.phase in PHASE_ENDED
        for claim in self._claims_of(pod):
            if claim is None or not claim.spec.volume_name:
                continue
            place = (pod.spec.node_name, claim.spec.volume_name)
            users = self._users.setdefault(place, {})
            if ended:
                users.pop(change.key, None)
                if not users:
                    del self._users[place]
                    self._loop.after_ms(self._chance.integer(*_DETACH_MS), self._detach, place)
            elif change.key not in users:
                users[change.key] = None
                self._loop.after_ms(self._chance.integer(*_ATTACH_MS), self._attach, place)

    def _make_ephemeral(self, change: Change) -> None:
        pod: Pod = change.new
        if change.old is not None or not any(one.ephemeral for one in pod.spec.volumes):
            return
        self._loop.after_ms(20, self._make_claims, change.key, pod.metadata.uid)

    def _make_claims(self, key: str, uid: str) -> None:
        pod = self._api.get(PODS, key)
        if pod is None or pod.metadata.uid != uid:
            return
        for volume in pod.spec.volumes:
            template = volume.ephemeral.volume_claim_template if volume.ephemeral else None
            name = f"{pod.metadata.name}-{volume.name}"
            namespace = pod.metadata.namespace
            if template is None or self._api.get(VOLUME_CLAIMS, f"{namespace}/{name}"):
                continue
            claim = PersistentVolumeClaim(
                metadata=ObjectMeta(
                    name=name, namespace=namespace, owner_references=(_pod_owner(pod),)
                ),
                spec=msgspec.convert(
                    msgspec.to_builtins(template.spec),
                    type(PersistentVolumeClaim(metadata=ObjectMeta()).spec),
                ),
            )
            self._api.create(VOLUME_CLAIMS, claim, "ephemeral-volume-controller")

    def _attach(self, place: tuple[str, str]) -> None:
        node, volume = place
        name = _attachment(node, volume)
        if place not in self._users or self._api.get(ATTACHMENTS, name) is not None:
            return
        if any(a.spec.source.persistent_volume_name == volume for a in self._api.each(ATTACHMENTS)):
            # A volume for one node is let go there first.
            self._loop.after_ms(self._chance.integer(*_ATTACH_MS), self._attach, place)
            return
        there = self._api.get(VOLUMES, volume)
        attacher = there.spec.csi.driver if there and there.spec.csi else ""
        source = VolumeAttachmentSource(persistent_volume_name=volume)
        spec = VolumeAttachmentSpec(attacher=attacher, node_name=node, source=source)
        status = AttachmentStatus(attached=True)
        attachment = Attachment(metadata=ObjectMeta(name=name), spec=spec, status=status)
        self._api.create(ATTACHMENTS, attachment, "attach-detach-controller")

    def _detach(self, place: tuple[str, str]) -> None:
        name = _attachment(*place)
        if place not in self._users and self._api.get(ATTACHMENTS, name) is not None:
            self._api.delete(ATTACHMENTS, name, "attach-detach-controller")


def _pod_owner(pod: Pod) -> OwnerReference:
    return OwnerReference(
        kind="Pod",
        name=pod.metadata.name,
        api_version="v1",
        uid=pod.metadata.uid,
        controller=True,
        block_owner_deletion=True,
    )


def _attachment(node: str, volume: str) -> str:
    return f"csi-{volume}-{node}"


def _reaches(volume: PersistentVolume, node: Node) -> bool:
    affinity = volume.spec.node_affinity
    if affinity is None or affinity.required is None:
        return True
    meta = node.metadata
    return any(
        term_matches(term, meta.labels, meta.name) for term in affinity.required.node_selector_terms
    )


def _allows(made_by: StorageClass, node: Node) -> bool:
    if not made_by.allowed_topologies:
        return True
    labels = node.metadata.labels
    return any(
        all(labels.get(one.key) in one.values for one in term.match_label_expressions)
        for term in made_by.allowed_topologies
    )
