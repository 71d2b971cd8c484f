"""Everything that a machine needs in order to be a node, asked in the order in which it needs it.

The judgement is a pure function of the facts, so that the same cloud and the same cluster always give the
same nodes. What cannot be mended from outside (user data is read once) is told apart by the caller.
"""

import base64
import binascii
from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.sandbox.kubelet.access import Door, has_windows_group, judge_access
from nodewright.sandbox.kubelet.boot import Boot
from nodewright.sandbox.kubelet.daemons import Daemon, judge_daemons
from nodewright.sandbox.kubelet.family import Image
from nodewright.sandbox.kubelet.fault import Fault, absent, limited
from nodewright.sandbox.kubelet.network import Site, judge_network
from nodewright.sandbox.kubelet.rights import judge_rights

_SKEW_MAX: Final = 3


class Cluster(msgspec.Struct, frozen=True):
    """What EKS says of a cluster."""

    name: str
    endpoint: str
    authority: str
    version: str


class Facts(msgspec.Struct, frozen=True):
    """All that decides about one machine. No cluster means that EKS knows none of that name."""

    boot: Boot
    image: Image
    cluster: Cluster | None
    site: Site
    role: str
    allowed: frozenset[str]
    door: Door
    daemons: tuple[Daemon, ...]
    plugin_has_role: bool = False

    @property
    def asks_eks(self) -> bool:
        """Whether the machine has to ask EKS where its cluster is."""
        return not (self.boot.endpoint and self.boot.authority)

    @property
    def is_windows(self) -> bool:
        """Whether the machine runs Windows."""
        return self.image.family.startswith("Windows")


def judge(facts: Facts) -> tuple[Fault, ...]:
    """Give everything that is wrong, the worst first."""
    return tuple(sorted(_find(facts), key=lambda fault: -fault.weight))


def _find(facts: Facts) -> Iterator[Fault]:
    yield from _judge_cluster(facts)
    yield from _judge_version(facts)
    yield from judge_network(facts.site, asks_eks=facts.asks_eks)
    if not facts.role:
        yield absent("no EC2 IMDS role found: the instance profile is missing or holds no role")
        return
    yield from judge_rights(
        facts.role,
        facts.allowed,
        asks_eks=facts.asks_eks,
        plugin_has_role=facts.plugin_has_role,
    )
    refusal = judge_access(facts.door, facts.role, is_windows=facts.is_windows)
    if refusal:
        yield absent(refusal)
    elif _lacks_windows_group(facts):
        yield limited(f"kube-proxy is Forbidden: aws-auth gives {facts.role} no Windows group")
    if not facts.is_windows:
        yield from judge_daemons(facts.daemons, facts.boot.taints)


def _lacks_windows_group(facts: Facts) -> bool:
    by_map = facts.is_windows and facts.role not in facts.door.entries
    return by_map and not has_windows_group(facts.door.aws_auth, facts.role)


def _judge_cluster(facts: Facts) -> Iterator[Fault]:
    boot, cluster = facts.boot, facts.cluster
    if cluster is None:
        if facts.asks_eks:
            yield absent(
                f"ResourceNotFoundException: No cluster found for name: {boot.cluster_name}"
            )
        else:
            yield absent(
                "Unable to register node with API server: Unauthorized: the token is for the "
                f"cluster {boot.cluster_name}, which does not exist"
            )
        return
    if boot.endpoint and boot.endpoint.rstrip("/") != cluster.endpoint.rstrip("/"):
        host = boot.endpoint.partition("//")[2]
        yield absent(f"dial tcp: lookup {host}: no such host")
    if boot.authority and not _same(boot.authority, cluster.authority):
        yield absent(
            "tls: failed to verify certificate: x509: certificate signed by unknown authority"
        )


def _same(left: str, right: str) -> bool:
    try:
        return base64.b64decode(left).strip() == base64.b64decode(right).strip()
    except (binascii.Error, ValueError):
        return False


def _judge_version(facts: Facts) -> Iterator[Fault]:
    if facts.cluster is None or not facts.image.minor or not facts.cluster.version:
        return
    older = _minor(facts.cluster.version) - _minor(facts.image.minor)
    if not 0 <= older <= _SKEW_MAX:
        yield absent(
            f"kubelet {facts.image.minor} cannot work with an API server of "
            f"{facts.cluster.version}: it may be up to {_SKEW_MAX} minor releases older, and "
            "never newer"
        )


def _minor(version: str) -> int:
    return int(version.split(".")[1])
