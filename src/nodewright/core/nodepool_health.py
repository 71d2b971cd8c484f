"""Registration health: whether a pool's latest launches became nodes.

The last four outcomes of a pool count. Two failures make it unhealthy; it informs, and stops nobody.
After a restart the stored condition stands for what was seen before: healthy for one success,
unhealthy for two failures. A pool or class that has changed begins anew.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from nodewright.core.lifecycle_conditions import FALSE, TRUE, UNKNOWN, Finding, find
from nodewright.model.beside import Outcomes
from nodewright.model.nodeclass import NodeClass
from nodewright.model.nodepool import NodePool

HEALTHY: Final = "NodeRegistrationHealthy"
FAILURES_MAX: Final = 2


def outcomes_of(
    pool: NodePool, known: Outcomes | None, node_class: NodeClass | None = None
) -> Outcomes:
    """Give what is known of a pool's launches, from memory or from its stored condition."""
    meta = pool.metadata
    generation = node_class.metadata.generation if node_class is not None else 0
    fresh = Outcomes(meta.uid, meta.generation, class_generation=generation)
    if known is not None:
        return known if msgspec.structs.replace(known, latest=()) == fresh else fresh
    stored = find(pool.status.conditions, HEALTHY)
    written = pool.status.node_class_observed_generation or 0
    if stored is None or (stored.observed_generation, written) != (meta.generation, generation):
        return fresh
    seeds: Mapping[str, tuple[bool, ...]] = {TRUE: (True,), FALSE: (False,) * FAILURES_MAX}
    return msgspec.structs.replace(fresh, latest=seeds.get(stored.status, ()))


def judge_health(outcomes: Outcomes) -> Finding:
    """Say whether the latest launches of a pool became nodes."""
    failures = outcomes.latest.count(False)
    if failures >= FAILURES_MAX:
        note = f"{failures} of the last {len(outcomes.latest)} launches never became nodes"
        return Finding(HEALTHY, FALSE, "RegistrationFailed", note)
    if outcomes.latest:
        return Finding(HEALTHY)
    return Finding(HEALTHY, UNKNOWN, "AwaitingReconciliation", "nothing was launched yet")
