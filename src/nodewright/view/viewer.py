"""The viewer: what is known of a cluster in, a view out.

It remembers what it read off nodes and the rows it made, so that the next look costs as much as what has
changed. What it gives depends on what it is given alone: a viewer that remembers nothing gives the same.
Judging what becomes of every node takes longer than looking, so it is asked for apart, less often.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from nodewright.core.chronicle import recall_world
from nodewright.core.disruption.candidates import Census, name_of
from nodewright.core.disruption.decide import find_allowances
from nodewright.core.money import is_paid
from nodewright.core.scheduling.hosts import Joined, join
from nodewright.journal.records import Decided as Record
from nodewright.model.disruption import Decided
from nodewright.model.labels import ON_DEMAND, RESERVED, SPOT
from nodewright.model.plan import Plan
from nodewright.model.pod import Pod
from nodewright.model.world import World
from nodewright.view.decisions import Pricing, Saved, add_savings, list_decisions
from nodewright.view.money import Ledger, Market, by_pool
from nodewright.view.nodes import TERMINAL, Part, Parts, is_slow, read_part
from nodewright.view.notebook import Told
from nodewright.view.pending import list_pending
from nodewright.view.pods import list_pods
from nodewright.view.pools import add_amounts, list_pools
from nodewright.view.rows import Facts, Rows
from nodewright.view.usage import Usage
from nodewright.view.values import (
    Head,
    MoneyView,
    Nano,
    Next,
    NodeRow,
    Origin,
    PendingCause,
    PodRow,
    PoolRow,
    View,
)
from nodewright.view.verdicts import UNJUDGED, judge_nodes, read_answer

_PRICES_MAX: Final = 50_000


class Known(msgspec.Struct, frozen=True):
    """All that a view is made from.

    `told` is None where nobody keeps a journal. `decided` and `plan` are whole answers, where they were
    asked for. `nexts` is what `judge` gave last; a node that is not in it is a `?`. `today_ms` is when
    the day of the person who looks began.
    """

    world: World
    origin: Origin
    told: Told | None = None
    decided: Decided | None = None
    plan: Plan | None = None
    nexts: Mapping[str, Next] = {}
    usage: Usage | None = None
    today_ms: int = 0
    is_complete: bool = True
    problems: tuple[str, ...] = ()


class _Crowd(msgspec.Struct, frozen=True):
    """The pods of a World: by node, those that wait, how many run, and where those that wait are expected."""

    by_node: Mapping[str, list[Pod]]
    waiting: Sequence[Pod]
    running: int
    total: int
    expected: Mapping[str, int]


class Viewer:
    """Makes views, and remembers what it made them of."""

    def __init__(self) -> None:
        self._parts = Parts()
        self._rows = Rows()
        self._market = Market()
        self._pricing = Pricing()
        self._prices: dict[str, Nano] = {}

    def look(self, known: Known) -> View:
        """Give the view of what is known."""
        world, told = known.world, known.told or Told()
        self._market.learn(world)
        # Budgets count nodes: whoever looks over no pods is done much sooner.
        census, memory = Census(msgspec.structs.replace(world, pods=())), recall_world(world)
        allowances = find_allowances(census, memory)
        crowd, ledger = _count(world.pods, told), Ledger(world.replica_sets)
        nodes = self._list_nodes(known, crowd, ledger)
        pools = list_pools(census, memory, allowances, nodes)
        pending = list_pending(crowd.waiting, told, known.plan)
        return View(
            now_ms=world.now_ms,
            origin=known.origin,
            head=_head(nodes, crowd, pending),
            money=self._money(known, nodes, pools, ledger),
            pools=pools,
            nodes=nodes,
            pending=pending,
            decisions=list_decisions(told, self._market.prices, self._pricing, self._prices.get),
            is_complete=known.is_complete,
            problems=known.problems,
        )

    def judge(self, known: Known) -> Mapping[str, Next]:
        """Give what becomes of every node: by a whole answer where there is one, else by what is known."""
        if known.decided is not None:
            return read_answer(known.decided)
        self._market.learn(known.world)
        census = Census(_with_types(known.world, self._market))
        memory = recall_world(known.world)
        return judge_nodes(census, memory, find_allowances(census, memory), known.told or Told())

    def view(self, known: Known) -> View:
        """Judge, and look."""
        return self.look(msgspec.structs.replace(known, nexts=self.judge(known)))

    def pods_of(self, known: Known, node: str) -> tuple[PodRow, ...]:
        """Give the pods of a node."""
        world = known.world
        one = next((each for each in join(world) if name_of(each) == node), None)
        if one is None:
            return ()
        price = self._market.prices.of(one.labels())
        here = _count(world.pods, Told()).by_node.get(node, [])
        # Read anew rather than recalled: this is asked for beside a look that may be under way.
        paid = None if price is None else (read_part(one, here), price)
        return list_pods(world, node, paid, known.usage)

    def _list_nodes(self, known: Known, crowd: _Crowd, ledger: Ledger) -> tuple[NodeRow, ...]:
        rows: list[NodeRow] = []
        for one in join(known.world):
            name = name_of(one)
            part = self._parts.of(name, one, crowd.by_node.get(name, []) if one.node else [])
            price = self._price(one)
            facts = Facts(
                part=part,
                next=known.nexts.get(name, UNJUDGED),
                price=price,
                is_estimate=price is not None and self._market.is_estimate(one.labels()),
                idle=_enter(ledger, part, price),
                used=known.usage.nodes.get(name) if known.usage is not None else None,
                detail=_waits_for(known, name, part),
                is_fault=part.state.is_fault or is_slow(part.state, known.world.now_ms),
                coming=_coming(one, crowd.expected),
            )
            if facts.used is not None and price is not None:
                ledger.enter_use(part, price, facts.used)
            rows.append(self._rows.of(name, one, facts))
        names = [one.name for one in rows]
        self._parts.keep_only(names)
        self._rows.keep_only(names)
        return tuple(rows)

    def _price(self, one: Joined) -> Nano | None:
        """Give what a machine costs, and remember it: decisions about it are shown when it is long gone."""
        price = self._market.prices.of(one.labels()) if is_paid(one) else None
        if one.claim is not None and price is not None:
            if len(self._prices) > _PRICES_MAX:
                self._prices.clear()
            self._prices[one.claim.metadata.name] = price
        return price

    def _money(
        self, known: Known, nodes: Sequence[NodeRow], pools: Sequence[PoolRow], ledger: Ledger
    ) -> MoneyView:
        saved = Saved(None)
        if known.told is not None:
            saved = add_savings(known.told, known.today_ms, known.world.now_ms, self._price_of)
        return MoneyView(
            pools=by_pool(pools),
            namespaces=ledger.by_namespace(),
            workloads=ledger.by_workload(),
            total_nanousd_hour=sum(one.price_nanousd_hour or 0 for one in nodes),
            infra_idle_nanousd_hour=sum(one.idle_nanousd_hour or 0 for one in nodes),
            workload_idle_nanousd_hour=None if known.usage is None else ledger.idle_of_workloads,
            unpriced=sum(one.is_node and one.price_nanousd_hour is None for one in nodes),
            estimated=sum(one.price_is_estimate for one in nodes),
            saved_today_nanousd=saved.so_far,
            saved_nanousd_hour=saved.per_hour,
            saved_unknown=saved.unknown,
        )

    def _price_of(self, one: Record) -> Nano | None:
        return self._pricing.of(one, self._market.prices, self._prices.get)


def _with_types(world: World, market: Market) -> World:
    """Give a World the types of the market where it has none: rules ask whether a pool has any."""
    if world.instance_types or not market.prices.types:
        return world
    return msgspec.structs.replace(world, instance_types=market.prices.types)


def _enter(ledger: Ledger, part: Part, price: Nano | None) -> Nano | None:
    """Add a node to the bill; give what of it is idle, nothing where it has no price."""
    idle = ledger.enter(part, price or 0)
    return None if price is None else idle


def _waits_for(known: Known, name: str, part: Part) -> str:
    """Give the controller's word on what a draining node waits for."""
    if known.told is None or part.state.word != "Draining":
        return ""
    word = known.told.drains.get(name)
    return word.text if word is not None else ""


