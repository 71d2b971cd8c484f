"""What every family's user data says, before it is put into the family's language.

Labels in the domains of Kubernetes are left out, because a kubelet may not give them to itself. Every
node starts with the taint that keeps pods away until its claim has taken note of it.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from nodewright.aws.cluster import Cluster
from nodewright.model.errors import UserError
from nodewright.model.kubelet import KubeletConfiguration, read_kubelet
from nodewright.model.labels import DO_NOT_SYNC_TAINTS, UNREGISTERED_TAINT
from nodewright.model.metadata import Taint

BAD_USER_DATA: Final = "NW-3014"
BAD_KUBELET: Final = "NW-9303"
UNREGISTERED: Final = Taint(key=UNREGISTERED_TAINT, effect="NoExecute")
_REFUSED_DOMAINS: Final = ("kubernetes.io", "k8s.io", "node-restriction.kubernetes.io")


class BadUserData(UserError):  # noqa: N818 - it reads as what it is where it is caught
    """The class's own part of the user data cannot be merged with ours."""

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message, code=BAD_USER_DATA, where="spec.userData", advice=advice)


class Draft(msgspec.Struct, frozen=True):
    """A node that is to be: of which cluster, with which labels, taints and kubelet.

    `kubelet` is the class's own configuration as it is written; `written` is its own user data.
    `image_version` is the version that an alias pins, or nothing.
    """

    cluster: Cluster
    max_pods: int
    labels: Mapping[str, str] = {}
    taints: tuple[Taint, ...] = ()
    kubelet: Mapping[str, object] = {}
    joins_disks: bool = False
    written: str = ""
    image_version: str = ""

    @property
    def settings(self) -> KubeletConfiguration:
        """The kubelet's settings that are interpreted."""
        try:
            return read_kubelet(dict(self.kubelet))
        except msgspec.ValidationError as error:
            raise UserError(str(error), code=BAD_KUBELET, where="spec.kubelet") from error

    @property
    def dns(self) -> tuple[str, ...]:
        """The addresses that pods ask for names: the class's, else the cluster's."""
        return self.settings.cluster_dns or tuple(filter(None, [self.cluster.dns_ip]))

    @property
    def node_labels(self) -> dict[str, str]:
        """The labels that the kubelet gives its node, in order."""
        own = {key: value for key, value in self.labels.items() if may_be_given(key)}
        return dict(sorted({**own, DO_NOT_SYNC_TAINTS: "true"}.items()))

    @property
    def node_taints(self) -> tuple[Taint, ...]:
        """The taints with which the node registers, each once."""
        return _each_once((*self.taints, UNREGISTERED))


def may_be_given(key: str) -> bool:
    """Tell whether a label may be passed to a kubelet."""
    domain = key.rpartition("/")[0]
    return not any(domain == one or domain.endswith(f".{one}") for one in _REFUSED_DOMAINS)


def print_taint(taint: Taint) -> str:
    """Write a taint as the kubelet's flag has it."""
    return f"{taint.key}={taint.value}:{taint.effect}"


def _each_once(taints: Iterable[Taint]) -> tuple[Taint, ...]:
    found = {(one.key, one.effect): one for one in reversed(tuple(taints))}
    return tuple(reversed(found.values()))
