"""What claims say of themselves: quiet long enough, and drifted, with when to look again."""

from msgspec.structs import replace

from builders import NOW_MS
from builders.fleet import a_fleet_node, a_fleet_pool, fleet_world
from builders.lives import with_conditions
from core.disruption.test_drift import stamped
from nodewright.core.disruptable import judge_claims, quiet_since_ms
from nodewright.model.instant import print_instant

MINUTE_MS = 60_000
WORKS = {"Launched": "True", "Registered": "True", "Initialized": "True"}


def a_quiet_node(quiet_ms, pool, **conditions):
    node, claim = stamped(a_fleet_node("node", quiet_ms=quiet_ms), pool)
    return node, with_conditions(claim, **WORKS, **conditions)


def answer(pool, *things):
    return list(judge_claims(fleet_world(pool, *things)))


def written(decision):
    return {one["type"]: one["reason"] for one in decision.change["status"]["conditions"]}


def test_a_claim_is_consolidatable_once_it_was_quiet_for_long_enough():
    pool = a_fleet_pool(after="5m")
    (busy,) = answer(pool, a_quiet_node(4 * MINUTE_MS, pool))
    (quiet,) = answer(pool, a_quiet_node(5 * MINUTE_MS, pool))

    assert (busy.kind, busy.look_again_ms) == ("Keep", MINUTE_MS)
    assert "Consolidatable" in written(quiet)


def test_a_pod_event_takes_the_condition_off_again():
    pool = a_fleet_pool(after="5m")
    cleared, waits = answer(pool, a_quiet_node(MINUTE_MS, pool, Consolidatable="True"))

    assert "Consolidatable" not in written(cleared)
    assert waits.look_again_ms == 4 * MINUTE_MS


def test_a_claim_that_says_it_already_is_left_alone():
    pool = a_fleet_pool()

    assert answer(pool, a_quiet_node(MINUTE_MS, pool, Consolidatable="True")) == []


def test_drift_is_written_with_its_reason_and_taken_off_when_it_is_over():
    pool = a_fleet_pool()
    edited = a_fleet_pool(labels={"team": "blue"})
    (drifted,) = answer(edited, a_quiet_node(MINUTE_MS, pool, Consolidatable="True"))
    back = a_quiet_node(MINUTE_MS, pool, Consolidatable="True")
    node, claim = back
    since = replace(
        with_conditions(claim, Drifted="True").status.conditions[-1], reason="NodePoolDrifted"
    )
    conditions = (*claim.status.conditions, since)
    (cleared,) = answer(
        pool, (node, replace(claim, status=replace(claim.status, conditions=conditions)))
    )

    assert written(drifted)["Drifted"] == "NodePoolDrifted"
    assert "Drifted" not in written(cleared)


def test_quiet_counts_from_the_last_event_or_from_when_the_node_began_to_work():
    pool = a_fleet_pool()
    _, busy = a_quiet_node(MINUTE_MS, pool)
    made = print_instant(NOW_MS - 2 * MINUTE_MS)
    _, fresh = stamped(a_fleet_node("node"), pool)

    assert quiet_since_ms(busy) == NOW_MS - MINUTE_MS
    assert quiet_since_ms(with_conditions(fresh, made, Initialized="True")) == (
        NOW_MS - 2 * MINUTE_MS
    )
