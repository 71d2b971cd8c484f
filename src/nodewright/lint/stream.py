"""A stream of objects, sorted by what they are, with what the user told us about the cluster."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final

import msgspec

from nodewright.lint.instances import Instances, instances_of
from nodewright.lint.settings import ChartSettings, find_settings, looks_like_values
from nodewright.lint.views import CLASS_KINDS, POOL_KINDS, NodeClass, PodView, Pool, pod_path
from nodewright.model.labels import ZONE
from nodewright.state.manifests import Manifest

_ZONE_NAME: Final = re.compile(r"([a-z]{2}(?:-[a-z]+)+-[0-9]+)[a-z]")


class Told(msgspec.Struct, frozen=True):
    """What the command line says of the cluster; empty and None mean unknown.

    `usual_region` is where the user mostly works: it counts where the files name no region.
    """

    region: str = ""
    usual_region: str = ""
    kubernetes_minor: int | None = None


class Stream(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Everything that is linted together."""

    manifests: Sequence[Manifest]
    told: Told = Told()

    @cached_property
    def pools(self) -> tuple[Pool, ...]:
        """NodePools and Provisioners."""
        return tuple(
            Pool(one, era)
            for one in self.manifests
            if (era := POOL_KINDS.get((one.api_version, one.kind))) is not None
            and isinstance(one.raw.get("spec"), dict)
        )

    @cached_property
    def classes(self) -> tuple[NodeClass, ...]:
        """EC2NodeClasses and AWSNodeTemplates."""
        return tuple(
            NodeClass(one, era)
            for one in self.manifests
            if (era := CLASS_KINDS.get((one.api_version, one.kind))) is not None
            and isinstance(one.raw.get("spec"), dict)
        )

    @cached_property
    def pods(self) -> tuple[PodView, ...]:
        """Pods and everything that makes pods."""
        return tuple(
            PodView(one, path) for one in self.manifests if (path := pod_path(one)) is not None
        )

    @cached_property
    def values(self) -> tuple[Manifest, ...]:
        """Helm values of Karpenter's chart."""
        return tuple(one for one in self.manifests if looks_like_values(one))

    @cached_property
    def settings(self) -> tuple[ChartSettings, ...]:
        """What values, settings ConfigMaps and controller deployments say, one for each."""
        return tuple(found for one in self.manifests if (found := find_settings(one)) is not None)

    def of_kind(self, *kinds: str) -> tuple[Manifest, ...]:
        """Give the objects of these kinds, in order."""
        return tuple(one for one in self.manifests if one.kind in kinds)

    @cached_property
    def region(self) -> str:
        """The region as told, else that of the zones in the stream, else the usual one."""
        if self.told.region:
            return self.told.region
        found = {
            form[1]
            for pool in self.pools
            for wish in pool.wishes
            if wish.known_key == ZONE
            for value in wish.values
            if (form := _ZONE_NAME.fullmatch(value)) is not None
        }
        if found:
            return found.pop() if len(found) == 1 else ""
        return self.told.usual_region

    @cached_property
    def instances(self) -> Instances:
        """The instance types that the requirements of this stream choose from."""
        return instances_of(self.region)
