"""Wishes and shapes: pods that ask for the same are one thing, read once."""

from builders import a_namespace, a_pod, a_selector, a_spread, a_term, a_type, pods, want
from builders.solving import a_board
from nodewright.core.scheduling.selectors import read_selector
from nodewright.core.scheduling.topology import GroupKind
from nodewright.core.scheduling.wishes import (
    NamespaceReader,
    group_keys,
    inverse_keys,
    strict_requirements,
)
from nodewright.model.labels import HOSTNAME, ZONE
from nodewright.model.requirements import Requirements

NOBODY = NamespaceReader({})


def the_wish(pod, level=0, **options):
    _, (shape,) = a_board(pod, a_type(), **options)
    return shape.ladder.rung(level)


def keys_of(pod):
    return list(group_keys(the_wish(pod), NOBODY))


def test_the_first_term_and_the_heaviest_preference_are_what_is_wished():
    pod = a_pod(
        selector={"team": "a"},
        terms=[[want(ZONE, "In", "zone-a")], [want(ZONE, "In", "zone-b")]],
        wishes=[(1, [want("disk", "In", "slow")]), (9, [want("disk", "In", "fast")])],
    )
    wish = the_wish(pod)
    assert wish.requirements.labels() == {"team": "a", ZONE: "zone-a", "disk": "fast"}
    assert wish.strict.labels() == {"team": "a", ZONE: "zone-a"}
    assert Requirements(strict_requirements(pod.spec)) == wish.strict


def test_a_wish_that_no_label_could_meet_is_impossible():
    pod = a_pod(selector={ZONE: "zone-a"}, terms=[[want(ZONE, "NotIn", "zone-a")]])
    assert the_wish(pod).impossible
    assert not the_wish(
        a_pod(terms=[[want("team", "NotIn", "a"), want("team", "NotIn", "b")]])
    ).impossible


def test_deprecated_keys_mean_todays():
    pod = a_pod(selector={"failure-domain.beta.kubernetes.io/zone": "zone-a"})
    assert the_wish(pod).requirements.labels() == {ZONE: "zone-a"}


def test_a_wish_reaches_whatever_any_alternative_reaches():
    pod = a_pod(terms=[[want(ZONE, "In", "zone-a")], [want("disk")]])
    first, second = the_wish(pod).reach(ZONE)
    assert first.values == {"zone-a"}
    assert second is None
    assert the_wish(a_pod()).reach(ZONE) == (None,)


def test_pods_that_ask_alike_are_one_shape_whatever_they_are_called():
    _, shapes = a_board(
        pods(3, cpu=1), pods(2, "big", cpu=2), a_pod("tied", cpu=1, selector={"a": "b"}), a_type()
    )
    assert sorted(len(shape.pods) for shape in shapes) == [1, 2, 3]
    assert len({id(shape.ladder) for shape in shapes}) == 2


def test_pods_of_different_labels_are_different_because_others_may_look_at_them():
    _, shapes = a_board(a_pod("a", labels={"x": "1"}), a_pod("b", labels={"x": "2"}), a_type())
    assert len(shapes) == 2


def test_a_ladder_ends_with_bare_demands():
    pod = a_pod(cpu=1, wishes=[(1, [want(ZONE, "In", "zone-a")])], rather_apart=[(1, a_term())])
    _, (shape,) = a_board(pod, a_type())
    rungs = list(shape.ladder.rungs())
    assert [rung.level for rung in rungs] == [0, 1, 2]
    assert len(rungs[0].owns) == 1
    assert rungs[2].owns == []
    assert rungs[2].requirements == Requirements()
    assert shape.ladder.rung(3) is None


def test_ignored_preferences_leave_a_ladder_of_one_rung():
    pod = a_pod(cpu=1, wishes=[(1, [want(ZONE, "In", "zone-a")])])
    _, (shape,) = a_board(pod, a_type(), preference_policy="Ignore")
    assert len(list(shape.ladder.rungs())) == 1


def test_every_neighbour_constraint_becomes_a_key():
    pod = a_pod(
        spread=[a_spread(), a_spread(HOSTNAME, 2, when_unsatisfiable="ScheduleAnyway")],
        near=[a_term(ZONE)],
        rather_apart=[(1, a_term(HOSTNAME))],
    )
    assert [(key.kind, key.key, key.max_skew, demand) for key, demand in keys_of(pod)] == [
        (GroupKind.SPREAD, ZONE, 1, True),
        (GroupKind.SPREAD, HOSTNAME, 2, False),
        (GroupKind.AFFINITY, ZONE, 0, True),
        (GroupKind.ANTI_AFFINITY, HOSTNAME, 0, False),
    ]


def test_a_spread_honours_node_affinity_and_ignores_taints_unless_told():
    ((plain, _),) = keys_of(a_pod(spread=[a_spread()]))
    ((tied, _),) = keys_of(a_pod(selector={"disk": "fast"}, spread=[a_spread()]))
    ((open_, _),) = keys_of(
        a_pod(selector={"disk": "fast"}, spread=[a_spread(node_affinity_policy="Ignore")])
    )
    ((careful, _),) = keys_of(a_pod(spread=[a_spread(node_taints_policy="Honor")]))
    assert plain.nodes is None
    assert [term.labels() for term in tied.nodes.affinity] == [{"disk": "fast"}]
    assert open_.nodes is None
    assert careful.nodes.tolerations == ()


def test_min_domains_makes_a_constraint_of_its_own():
    ((one, _),) = keys_of(a_pod(spread=[a_spread()]))
    ((two, _),) = keys_of(a_pod(spread=[a_spread(min_domains=2)]))
    assert one != two


def test_only_required_distance_has_an_inverse():
    pod = a_pod(apart=[a_term(ZONE)], rather_apart=[(1, a_term(HOSTNAME))])
    (inverse,) = inverse_keys(pod, pod.spec, NOBODY)
    assert (inverse.kind, inverse.key) == (GroupKind.INVERSE, ZONE)


def test_a_term_is_about_its_own_namespace_unless_it_names_others():
    reader = NamespaceReader({"a": {"team": "red"}, "b": {"team": "blue"}, "own": {}})
    read = reader.read
    assert read("own", a_term()) == {"own"}
    assert read("own", a_term(namespaces=("a",))) == {"a"}
    assert read("own", a_term(namespace_selector=a_selector(team="red"))) == {"a"}
    both = a_term(namespaces=("b",), namespace_selector=a_selector(team="red"))
    assert read("own", both) == {"a", "b"}
    assert read("own", a_term(namespace_selector=a_selector())) is None
    unreadable = a_term(namespaces=("b",), namespace_selector=a_selector(("team", "Near")))
    assert read("own", unreadable) == {"b"}


def test_namespaces_of_the_world_are_what_selectors_look_at():
    pod = a_pod(near=[a_term(ZONE, namespace_selector=a_selector(team="red"))])
    board, (shape,) = a_board(pod, a_namespace("shop", team="red"), a_type())
    (group,) = shape.ladder[0].owns
    assert group.spec.namespaces == {"shop"}
    assert group.spec.selector == read_selector(a_selector(app="web"))
    assert board.drafts == []
