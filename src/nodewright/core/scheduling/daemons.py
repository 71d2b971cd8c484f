"""Daemon pods: what every new node must keep free for them, exactly per instance type.

A daemon set is represented by its newest live pod, so that what webhooks and resizers changed
counts; without one, by its template. The required node affinity always comes from the template,
because live daemon pods are pinned to their own node.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from nodewright.core.scheduling.requests import daemon_requests, pod_requests
from nodewright.core.scheduling.rules.ports import HostPort, host_ports
from nodewright.core.scheduling.rules.taints import TOLERATE_SOFT_TAINTS, first_untolerated
from nodewright.core.scheduling.supply import DaemonLoad
from nodewright.core.scheduling.wishes import required_terms
from nodewright.model.instance import InstanceType
from nodewright.model.labels import INITIALIZED, REGISTERED
from nodewright.model.metadata import Taint, Toleration
from nodewright.model.pod import DaemonSet, Pod, PodSpec
from nodewright.model.quantity import BadQuantity, Milli, Resources, add
from nodewright.model.requirements import BadRequirement, Requirement, Requirements

_UP = tuple(Requirement(key, False, frozenset(("true",))) for key in (REGISTERED, INITIALIZED))


class Daemon(msgspec.Struct, frozen=True):
    """One daemon set as nodes feel it."""

    name: str
    requests: Resources
    ports: tuple[HostPort, ...]
    tolerations: tuple[Toleration, ...]
    terms: tuple[Requirements, ...]

    def runs_on(self, labels: Requirements, taints: Iterable[Taint]) -> bool:
        """Tell whether the daemon set puts a pod on an existing node."""
        if first_untolerated(taints, self.tolerations) is not None:
            return False
        return any(labels.clash(term, frozenset()) is None for term in self.terms)


def read_daemons(sets: Sequence[DaemonSet], pods: Iterable[Pod]) -> tuple[Daemon, ...]:
    """Read the daemon sets of a World; one that cannot be read is left out of the reckoning."""
    newest: dict[tuple[str, str], Pod] = {}
    for pod in pods if sets else ():
        for owner in pod.metadata.owner_references:
            if owner.kind == "DaemonSet":
                key = (pod.metadata.namespace or "default", owner.name)
                known = newest.get(key)
                if known is None or _age(known) < _age(pod):
                    newest[key] = pod
    daemons = []
    for one in sets:
        name = f"{one.metadata.namespace or 'default'}/{one.metadata.name}"
        live = newest.get((one.metadata.namespace or "default", one.metadata.name))
        daemon = _read(name, one, live)
        if daemon is not None:
            daemons.append(daemon)
    return tuple(daemons)


def _age(pod: Pod) -> tuple[str, str]:
    return (pod.metadata.creation_timestamp or "", pod.metadata.name)


def _read(name: str, one: DaemonSet, live: Pod | None) -> Daemon | None:
    template = one.spec.template.spec
    spec = live.spec if live is not None else template
    if spec.resource_claims:
        return None
    try:
        requests = (
            pod_requests(spec, live.status) if live is not None else daemon_requests(template)
        )
        terms = daemon_terms(template)
    except (BadQuantity, BadRequirement):
        return None
    tolerations = (*spec.tolerations, TOLERATE_SOFT_TAINTS)
    return _daemon(name, tuple(requests.items()), host_ports(spec), tolerations, terms)


@lru_cache(maxsize=4096)
def _daemon(
    name: str,
    requests: tuple[tuple[str, Milli], ...],
    ports: tuple[HostPort, ...],
    tolerations: tuple[Toleration, ...],
    terms: tuple[Requirements, ...],
) -> Daemon:
    """Give the same object for the same daemon set, whichever of its pods stood for it."""
    return Daemon(name, dict(requests), ports, tolerations, terms)


def daemon_terms(spec: PodSpec) -> tuple[Requirements, ...]:
    """Give the alternatives of where a daemon pod may run; one must hold."""
    base = Requirements.from_labels(spec.node_selector)
    terms = required_terms(spec)
    if not terms:
        return (base,)
    return tuple(
        base.with_all(Requirements.from_expressions(term.match_expressions).values())
        for term in terms
    )


def daemon_loads(
    daemons: Sequence[Daemon],
    pool: Requirements,
    taints: Iterable[Taint],
    types: Sequence[InstanceType],
    well_known: frozenset[str],
) -> list[DaemonLoad]:
    """Work out, type by type, which daemon pods a new node of a pool would run."""
    known_taints = tuple(taints)
    labels = pool.with_all(_UP)
    possible: list[tuple[Daemon, list[Requirements]]] = []
    for daemon in daemons:
        if first_untolerated(known_taints, daemon.tolerations) is not None:
            continue
        terms = [term for term in daemon.terms if labels.clash(term, well_known) is None]
        if terms:
            possible.append((daemon, terms))
    loads: dict[tuple[int, ...], DaemonLoad] = {}
    found = []
    for one in types:
        running = tuple(
            index
            for index, (_, terms) in enumerate(possible)
            if any(one.requirements.conflict(term) is None for term in terms)
        )
        if running not in loads:
            chosen = [possible[index][0] for index in running]
            loads[running] = DaemonLoad(
                add(*(daemon.requests for daemon in chosen)),
                tuple(port for daemon in chosen for port in daemon.ports),
            )
        found.append(loads[running])
    return found
