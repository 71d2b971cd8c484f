"""Money: who costs how much, what nobody uses, and what decisions saved."""

from nodewright.web.answers.shared import Answer


class MoneyRow(Answer, frozen=True):
    """What one pool, namespace or workload costs an hour.

    `workloadIdle` is asked for and not used (null where usage is not known), `infraIdle` paid for and not
    asked for: only pools have that. `percent` is the part of all that is paid.
    """

    name: str
    nodes: int
    pods: int
    price_per_hour: float | None
    workload_idle_per_hour: float | None
    infra_idle_per_hour: float | None
    percent: float | None
    nodes_without_price: int = 0


class SavingsDay(Answer, frozen=True):
    """What the commands that ended on a day (UTC) saved an hour, and how many of them have no known price."""

    day: str
    commands: int
    saved_per_hour: float
    saved_until_now: float
    unknown: int


class Saving(Answer, frozen=True):
    """What one command saved an hour; null where a price is not known."""

    decision: str
    at: str
    reason: str
    state: str
    text: str
    saved_per_hour: float | None


class Money(Answer, frozen=True):
    """The bill, by pool, namespace and workload, the dearest first; the last row may be all others."""

    revision: int
    at: str
    currency: str
    price_per_hour: float | None
    price_per_month: float | None
    workload_idle_per_hour: float | None
    infra_idle_per_hour: float | None
    nodes_without_price: int
    price_source: str
    pools: tuple[MoneyRow, ...]
    namespaces: tuple[MoneyRow, ...]
    workloads: tuple[MoneyRow, ...]
    days: tuple[SavingsDay, ...]
    savings: tuple[Saving, ...]
