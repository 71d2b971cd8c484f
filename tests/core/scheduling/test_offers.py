"""The relaxed problem as tables: few rows, no beaten offers, room that is paid for."""

from builders import a_node, a_pod, a_taint, a_term, a_type, a_world, pods, want
from nodewright.core.scheduling.offers import Tables
from nodewright.core.scheduling.problem import Problem


def tables_of(*things, left_out=()):
    return Tables(Problem(a_world(*things)), frozenset(left_out))


def test_pods_that_ask_for_the_same_are_one_row():
    tables = tables_of(pods(7, cpu=1), a_pod("other", cpu=2), a_type())

    assert sorted(tables.counts) == [1, 7]


def test_a_machine_that_another_beats_is_not_offered():
    tables = tables_of(
        a_pod(cpu=1), a_type("good", cpu=8, price=0.1), a_type("bad", cpu=4, price=0.2)
    )

    assert list(tables.prices) == [100_000_000]


def test_a_machine_is_kept_for_those_that_need_its_labels():
    arm = a_type("arm", cpu=4, price=0.2, labels={"kubernetes.io/arch": "arm64"})
    picky = a_pod("picky", cpu=1, terms=[[want("kubernetes.io/arch", "In", "arm64")]])
    tables = tables_of(a_pod(cpu=1), picky, a_type("amd", cpu=8, price=0.1), arm)

    assert sorted(tables.prices) == [100_000_000, 200_000_000]


def test_pods_that_keep_off_each_others_hosts_take_the_one_place_of_a_machine():
    crowd = pods(3, cpu=1, labels={"app": "web"}, apart=[a_term()])
    tables = tables_of(crowd, a_type(cpu=8))

    assert list(tables.limits(0)) == [1]


def test_existing_nodes_count_what_they_could_hold():
    tables = tables_of(pods(9, cpu=1), a_node(cpu="2500m"), a_type())

    assert list(tables.host_counts) == [2]


def test_nodes_that_pods_do_not_tolerate_hold_nothing():
    node = a_node(cpu=4, taints=[a_taint("team", "a")])
    soft = a_node("soft", cpu=1, taints=[a_taint("team", "a", "PreferNoSchedule")])

    assert list(tables_of(pods(9, cpu=1), node, a_type()).host_counts) == [0]
    assert list(tables_of(pods(9, cpu=1), soft, a_type()).host_counts) == [1]


def test_pods_that_are_left_out_are_no_demand():
    tables = tables_of(a_pod("a", cpu=1), a_pod("b", cpu=2), a_type(), left_out=["default/b"])

    assert list(tables.counts) == [1]