def _coming(one: Joined, expected: Mapping[str, int]) -> int:
    """Count the pods that are expected on a node or on its claim."""
    return sum(
        expected.get(thing.metadata.name, 0) for thing in (one.node, one.claim) if thing is not None
    )


def _count(pods: Sequence[Pod], told: Told) -> _Crowd:
    by_node: dict[str, list[Pod]] = {}
    waiting: list[Pod] = []
    expected: dict[str, int] = {}
    running = total = 0
    for pod in pods:
        phase = pod.status.phase
        if phase in TERMINAL:
            continue
        total += 1
        name = pod.spec.node_name
        if name:
            running += phase == "Running"
            by_node.setdefault(name, []).append(pod)
            continue
        waiting.append(pod)
        host = pod.status.nominated_node_name or told.expected.get(pod.metadata.uid, "")
        if host:
            expected[host] = expected.get(host, 0) + 1
    return _Crowd(by_node, waiting, running, total, expected)


def _head(nodes: Sequence[NodeRow], crowd: _Crowd, pending: Sequence[PendingCause]) -> Head:
    there = [one for one in nodes if one.is_node]
    bought = [one.capacity_type for one in there]
    return Head(
        nodes=len(there),
        spot=bought.count(SPOT),
        on_demand=bought.count(ON_DEMAND),
        reserved=bought.count(RESERVED),
        claims=len(nodes) - len(there),
        faults=sum(one.is_fault for one in nodes),
        pods=crowd.total,
        pods_running=crowd.running,
        pods_pending=len(crowd.waiting),
        pods_refused=sum(one.count for one in pending if one.is_refused),
        cpu=add_amounts([one.cpu for one in there]),
        memory=add_amounts([one.memory for one in there]),
    )
