"""Changes to a pod that could undo a refusal, each as a patch of its spec.

An edit undoes one cause in one place: it tolerates a taint, stops asking for a label, asks for less,
or turns a demand about neighbours into a wish. Whether it helps is for the board to say.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from nodewright.core.explain.patch import Edit, Op, add, apply, remove
from nodewright.core.scheduling.crowding import show_selector
from nodewright.core.scheduling.funnel import show_taint
from nodewright.core.scheduling.requests import pod_requests
from nodewright.core.scheduling.rules.taints import first_untolerated
from nodewright.core.scheduling.selectors import read_selector
from nodewright.core.scheduling.wishes import required_terms
from nodewright.model.labels import ARCH, OS, normalize_key
from nodewright.model.metadata import NodeSelectorTerm, Taint
from nodewright.model.pod import Pod, PodAffinity, TopologySpreadConstraint
from nodewright.model.quantity import (
    BadQuantity,
    Milli,
    guess_quantity,
    parse_amount,
    print_quantity,
)
from nodewright.model.requirements import BadRequirement, Requirements, read_requirement
from nodewright.model.wording.amounts import round_down, show_amount

REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_TERMS: Final = ("spec", "affinity", "nodeAffinity", REQUIRED)
_NATIVE: Final = frozenset({"cpu", "memory", "ephemeral-storage", "pods"})

TINY, SMALL, FAIR, LARGE = 1, 2, 4, 6
"""Sizes of changes: giving way in a detail, asking for a little less, up to doing without."""


def target_of(pod: Pod) -> str:
    """Name a pod as commands do."""
    return f"pod/{pod.key}"


def tolerate(pod: Pod, taints: Sequence[Taint]) -> Edit | None:
    """Tolerate every taint of a pool that the pod does not tolerate yet."""
    missing = [one for one in taints if first_untolerated((one,), pod.spec.tolerations) is not None]
    hard = [one for one in missing if one.effect != "PreferNoSchedule"]
    if not hard:
        return None
    written = [
        {"key": one.key, "operator": "Equal", "value": one.value, "effect": one.effect}
        if one.value
        else {"key": one.key, "operator": "Exists", "effect": one.effect}
        for one in hard
    ]
    ops = (
        tuple(add(one, "spec", "tolerations", "-") for one in written)
        if pod.spec.tolerations
        else (add(written, "spec", "tolerations"),)
    )
    shown = ", ".join(map(show_taint, hard))
    return Edit("tolerate", {"taint": shown}, target_of(pod), ops, TINY)


def drop_label(pod: Pod, key: str, term: NodeSelectorTerm | None = None) -> Edit | None:
    """Stop asking for a label, in the node selector and in one term of the node affinity."""
    ops: list[Op] = []
    shown: list[str] = []
    for name, value in pod.spec.node_selector.items():
        if normalize_key(name) == key:
            ops.append(remove("spec", "nodeSelector", name))
            shown.append(str(Requirements.from_labels({name: value})[key]))
    terms = required_terms(pod.spec)
    if terms:
        index = terms.index(term) if term in terms else len(terms) - 1
        ops += _drop_expressions(pod, index, key, shown)
    if not ops:
        return None
    # An image is built for one architecture: doing without that label is no small thing.
    size = FAIR if key in (ARCH, OS) else SMALL
    return Edit("drop-label", {"want": ", ".join(shown)}, target_of(pod), tuple(ops), size)


def rename_label(pod: Pod, key: str, new: str) -> Iterator[Edit]:
    """Ask for the label that was probably meant."""
    ops: list[Op] = []
    for name, value in pod.spec.node_selector.items():
        if normalize_key(name) == key:
            ops += [
                remove("spec", "nodeSelector", name),
                add(value, "spec", "nodeSelector", new),
            ]
    ops += [
        add(new, *_TERMS, "nodeSelectorTerms", index, "matchExpressions", at, "key")
        for index, term in enumerate(required_terms(pod.spec))
        for at, one in enumerate(term.match_expressions)
        if normalize_key(one.key) == key
    ]
    if ops:
        yield Edit("rename-label", {"key": key, "new": new}, target_of(pod), tuple(ops), TINY)


def _drop_expressions(pod: Pod, index: int, key: str, shown: list[str]) -> list[Op]:
    expressions = required_terms(pod.spec)[index].match_expressions
    hits = [at for at, one in enumerate(expressions) if normalize_key(one.key) == key]
    for at in hits:
        try:
            shown.append(str(read_requirement(expressions[at])))
        except BadRequirement:
            shown.append(f"{expressions[at].key} {expressions[at].operator}")
    if not hits:
        return []
    if len(hits) == len(expressions):
        # A term without expressions selects no node at all, so the whole demand goes.
        return [remove(*_TERMS)]
    return [
        remove(*_TERMS, "nodeSelectorTerms", index, "matchExpressions", at) for at in reversed(hits)
    ]


def drop_every_label(pod: Pod) -> Iterator[Edit]:
    """Give, for each label that a pod demands, the edit that stops asking for it."""
    keys = {normalize_key(name): None for name in pod.spec.node_selector}
    for term in required_terms(pod.spec):
        keys |= {normalize_key(one.key): None for one in term.match_expressions}
        for key in keys:
            edit = drop_label(pod, key, term)
            if edit is not None:
                yield edit
    if not required_terms(pod.spec):
        yield from filter(None, (drop_label(pod, key) for key in keys))
    else:
        ops = (remove(*_TERMS),)
        yield Edit("drop-affinity", {}, target_of(pod), ops, FAIR)


def ask_less(pod: Pod, resource: str, has: Milli) -> Edit | None:
    """Ask for no more of a resource than there is; do without it where there is nothing."""
    needs = pod_requests(pod.spec, pod.status).get(resource, 0)
    amount = round_down(has, resource)
    if amount <= 0 or resource == "pods":
        return drop_request(pod, resource) if resource not in _NATIVE else None
    ops = _lower(pod, resource, needs - amount)
    if pod_requests(apply(pod, ops).spec).get(resource, 0) > amount:
        return None
    values: dict[str, str | int] = {
        "resource": resource,
        "amount": print_quantity(amount, resource),
        "needs": show_amount(needs, resource),
    }
    size = SMALL if (needs - amount) * 3 <= needs else LARGE
    return Edit("request", values, target_of(pod), ops, size)


def _lower(pod: Pod, resource: str, excess: Milli) -> tuple[Op, ...]:
    """Take an excess from the pod's own request, or from its largest containers first."""
    spec = pod.spec
    if spec.resources is not None and resource in spec.resources.requests:
        own = parse_amount(spec.resources.requests[resource])
        return (
            add(print_quantity(own - excess, resource), "spec", "resources", "requests", resource),
        )
    wanted = pod_requests(spec).get(resource, 0) - excess
    ops: list[Op] = []
    held = [
        (parse_amount(one.resources.requests[resource]), list_name, at)
        for list_name, many in (
            ("containers", spec.containers),
            ("initContainers", spec.init_containers),
        )
        for at, one in enumerate(many)
        if resource in one.resources.requests
    ]
    for amount, list_name, at in sorted(held, key=lambda one: (-one[0], one[1], one[2])):
        now = pod_requests(apply(pod, ops).spec).get(resource, 0)
        if now <= wanted:
            break
        less = max(0, amount - (now - wanted))
        written = print_quantity(less, resource)
        ops.append(add(written, "spec", list_name, at, "resources", "requests", resource))
    return tuple(ops)


