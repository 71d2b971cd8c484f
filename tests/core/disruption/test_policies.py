"""NodePolicies: the stricter of several, and what cannot be read."""

from builders import NOW_MS
from builders.fleet import HOUR_MS, a_fleet_node, a_fleet_pool, a_policy, decided, gone
from nodewright.core.disruption.policies import FOREVER_MS, WaveRule, read_policies
from nodewright.model.instant import print_instant
from nodewright.model.nodepolicy import NodePoolSelector, Pause, Timers, Waves


def read(*policies, pool=None):
    pool = pool or a_fleet_pool()
    return read_policies([pool], policies)[pool.metadata.name]


def test_of_several_policies_the_stricter_value_counts():
    merged = read(
        a_policy("a", min_node_age="1h", payback="2h", moves=("Empty", "Delete")),
        a_policy("b", min_node_age="3h", payback="1h", moves=("Delete", "Merge")),
    )

    assert merged.min_age_ms == 3 * HOUR_MS
    assert merged.payback_ms == HOUR_MS
    assert merged.moves == {"Delete"}


def test_the_longest_timer_and_the_smallest_wave_count():
    merged = read(
        a_policy("a", timers=Timers(empty="1m", underutilized="Never"), waves=Waves(first=3)),
        a_policy("b", timers=Timers(empty="5m"), waves=Waves(first=1, soak="1h")),
    )

    assert merged.timers_ms == {"Empty": 300_000, "Underutilized": FOREVER_MS}
    assert merged.waves == WaveRule(first=1, factor=2, soak_ms=HOUR_MS, failures_max=0)


def test_a_policy_selects_pools_by_name_and_label():
    named = a_policy(node_pools=NodePoolSelector(names=("other",)), min_node_age="1h")

    assert read(named).min_age_ms == 0


def test_a_pause_holds_everything_until_it_ends_and_says_why():
    pause = Pause(until=print_instant(NOW_MS + HOUR_MS), reason="launch day")
    answer = decided(a_fleet_node("n"), a_policy(pause=pause))

    assert answer.kept["n"].code == "NW-4108"
    assert answer.kept["n"].until_ms == NOW_MS + HOUR_MS
    assert answer.look_again_ms == NOW_MS + HOUR_MS
    over = Pause(until=print_instant(NOW_MS - 1), reason="launch day")
    assert gone(decided(a_fleet_node("n"), a_policy(pause=over))) == {"n"}


def test_a_pause_that_cannot_be_read_holds():
    answer = decided(a_fleet_node("n"), a_policy(pause=Pause(until="soon", reason="x")))

    assert answer.kept["n"].code == "NW-4108"


def test_timers_by_reason_stand_in_for_consolidate_after():
    node = a_fleet_node("n", quiet_ms=120_000)
    fast = a_policy(timers=Timers(empty="1m"))

    assert gone(decided(a_fleet_pool(after="1h"), node, fast)) == {"n"}
    assert decided(a_fleet_pool(after="1h"), node).kept["n"].code == "NW-4104"


def test_a_young_node_is_left_alone():
    node = a_fleet_node("n", age_ms=HOUR_MS)
    kept = decided(node, a_policy(min_node_age="2h")).kept["n"]

    assert (kept.code, kept.until_ms) == ("NW-4107", NOW_MS + HOUR_MS)
