"""Groups of a problem: made once, counted over what runs and over what is planned."""

from builders import (
    ZONES,
    a_managed_node,
    a_node,
    a_pod,
    a_pool,
    a_spread,
    a_taint,
    a_term,
    a_type,
    pods,
    want,
)
from builders.solving import a_board
from nodewright.core.scheduling.groups import count_again, possible_domains, uncount_draft
from nodewright.model.labels import HOSTNAME, ZONE
from nodewright.model.requirements import Requirements, read_requirement

WEB = {"app": "web"}


def the_group(*things):
    """The one group that the first pending pod owns."""
    _, shapes = a_board(*things)
    (group,) = next(shape.ladder[0].owns for shape in shapes if shape.ladder[0].owns)
    return group


def spreading(key=ZONE, **traits):
    return a_pod("new", cpu=1, labels=WEB, spread=[a_spread(key)], **traits)


def put(board, shape):
    draft = board.new_draft(board.supplies[0])
    board.put_on_draft(shape, 0, draft, board.on_draft(shape, shape.ladder[0], draft))
    return draft


def test_pods_that_write_a_constraint_alike_share_its_group():
    _, shapes = a_board(
        a_pod("a", cpu=1, labels=WEB, spread=[a_spread()]),
        a_pod("b", cpu=2, labels={**WEB, "x": "y"}, spread=[a_spread()]),
        a_type(),
    )
    assert len({id(group) for shape in shapes for group in shape.ladder[0].owns}) == 1


def test_domains_come_from_pools_types_and_nodes():
    node = a_node(zone="zone-x")
    pool = a_pool(requirements=[want(ZONE, "In", "zone-a", "zone-b")])
    group = the_group(spreading(), pool, node, a_type())
    assert list(group.universe) == ["zone-a", "zone-b", "zone-x"]


def test_labels_of_pools_are_domains():
    pools = [a_pool("one", labels={"rack": "r1"}), a_pool("two", labels={"rack": "r2"})]
    assert list(the_group(spreading("rack"), pools, a_type()).universe) == ["r1", "r2"]


def test_excluded_values_are_no_domains():
    pool = a_pool(requirements=[want("rack", "NotIn", "r1")])
    assert list(the_group(spreading("rack"), pool, a_type()).universe) == []


def test_pools_whose_taints_are_not_tolerated_give_no_domains_where_taints_are_honoured():
    pools = [
        a_pool("open", labels={"rack": "r1"}),
        a_pool("shut", labels={"rack": "r2"}, taints=[a_taint("gpu")]),
    ]
    careful = a_pod(cpu=1, labels=WEB, spread=[a_spread("rack", node_taints_policy="Honor")])
    assert list(the_group(careful, pools, a_type()).universe) == ["r1"]
    assert list(the_group(spreading("rack"), pools, a_type()).universe) == ["r1", "r2"]


def test_running_pods_are_counted_where_they_are():
    node, claim = a_managed_node(zone="zone-b")
    group = the_group(spreading(), node, claim, pods(2, "old", labels=WEB, node=node), a_type())
    assert [group.count(zone) for zone in ZONES] == [0, 2, 0]


def test_the_name_of_a_node_stands_in_for_its_hostname():
    node = a_node("n1")
    group = the_group(spreading(HOSTNAME), node, a_pod("old", labels=WEB, node=node), a_type())
    assert group.count("n1") == 1


def test_nodes_outside_the_pods_affinity_are_not_counted():
    fast, slow = a_node("fast", labels={"disk": "fast"}), a_node("slow")
    old = a_pod("a", labels=WEB, node=fast), a_pod("b", labels=WEB, node=slow)
    tied = spreading(selector={"disk": "fast"})
    assert the_group(tied, fast, slow, old, a_pool(labels={"disk": "fast"}), a_type()).total == 1


def test_a_running_pods_distance_is_an_inverse_group():
    node = a_node(zone="zone-b")
    hermit = a_pod("hermit", labels={"app": "db"}, node=node, apart=[a_term(ZONE)])
    _, (shape,) = a_board(a_pod("new", cpu=1, labels=WEB), hermit, node, a_type())
    (group,) = shape.ladder[0].kept_away_by
    assert group.count("zone-b") == 1


def test_a_group_that_appears_late_counts_what_is_planned_already():
    first = a_pod("first", cpu=1, labels=WEB, selector={ZONE: "zone-a"})
    late = a_pod(
        "late",
        cpu=1,
        labels=WEB,
        spread=[a_spread(), a_spread("rack", when_unsatisfiable="ScheduleAnyway")],
    )
    board, shapes = a_board(first, late, a_type())
    by_name = {shape.pods[0].metadata.name: shape for shape in shapes}
    put(board, by_name["first"])
    relaxed = by_name["late"].ladder.rung(1)
    (group,) = relaxed.owns
    assert group.count("zone-a") == 1


def test_a_draft_counts_for_a_spread_once_its_domain_is_known():
    tied = a_pod("tied", cpu=1, labels=WEB, selector={ZONE: "zone-b"})
    free = a_pod("free", cpu=1, labels=WEB)
    board, shapes = a_board(tied, free, spreading(), a_type())
    by_name = {shape.pods[0].metadata.name: shape for shape in shapes}
    (group,) = by_name["new"].ladder[0].owns
    put(board, by_name["free"])
    assert group.total == 0
    draft = put(board, by_name["tied"])
    assert group.count("zone-b") == 1
    uncount_draft(draft)
    assert group.total == 0
    count_again(draft)
    assert group.count("zone-b") == 1


def test_a_draft_that_must_keep_others_away_fears_every_domain_it_may_end_up_in():
    keeper = a_pod("keeper", cpu=1, labels={"app": "db"}, apart=[a_term(ZONE)])
    pool = a_pool(requirements=[want(ZONE, "In", "zone-a", "zone-b")])
    board, shapes = a_board(keeper, a_pod("web", cpu=1, labels=WEB), pool, a_type())
    by_name = {shape.pods[0].metadata.name: shape for shape in shapes}
    (inverse,) = by_name["web"].ladder[0].kept_away_by
    draft = put(board, by_name["keeper"])
    assert inverse.total == len(draft.spots[inverse]) >= 1


def test_possible_domains_follow_what_is_known_of_the_label():
    _, (shape,) = a_board(spreading(), a_type())
    (group,) = shape.ladder[0].owns
    listed = read_requirement(want(ZONE, "In", "zone-b", "zone-a"))
    excluded = read_requirement(want(ZONE, "NotIn", "zone-b"))
    assert possible_domains(Requirements(), group, None) == list(ZONES)
    assert possible_domains(Requirements([listed]), group, listed) == ["zone-a", "zone-b"]
    assert possible_domains(Requirements([excluded]), group, excluded) == ["zone-a", "zone-c"]
