"""Relaxation: one wish at a time, always in the same order."""

from builders import a_pod, a_spread, a_term, a_type, want
from builders.solving import codes_of, home_of, plan_of, zone_of
from nodewright.core.scheduling.relax import bare_alternatives, relax, without_preferences
from nodewright.core.scheduling.rules.taints import TOLERATE_SOFT_TAINTS
from nodewright.model.labels import ZONE

A, B, C = (want(ZONE, "In", f"zone-{letter}") for letter in "abc")
SOFT = a_spread(when_unsatisfiable="ScheduleAnyway")
FULL = a_pod(
    terms=[[A], [B]],
    wishes=[(1, [A]), (9, [B])],
    rather_near=[(1, a_term("near-light")), (9, a_term("near-heavy"))],
    rather_apart=[(5, a_term("apart"))],
    spread=[a_spread("hard"), SOFT],
).spec


def steps(spec, *, soft_taints=True):
    found = []
    while (fewer := relax(spec, soft_taints=soft_taints)) is not None:
        found.append(fewer)
        spec = fewer
    return found


def left(spec):
    node, near, apart = (
        spec.affinity.node_affinity,
        spec.affinity.pod_affinity,
        spec.affinity.pod_anti_affinity,
    )
    return (
        len(node.required.node_selector_terms),
        len(near.preferred),
        len(apart.preferred),
        len(node.preferred),
        len(spec.topology_spread_constraints),
        TOLERATE_SOFT_TAINTS in spec.tolerations,
    )


def test_wishes_go_one_by_one_in_the_known_order():
    assert [left(one) for one in steps(FULL)] == [
        (1, 2, 1, 2, 2, False),
        (1, 1, 1, 2, 2, False),
        (1, 0, 1, 2, 2, False),
        (1, 0, 0, 2, 2, False),
        (1, 0, 0, 1, 2, False),
        (1, 0, 0, 0, 2, False),
        (1, 0, 0, 0, 1, False),
        (1, 0, 0, 0, 1, True),
    ]


def test_the_heaviest_preference_goes_first():
    after_term, after_heavy = steps(FULL)[:2]
    assert after_term.affinity.node_affinity.required.node_selector_terms[0].match_expressions == (
        B,
    )
    (light,) = after_heavy.affinity.pod_affinity.preferred
    assert light.pod_affinity_term.topology_key == "near-light"


def test_the_last_required_term_is_never_dropped():
    assert steps(a_pod(terms=[[A]]).spec, soft_taints=False) == []


def test_soft_taints_are_put_up_with_only_where_there_are_some():
    assert steps(a_pod().spec, soft_taints=False) == []
    assert len(steps(a_pod().spec)) == 1


def test_a_demand_for_spread_stays():
    assert steps(a_pod(spread=[a_spread()]).spec, soft_taints=False) == []


def test_without_preferences_only_demands_are_left():
    bare = without_preferences(FULL)
    assert left(bare) == (2, 0, 0, 0, 1, False)
    assert without_preferences(bare) == bare


def test_every_alternative_gets_its_chance_without_preferences():
    barest = steps(FULL)[-1]
    (first,) = bare_alternatives(FULL, barest)
    assert left(first) == (2, 0, 0, 0, 1, True)
    assert bare_alternatives(a_pod(terms=[[A], [B]]).spec, barest) == []


def test_the_heaviest_preference_is_tried_first_then_the_lighter_one():
    wishes = [(1, [A]), (9, [B])]
    pod = a_pod(cpu=1, wishes=wishes)
    assert zone_of(home_of(plan_of(pod, a_type()), pod)) == "zone-b"
    assert zone_of(home_of(plan_of(pod, a_type(zones=["zone-a", "zone-c"])), pod)) == "zone-a"


def test_a_preference_that_contradicts_a_demand_is_given_up():
    pod = a_pod(cpu=1, selector={ZONE: "zone-c"}, wishes=[(1, [A])])
    assert zone_of(home_of(plan_of(pod, a_type()), pod)) == "zone-c"


def test_a_later_alternative_is_taken_when_the_first_cannot_be():
    pod = a_pod(cpu=1, terms=[[want("team", "In", "none")], [C]])
    assert zone_of(home_of(plan_of(pod, a_type()), pod)) == "zone-c"


def test_an_alternative_that_only_a_preference_ruled_out_is_tried_again_at_the_end():
    # The first alternative clashes with the preference, the second can never be had.
    pod = a_pod(cpu=1, terms=[[A], [want("team", "In", "none")]], wishes=[(1, [B])])
    assert zone_of(home_of(plan_of(pod, a_type()), pod)) == "zone-a"


def test_ignored_preferences_change_nothing():
    pod = a_pod(cpu=1, wishes=[(1, [B])])
    plan = plan_of(pod, a_type(), preference_policy="Ignore")
    assert zone_of(home_of(plan, pod)) == ""


def test_a_pod_that_fails_in_the_end_says_what_its_demands_lack():
    pod = a_pod(cpu=1, selector={"team": "none"}, wishes=[(1, [B])])
    assert codes_of(plan_of(pod, a_type())) == {"pod": "NW-1203"}
