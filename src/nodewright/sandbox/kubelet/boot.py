"""What a machine learns from its user data: which cluster to join, and as what kind of node.

Every family of images writes the same facts in its own language; each has a reader that ends in a
`Boot`. A reader does what the operating system does, not what the author meant: what the system
would not run is not read. Where no kubelet would come up, a `BootError` holds the words that the
machine's console would show.
"""

import msgspec

from nodewright.model.metadata import Taint


class BootError(Exception):
    """The machine runs, but no kubelet comes up on it; the text is what its console says."""


class Boot(msgspec.Struct, frozen=True):
    """The kubelet as the user data wants it.

    Empty `endpoint` or `authority` means that the machine asks EKS for them. `max_pods` absent
    means as many as the network interfaces carry.
    """

    cluster_name: str
    endpoint: str = ""
    authority: str = ""
    cluster_dns: tuple[str, ...] = ()
    labels: dict[str, str] = {}
    taints: tuple[Taint, ...] = ()
    max_pods: int | None = None
    pods_per_core: int | None = None
    kube_reserved: dict[str, str] = {}
    system_reserved: dict[str, str] = {}
    eviction_hard: dict[str, str] = {}
    joins_disks: bool = False
