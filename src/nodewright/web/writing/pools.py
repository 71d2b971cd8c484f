"""NodePools: what they may have and have, what their budgets leave, and who drifted in which field."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from nodewright.app.explaining import pool_summary
from nodewright.app.planning import money
from nodewright.core.explain.calendar import PoolCalendar
from nodewright.core.explain.drifting import DriftStory
from nodewright.core.explain.pool import NodePoolStory
from nodewright.core.scheduling.funnel import show_taint
from nodewright.model.instant import print_instant
from nodewright.model.nodepool import NodePool
from nodewright.model.wording.amounts import show_amount
from nodewright.view.values import BudgetRow, LimitRow, PoolRow, View
from nodewright.web.answers import pools as answers
from nodewright.web.answers.shared import Place
from nodewright.web.writing.numbers import percent_of, write_instant, write_money
from nodewright.web.writing.stories import write_conditions, write_funnel

DRIFTED_MAX: Final = 100


class Look(msgspec.Struct, frozen=True):
    """What is known of the pools beside their rows."""

    pools: Mapping[str, NodePool]
    stories: Mapping[str, NodePoolStory]
    calendars: Mapping[str, PoolCalendar]
    drifted: tuple[DriftStory, ...]


def write_pools(view: View, revision: int, look: Look) -> answers.Pools:
    """Write the page of pools."""
    by_pool: dict[str, list[DriftStory]] = {}
    for one in look.drifted:
        by_pool.setdefault(one.node_pool, []).append(one)
    rows = tuple(
        _row(row, look.pools[row.name], look, by_pool.get(row.name, ()))
        for row in view.pools
        if row.name in look.pools
    )
    return answers.Pools(revision, print_instant(view.now_ms), rows)


def _row(
    row: PoolRow, pool: NodePool, look: Look, drifted: Sequence[DriftStory]
) -> answers.PoolRow:
    story, calendar = look.stories.get(row.name), look.calendars.get(row.name)
    disruption = pool.spec.disruption
    conditions = pool.status.conditions
    return answers.PoolRow(
        name=row.name,
        node_class=row.node_class,
        weight=row.weight or 0,
        ready=not any(one.type == "Ready" and one.status != "True" for one in conditions)
        and (story is None or story.cause is None),
        code=story.cause.code if story is not None and story.cause is not None else "",
        summary=pool_summary(story) if story is not None else "",
        conditions=write_conditions(conditions),
        nodes=row.nodes,
        price_per_hour=write_money(row.price_nanousd_hour),
        idle_per_hour=write_money(row.idle_nanousd_hour),
        nodes_without_price=row.unpriced,
        limits=tuple(_limit(one) for one in row.limits),
        consolidation_policy=disruption.consolidation_policy,
        consolidate_after=disruption.consolidate_after,
        expire_after=pool.spec.template.spec.expire_after,
        budgets=calendar.written if calendar is not None else (),
        rooms=tuple(_room(one) for one in row.budgets),
        paused_until=write_instant(row.paused_until_ms),
        funnel=write_funnel(story.funnel) if story is not None else (),
        cheapest=_cheapest(row.name, story),
        taints=tuple(show_taint(one) for one in pool.spec.template.spec.taints),
        drifted_count=len(drifted),
        drifted=tuple(_drifted(one) for one in drifted[:DRIFTED_MAX]),
    )


def _limit(one: LimitRow) -> answers.Limit:
    return answers.Limit(
        resource=one.resource,
        limit=show_amount(one.limit, one.resource),
        used=show_amount(one.used, one.resource, up=True),
        left=show_amount(one.limit - one.used, one.resource),
        used_percent=percent_of(one.used, one.limit),
    )


def _room(one: BudgetRow) -> answers.Room:
    return answers.Room(
        reason=one.reason,
        allowed=one.allowed,
        used=one.used,
        free=one.free,
        closed_by=one.broken or one.closed_by,
        changes=write_instant(one.opens_ms or one.until_ms),
    )


def _cheapest(name: str, story: NodePoolStory | None) -> Place | None:
    if story is None or story.made is None:
        return None
    made, price = story.made, money(story.made.price)
    text = f"{made.cheapest} at {price:.4f} an hour is the cheapest, {made.largest} the largest"
    return Place(text, node_pool=name, instance_type=made.cheapest, price_per_hour=price)


def _drifted(one: DriftStory) -> answers.Drifted:
    fields = tuple(answers.DriftField(each.field, each.has, each.wants) for each in one.fields)
    return answers.Drifted(one.node, one.claim, one.reason, fields)