def drop_request(pod: Pod, resource: str) -> Edit | None:
    """Stop asking for a resource in every container."""
    ops = [
        remove("spec", list_name, at, "resources", "requests", resource)
        for list_name, many in (
            ("containers", pod.spec.containers),
            ("initContainers", pod.spec.init_containers),
        )
        for at, one in enumerate(many)
        if resource in one.resources.requests
    ]
    if not ops:
        return None
    return Edit("drop-request", {"resource": resource}, target_of(pod), tuple(ops), LARGE)


def write_requests(pod: Pod) -> Iterator[Edit]:
    """Write amounts that cannot be read as they were probably meant."""
    for list_name, many in (
        ("containers", pod.spec.containers),
        ("initContainers", pod.spec.init_containers),
    ):
        for at, one in enumerate(many):
            for name, amount in one.resources.requests.items():
                meant = guess_quantity(str(amount))
                if meant:
                    values: dict[str, str | int] = {
                        "resource": name,
                        "amount": meant,
                        "needs": str(amount),
                    }
                    op = add(meant, "spec", list_name, at, "resources", "requests", name)
                    yield Edit("write-request", values, target_of(pod), (op,), SMALL)


def drop_bad_requests(pod: Pod) -> Iterator[Edit]:
    """Stop asking for amounts that cannot be read."""
    bad: set[str] = set()
    for one in (*pod.spec.containers, *pod.spec.init_containers):
        for name, amount in one.resources.requests.items():
            try:
                parse_amount(amount)
            except BadQuantity:
                bad.add(name)
    yield from filter(None, (drop_request(pod, name) for name in sorted(bad)))


