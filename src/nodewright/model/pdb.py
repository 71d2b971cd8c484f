"""Pod disruption budgets."""

from nodewright.model.metadata import LabelSelector, ObjectMeta, Struct


class PodDisruptionBudgetSpec(Struct, frozen=True):
    """Which pods, and how many may be missing at once."""

    selector: LabelSelector | None = None
    min_available: int | str | None = None
    max_unavailable: int | str | None = None
    unhealthy_pod_eviction_policy: str | None = None


class PodDisruptionBudgetStatus(Struct, frozen=True):
    """How many evictions are allowed right now."""

    disruptions_allowed: int = 0


class PodDisruptionBudget(Struct, frozen=True):
    """A promise not to take too many pods of a kind at once."""

    metadata: ObjectMeta
    spec: PodDisruptionBudgetSpec = PodDisruptionBudgetSpec()
    status: PodDisruptionBudgetStatus = PodDisruptionBudgetStatus()
