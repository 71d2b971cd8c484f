"""Budgets: the smallest that holds counts, windows are in their zone, and what is broken closes."""

import pytest
from msgspec.structs import replace

from builders import NOW_MS
from builders.fleet import HOUR_MS, a_fleet_node, a_fleet_pool, decided, gone
from nodewright.core.disruption.budgets import Counts, Purse, reckon
from nodewright.model.disruption import Memory, Running
from nodewright.model.instant import parse_instant, print_instant
from nodewright.model.metadata import Condition
from nodewright.model.nodepolicy import PolicyBudget, Rate
from nodewright.model.nodepool import Budget

MONDAY_9 = parse_instant("2026-11-16T09:00:00Z")


def allowed(*budgets, total=19, used=0, now_ms=MONDAY_9, more=(), gone_ms=()):
    pool = a_fleet_pool(budgets=budgets)
    found = reckon(pool, more, Counts(total, used), now_ms, gone_ms)
    return {one.reason: one for one in found}


@pytest.mark.parametrize(
    ("nodes", "used", "free"),
    [("20%", 0, 4), ("20%", 3, 1), ("20%", 5, 0), ("1%", 0, 1), ("0%", 0, 0), ("7", 2, 5)],
)
def test_a_percentage_is_rounded_up_and_what_is_used_is_taken_off(nodes, used, free):
    assert allowed(Budget(nodes=nodes), used=used)["Empty"].free == free


def test_no_budget_is_no_limit():
    assert allowed()["Drifted"].free is None


def test_a_budget_speaks_only_of_its_reasons():
    found = allowed(Budget(nodes="5"), Budget(nodes="1", reasons=("Drifted",)))

    assert found["Drifted"].free == 1
    assert found["Empty"].free == 5


def test_a_list_of_no_reasons_speaks_of_none():
    assert allowed(Budget(nodes="0", reasons=()))["Empty"].free is None


@pytest.mark.parametrize(
    ("now", "free"),
    [
        ("2026-11-16T08:59:59Z", None),
        ("2026-11-16T09:00:00Z", 0),
        ("2026-11-16T17:00:00Z", 0),
        ("2026-11-16T17:00:01Z", None),
    ],
)
def test_both_ends_belong_to_a_window_and_outside_of_it_nothing_is_limited(now, free):
    office = Budget(nodes="0", schedule="0 9 * * mon-fri", duration="8h")

    assert allowed(office, now_ms=parse_instant(now))["Empty"].free == free


def test_a_closed_window_says_when_it_opens():
    found = allowed(Budget(nodes="0", schedule="0 9 * * *", duration="8h"))["Empty"]

    assert found.until_ms == MONDAY_9 + 8 * HOUR_MS + 1
    assert found.closed_by == "0 (0 9 * * * for 8h)"


def test_what_holds_at_zero_opens_when_the_last_of_it_ends():
    soon = Budget(nodes="1", schedule="0 8 * * *", duration="2h")
    found = allowed(soon, Budget(nodes="0", schedule="0 9 * * *", duration="8h"))["Empty"]

    assert found.until_ms == MONDAY_9 + HOUR_MS + 1
    assert found.opens_ms == MONDAY_9 + 8 * HOUR_MS + 1
    assert allowed(soon, Budget(nodes="0"))["Empty"].opens_ms is None


def test_a_broken_budget_closes_the_pool_for_every_reason():
    found = allowed(Budget(nodes="5"), Budget(nodes="1", schedule="soon", duration="1h"))

    assert {one.free for one in found.values()} == {0}
    assert "soon" in found["Empty"].broken


def test_a_policy_counts_hours_in_its_zone():
    seoul = PolicyBudget(nodes="0", schedule="0 9 * * *", duration="1h", time_zone="Asia/Seoul")

    assert allowed(more=[seoul], now_ms=parse_instant("2026-11-16T00:30:00Z"))["Empty"].free == 0
    assert allowed(more=[seoul])["Empty"].free is None


def test_a_policy_holds_only_within_its_dates():
    freeze = PolicyBudget(
        nodes="0", not_before="2026-12-20T00:00:00Z", not_after="2027-01-03T00:00:00Z"
    )

    assert allowed(more=[freeze])["Empty"].free is None
    christmas = allowed(more=[freeze], now_ms=parse_instant("2026-12-24T12:00:00Z"))["Empty"]
    assert christmas.free == 0
    assert christmas.until_ms == parse_instant("2027-01-03T00:00:00Z") + 1


def test_a_rate_counts_those_that_went_lately():
    slow = PolicyBudget(rate=Rate(nodes="2", per="10m"))
    lately = [MONDAY_9 - 60_000, MONDAY_9 - 599_000, MONDAY_9 - 601_000]

    assert allowed(more=[slow], gone_ms=lately[:1])["Empty"].free == 1
    full = allowed(more=[slow], gone_ms=lately)["Empty"]
    assert full.free == 0
    assert full.until_ms == MONDAY_9 + 1000


def test_a_purse_is_emptied_by_whoever_comes_first():
    purse = Purse(allowed(Budget(nodes="2")).values())
    purse.take("default")

    assert purse.free("default", "Empty") == 1
    assert purse.has("default", "Drifted")
    purse.take("default")
    assert not purse.has("default", "Underutilized")


def test_the_dearest_empty_nodes_go_within_the_budget():
    nodes = [a_fleet_node(f"n{cpu}", cpu) for cpu in (1, 2, 4, 8)]
    answer = decided(a_fleet_pool(budgets=[Budget(nodes="2")]), *nodes)

    assert gone(answer) == {"n8", "n4"}
    assert answer.kept["n1"].code == "NW-4102"


def test_nodes_that_are_not_ready_or_go_already_have_used_their_share():
    sick, claim = a_fleet_node("sick")
    unready = (Condition(type="Ready", status="False", last_transition_time=print_instant(NOW_MS)),)
    sick = replace(sick, status=replace(sick.status, conditions=unready))
    busy, empty = a_fleet_node("busy"), a_fleet_node("empty")
    memory = Memory(running=(Running("c1", "Empty", ("busy",)),))
    pool = a_fleet_pool(budgets=[Budget(nodes="3")])
    answer = decided(pool, (sick, claim), busy, empty, a_fleet_node("other"), memory=memory)

    assert len(gone(answer)) == 1
    assert answer.kept["busy"].code == "NW-4005"
