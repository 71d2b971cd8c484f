"""What pods ask for, taint by taint and port by port."""

from collections.abc import Iterable, Mapping, Sequence

from nodewright.model.metadata import Taint, Toleration
from nodewright.model.pod import Container, Pod
from nodewright.model.quantity import parse_resources

type Amounts = dict[str, int]
type Port = tuple[str, int, str]

_ANY_ADDRESS = ("", "0.0.0.0", "::")


def total(parts: Iterable[Mapping[str, int]]) -> Amounts:
    """The sum of resource lists."""
    summed: Amounts = {}
    for part in parts:
        for name, amount in part.items():
            summed[name] = summed.get(name, 0) + amount
    return summed


def _asked(container: Container) -> Amounts:
    return parse_resources(container.resources.requests)


def requests_of(pod: Pod) -> Amounts:
    """What a pod takes of a node, itself as one pod included."""
    sidecars: Amounts = {}
    peak: Amounts = {}
    for container in pod.spec.init_containers:
        if container.restart_policy == "Always":
            sidecars = total((sidecars, _asked(container)))
            started = sidecars
        else:
            started = total((sidecars, _asked(container)))
        for name, amount in started.items():
            peak[name] = max(amount, peak.get(name, 0))
    running = total((sidecars, *(_asked(container) for container in pod.spec.containers)))
    needed = {name: max(running.get(name, 0), peak.get(name, 0)) for name in {*running, *peak}}
    if pod.spec.resources is not None:
        needed.update(parse_resources(pod.spec.resources.requests))
    return total((needed, parse_resources(pod.spec.overhead), {"pods": 1000}))


def lacking(asked: Mapping[str, int], free: Mapping[str, int]) -> list[str]:
    """The resources of which there is too little; one that is overdrawn already admits nothing."""
    short = [name for name, amount in asked.items() if amount > max(0, free.get(name, 0))]
    overdrawn = [name for name, amount in free.items() if amount < 0]
    return sorted({*short, *overdrawn})


def tolerates(tolerations: Sequence[Toleration], taint: Taint) -> bool:
    """Whether one of the tolerations puts up with the taint."""
    for one in tolerations:
        if one.effect and one.effect != taint.effect:
            continue
        if one.key and one.key != taint.key:
            continue
        if one.operator == "Exists" or (one.key and one.value == taint.value):
            return True
    return False


def untolerated(pod: Pod, taints: Iterable[Taint]) -> list[Taint]:
    """The taints that keep the pod away (those that only prefer to are left out)."""
    return [
        taint
        for taint in taints
        if taint.effect != "PreferNoSchedule" and not tolerates(pod.spec.tolerations, taint)
    ]


def ports_of(pod: Pod) -> list[Port]:
    """The host ports that the pod's containers open."""
    return [
        (port.host_ip, port.host_port, port.protocol or "TCP")
        for container in pod.spec.containers
        for port in container.ports
        if port.host_port
    ]


def ports_clash(left: Sequence[Port], right: Sequence[Port]) -> Port | None:
    """A port that both would open, or nothing."""
    for ours in left:
        for theirs in right:
            same_address = (
                ours[0] == theirs[0] or ours[0] in _ANY_ADDRESS or theirs[0] in _ANY_ADDRESS
            )
            if same_address and ours[1:] == theirs[1:]:
                return ours
    return None
