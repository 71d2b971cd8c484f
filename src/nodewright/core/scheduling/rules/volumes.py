"""Volumes: a pod runs where its volumes can be reached, and while the node can attach more.

Each volume gives alternatives (the terms of a bound volume's node affinity, or the topologies in
which its class may make one); several volumes multiply. They constrain the node only, never the
pod's own affinity. A volume that cannot be used at all makes the pod invalid, for a cause.
"""

from collections.abc import Iterator, Mapping

import msgspec

from nodewright.model.cause import Cause
from nodewright.model.labels import HOSTNAME, normalize_key
from nodewright.model.metadata import NodeSelectorRequirement
from nodewright.model.pod import Pod, PodVolume
from nodewright.model.reason import Reason
from nodewright.model.requirements import BadRequirement, Requirements, contradiction
from nodewright.model.volume import PersistentVolume, PersistentVolumeClaim, StorageClass
from nodewright.model.world import World

_BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
_IN_TREE = {
    "kubernetes.io/aws-ebs": "ebs.csi.aws.com",
    "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
    "kubernetes.io/azure-disk": "disk.csi.azure.com",
    "kubernetes.io/azure-file": "file.csi.azure.com",
    "kubernetes.io/cinder": "cinder.csi.openstack.org",
    "kubernetes.io/vsphere-volume": "csi.vsphere.vmware.com",
    "kubernetes.io/portworx-volume": "pxd.portworx.com",
}
_ALTERNATIVES_MAX = 256
_SINGLE_POD = "ReadWriteOncePod"

type Alternatives = tuple[Requirements, ...]


class VolumeNeeds(msgspec.Struct, frozen=True):
    """What the volumes of a pod need of a node."""

    alternatives: Alternatives = ()
    attachments: frozenset[tuple[str, str]] = frozenset()
    exclusive: frozenset[str] = frozenset()


NO_VOLUMES = VolumeNeeds()


class Storage:
    """Claims, volumes and classes of a World by name."""

    def __init__(self, world: World) -> None:
        self.claims: Mapping[tuple[str, str], PersistentVolumeClaim] = {
            (claim.metadata.namespace or "default", claim.metadata.name): claim
            for claim in world.volume_claims
        }
        self.volumes: Mapping[str, PersistentVolume] = {
            volume.metadata.name: volume for volume in world.volumes
        }
        self.classes: Mapping[str, StorageClass] = {
            one.metadata.name: one for one in world.storage_classes
        }

    def needs(self, pod: Pod) -> VolumeNeeds | Cause:
        """Tell what a pod's volumes need, or the first reason why they cannot be used."""
        if not any(v.persistent_volume_claim or v.ephemeral for v in pod.spec.volumes):
            return NO_VOLUMES
        combined: list[Requirements] = [Requirements()]
        attachments: set[tuple[str, str]] = set()
        exclusive: set[str] = set()
        for volume, key, claim in self._claims_of(pod):
            if claim is None:
                return _fault("claim-missing", volume.name, key)
            # What a running pod uses is bound, whatever is noted about it.
            found = self._alternatives(volume.name, key, claim, in_use=bool(pod.spec.node_name))
            if isinstance(found, Cause):
                return found
            if driver := self._driver(claim):
                attachments.add((driver, key))
            if _SINGLE_POD in claim.spec.access_modes:
                exclusive.add(key)
            if found:
                combined = _multiply(combined, found)
                if not combined:
                    return _fault("claim-apart", volume.name, key)
        alternatives = () if combined == [Requirements()] else tuple(combined)
        return VolumeNeeds(alternatives, frozenset(attachments), frozenset(exclusive))

    def attachments(self, pod: Pod) -> Iterator[tuple[str, str]]:
        """Give the (driver, claim) pairs that a running pod holds; what is unknown is left out."""
        for _, key, claim in self._claims_of(pod):
            if claim is not None and (driver := self._driver(claim)):
                yield driver, key

    def exclusive_claims(self, pod: Pod) -> Iterator[str]:
        """Give the claims of a running pod that no other pod may use."""
        for _, key, claim in self._claims_of(pod):
            if claim is not None and _SINGLE_POD in claim.spec.access_modes:
                yield key

    def _claims_of(self, pod: Pod) -> Iterator[tuple[PodVolume, str, PersistentVolumeClaim | None]]:
        namespace = pod.metadata.namespace or "default"
        for volume in pod.spec.volumes:
            if volume.persistent_volume_claim is not None:
                name = volume.persistent_volume_claim.claim_name
            elif volume.ephemeral is not None:
                name = f"{pod.metadata.name}-{volume.name}"
            else:
                continue
            yield volume, f"{namespace}/{name}", self.claims.get((namespace, name))

    def _alternatives(
        self, name: str, key: str, claim: PersistentVolumeClaim, *, in_use: bool
    ) -> Alternatives | Cause:
        """Tell where the claim behind a volume of a pod may be used, or why nowhere."""
        if claim.metadata.deletion_timestamp is not None:
            return _fault("claim-deleting", name, key)
        if claim.status.phase == "Lost":
            return _fault("claim-lost", name, key)
        if bound_to := claim.spec.volume_name:
            volume = self.volumes.get(bound_to)
            if volume is None:
                return _fault("claim-volume-missing", name, key, bound_to)
            if volume.metadata.deletion_timestamp is not None:
                return _fault("claim-volume-deleting", name, key, bound_to)
            if not in_use and _BIND_COMPLETED not in claim.metadata.annotations:
                return _fault("claim-binding", name, key, bound_to)
            return _bound_alternatives(volume)
        class_name = claim.spec.storage_class_name
        if not class_name:
            return _fault("claim-no-class", name, key)
        storage_class = self.classes.get(class_name)
        if storage_class is None:
            return _fault("claim-class-missing", name, key, class_name)
        if storage_class.volume_binding_mode == "Immediate":
            return _fault("claim-immediate", name, key, class_name)
        return _class_alternatives(storage_class)

    def _driver(self, claim: PersistentVolumeClaim) -> str:
        if claim.spec.volume_name:
            volume = self.volumes.get(claim.spec.volume_name)
            if volume is None:
                return ""
            if volume.spec.csi is not None:
                return volume.spec.csi.driver
            if volume.spec.aws_elastic_block_store is not None:
                return _IN_TREE["kubernetes.io/aws-ebs"]
            if volume.spec.gce_persistent_disk is not None:
                return _IN_TREE["kubernetes.io/gce-pd"]
            if volume.spec.azure_disk is not None:
                return _IN_TREE["kubernetes.io/azure-disk"]
            return ""
        storage_class = self.classes.get(claim.spec.storage_class_name or "")
        if storage_class is None:
            return ""
        return _IN_TREE.get(storage_class.provisioner, storage_class.provisioner)


