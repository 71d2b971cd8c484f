"""Relaxation: which wish a pod gives up next when it cannot be placed with all of them.

Preferences are tried as if they were demands. On each failure one is given up, always in the same
order: an alternative of the required node affinity, preferred neighbours, preferred distance from
neighbours, preferred node labels, a soft spread constraint, and last the respect for soft taints.
"""

import msgspec

from nodewright.core.scheduling.rules.taints import TOLERATE_SOFT_TAINTS, tolerates
from nodewright.model.metadata import Taint
from nodewright.model.pod import Affinity, PodSpec

_SOFT_TAINT = Taint(key="", effect="PreferNoSchedule")


def relax(spec: PodSpec, *, soft_taints: bool) -> PodSpec | None:
    """Give the spec with one wish less, or nothing when only demands are left."""
    affinity = spec.affinity
    if affinity is not None:
        relaxed = (
            _drop_required_term(affinity)
            or _drop_preferred_pods(affinity, "pod_affinity")
            or _drop_preferred_pods(affinity, "pod_anti_affinity")
            or _drop_preferred_node(affinity)
        )
        if relaxed is not None:
            return msgspec.structs.replace(spec, affinity=relaxed)
    for index, constraint in enumerate(spec.topology_spread_constraints):
        if constraint.when_unsatisfiable == "ScheduleAnyway":
            kept = list(spec.topology_spread_constraints)
            del kept[index]
            return msgspec.structs.replace(spec, topology_spread_constraints=tuple(kept))
    if soft_taints and not any(
        not one.key and tolerates(one, _SOFT_TAINT) for one in spec.tolerations
    ):
        return msgspec.structs.replace(spec, tolerations=(*spec.tolerations, TOLERATE_SOFT_TAINTS))
    return None


def bare_alternatives(full: PodSpec, barest: PodSpec) -> list[PodSpec]:
    """Give, for every alternative that was given up, the spec with it and no preference."""
    node = full.affinity.node_affinity if full.affinity else None
    if node is None or node.required is None or without_preferences(full) == full:
        return []
    terms = node.required.node_selector_terms
    plain = msgspec.structs.replace(without_preferences(full), tolerations=barest.tolerations)
    affinity = plain.affinity
    assert affinity is not None
    assert affinity.node_affinity is not None
    return [
        msgspec.structs.replace(
            plain,
            affinity=msgspec.structs.replace(
                affinity,
                node_affinity=msgspec.structs.replace(
                    affinity.node_affinity,
                    required=msgspec.structs.replace(
                        node.required, node_selector_terms=terms[first:]
                    ),
                ),
            ),
        )
        for first in range(len(terms) - 1)
    ]


def without_preferences(spec: PodSpec) -> PodSpec:
    """Give the spec with every preferred affinity and soft spread constraint taken out."""
    affinity = spec.affinity
    if affinity is not None:
        node, pods, anti = affinity.node_affinity, affinity.pod_affinity, affinity.pod_anti_affinity
        affinity = Affinity(
            node_affinity=msgspec.structs.replace(node, preferred=()) if node else None,
            pod_affinity=msgspec.structs.replace(pods, preferred=()) if pods else None,
            pod_anti_affinity=msgspec.structs.replace(anti, preferred=()) if anti else None,
        )
    return msgspec.structs.replace(
        spec,
        affinity=affinity,
        topology_spread_constraints=tuple(
            one
            for one in spec.topology_spread_constraints
            if one.when_unsatisfiable != "ScheduleAnyway"
        ),
    )


def _drop_required_term(affinity: Affinity) -> Affinity | None:
    node = affinity.node_affinity
    if node is None or node.required is None or len(node.required.node_selector_terms) < 2:
        return None
    fewer = msgspec.structs.replace(
        node.required, node_selector_terms=node.required.node_selector_terms[1:]
    )
    return msgspec.structs.replace(
        affinity, node_affinity=msgspec.structs.replace(node, required=fewer)
    )


def _drop_preferred_pods(affinity: Affinity, field: str) -> Affinity | None:
    pods = affinity.pod_affinity if field == "pod_affinity" else affinity.pod_anti_affinity
    if pods is None or not pods.preferred:
        return None
    heaviest_first = sorted(pods.preferred, key=lambda term: -term.weight)
    fewer = msgspec.structs.replace(pods, preferred=tuple(heaviest_first[1:]))
    return msgspec.structs.replace(affinity, **{field: fewer})


def _drop_preferred_node(affinity: Affinity) -> Affinity | None:
    node = affinity.node_affinity
    if node is None or not node.preferred:
        return None
    heaviest_first = sorted(node.preferred, key=lambda term: -term.weight)
    fewer = msgspec.structs.replace(node, preferred=tuple(heaviest_first[1:]))
    return msgspec.structs.replace(affinity, node_affinity=fewer)