def soften_spread(pod: Pod, key: str, held: Sequence[TopologySpreadConstraint]) -> Iterator[Edit]:
    """Make the spread constraints over a label wishes: the pod's own, or the cluster's default."""
    hits = [
        at
        for at, one in enumerate(held)
        if one.topology_key == key and one.when_unsatisfiable == "DoNotSchedule"
    ]
    ops: tuple[Op, ...] = tuple(
        add("ScheduleAnyway", "spec", "topologySpreadConstraints", at, "whenUnsatisfiable")
        for at in hits
    )
    if hits and not pod.spec.topology_spread_constraints:
        own = [{**msgspec.to_builtins(one), "whenUnsatisfiable": "ScheduleAnyway"} for one in held]
        ops = (add(own, "spec", "topologySpreadConstraints"),)
    if ops:
        yield Edit("soften-spread", {"key": key}, target_of(pod), ops, SMALL)


def soften_neighbours(pod: Pod, field: str, key: str) -> Iterator[Edit]:
    """Make demands about neighbours wishes, one by one and then all over a label."""
    affinity = pod.spec.affinity
    held: PodAffinity | None = None
    if affinity is not None:
        held = affinity.pod_affinity if field == "podAffinity" else affinity.pod_anti_affinity
    if held is None:
        return
    hits = [at for at, one in enumerate(held.required) if one.topology_key == key]
    chosen = [[at] for at in hits]
    if len(hits) > 1:
        chosen.append(hits)
    for some in chosen:
        ops = [remove("spec", "affinity", field, REQUIRED, at) for at in reversed(some)]
        wishes = [
            {"weight": 100, "podAffinityTerm": msgspec.to_builtins(held.required[at])}
            for at in some
        ]
        if held.preferred:
            ops += [add(one, "spec", "affinity", field, PREFERRED, "-") for one in wishes]
        else:
            ops.append(add(wishes, "spec", "affinity", field, PREFERRED))
        named = [show_selector(read_selector(held.required[at].label_selector)) for at in some]
        kind = "soften-affinity" if field == "podAffinity" else "soften-anti-affinity"
        values = {"selector": ", ".join(dict.fromkeys(named))}
        yield Edit(kind, values, target_of(pod), tuple(ops), SMALL + len(some) - 1)


def relabel(pod: Pod, selector: str) -> Iterator[Edit]:
    """Take off a label by which others keep away from the pod."""
    for key, value in sorted(pod.metadata.labels.items()):
        if key in selector:
            ops = (remove("metadata", "labels", key),)
            yield Edit("relabel", {"label": f"{key}={value}"}, target_of(pod), ops, FAIR)


def drop_ports(pod: Pod) -> Iterator[Edit]:
    """Do without host ports, one by one and then all."""
    found = [
        (at, index, port.host_port)
        for at, container in enumerate(pod.spec.containers)
        for index, port in enumerate(container.ports)
        if port.host_port
    ]
    choices = [[one] for one in found]
    if len(found) > 1:
        choices.append(found)
    for some in choices:
        ops = tuple(
            remove("spec", "containers", at, "ports", index, "hostPort") for at, index, _ in some
        )
        shown = ", ".join(str(port) for _, _, port in some)
        yield Edit("drop-port", {"port": shown}, target_of(pod), ops, FAIR + len(some) - 1)


def drop_volumes(pod: Pod) -> Iterator[Edit]:
    """Do without volumes that are claims, one by one and then all."""
    found = [
        (at, one.name)
        for at, one in enumerate(pod.spec.volumes)
        if one.persistent_volume_claim is not None or one.ephemeral is not None
    ]
    choices = [[one] for one in found]
    if len(found) > 1:
        choices.append(found)
    for some in choices:
        ops = tuple(remove("spec", "volumes", at) for at, _ in reversed(some))
        shown = ", ".join(name for _, name in some)
        yield Edit("drop-volume", {"volume": shown}, target_of(pod), ops, LARGE + len(some) - 1)


def drop_devices(pod: Pod) -> Iterator[Edit]:
    """Do without claims on devices."""
    if pod.spec.resource_claims:
        ops = (remove("spec", "resourceClaims"),)
        yield Edit("drop-devices", {}, target_of(pod), ops, LARGE)