def _fault(kind: str, volume: str, claim: str, other: str = "") -> Cause:
    values = {"volume": volume, "claim": claim, "other": other}
    return Cause(Reason.VOLUME_CLAIM_BROKEN, kind, claim, values)


def _bound_alternatives(volume: PersistentVolume) -> Alternatives:
    affinity = volume.spec.node_affinity
    if affinity is None or affinity.required is None:
        return ()
    pinned_to_host = volume.spec.local is not None or volume.spec.host_path is not None
    found = []
    for term in affinity.required.node_selector_terms:
        expressions = [
            expression
            for expression in term.match_expressions
            # A local volume dies with its node: a pod that moves gets another one.
            if not (pinned_to_host and normalize_key(expression.key) == HOSTNAME)
        ]
        if not expressions:
            return ()
        try:
            found.append(Requirements.from_expressions(expressions))
        except BadRequirement:
            continue
    return tuple(found)


def _class_alternatives(storage_class: StorageClass) -> Alternatives:
    return tuple(
        Requirements.from_expressions(
            NodeSelectorRequirement(key=one.key, operator="In", values=one.values)
            for one in term.match_label_expressions
        )
        for term in storage_class.allowed_topologies
    )


def _multiply(left: list[Requirements], right: Alternatives) -> list[Requirements]:
    return [
        one.with_all(other.values())
        for one in left
        for other in right
        if contradiction([*one.values(), *other.values()]) is None
    ][:_ALTERNATIVES_MAX]


def full_driver(
    wanted: frozenset[tuple[str, str]],
    attached: Mapping[str, set[str]],
    limits: Mapping[str, int],
) -> tuple[str, int] | None:
    """Give the first driver that cannot attach what is wanted, with its limit."""
    more: dict[str, set[str]] = {}
    for driver, claim in wanted:
        more.setdefault(driver, set()).add(claim)
    for driver in sorted(more):
        if driver in limits and len(more[driver] | attached.get(driver, set())) > limits[driver]:
            return driver, limits[driver]
    return None
