"""Taints: a pod runs on a node only if it tolerates every taint there.

`PreferNoSchedule` counts like the others until a pod's wishes are relaxed: that is how a soft taint
is tried as a hard one first.
"""

from collections.abc import Iterable

from nodewright.model.labels import READINESS_TAINT_PREFIX, UNREGISTERED_TAINT
from nodewright.model.metadata import Taint, Toleration

TOLERATE_SOFT_TAINTS = Toleration(operator="Exists", effect="PreferNoSchedule")

_EPHEMERAL = {
    ("node.kubernetes.io/not-ready", "NoSchedule"),
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoSchedule"),
    ("node.cloudprovider.kubernetes.io/uninitialized", "NoSchedule"),
    (UNREGISTERED_TAINT, "NoExecute"),
}


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Tell whether one toleration covers one taint."""
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator == "Exists":
        return True
    return bool(toleration.key) and toleration.value == taint.value


def first_untolerated(taints: Iterable[Taint], tolerations: Iterable[Toleration]) -> Taint | None:
    """Give the first taint that none of the tolerations covers."""
    known = tuple(tolerations)
    for taint in taints:
        if not any(tolerates(toleration, taint) for toleration in known):
            return taint
    return None


def is_ephemeral(taint: Taint) -> bool:
    """Tell whether a taint goes away by itself while a node starts."""
    return (taint.key, taint.effect) in _EPHEMERAL or taint.key.startswith(READINESS_TAINT_PREFIX)
