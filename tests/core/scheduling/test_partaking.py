"""Taking part: what a planned node may still turn out to be decides how certain its count is."""

import pytest

from builders import a_pod, a_pool, a_taint, a_type, tolerating, want
from builders.solving import a_board
from nodewright.core.scheduling.partaking import Part, part_of
from nodewright.core.scheduling.topology import NodeFilter
from nodewright.model.labels import ARCH, INSTANCE_TYPE, REGION, ZONE
from nodewright.model.requirements import Requirements


def part(*terms, pool=None, selector=None, tolerations=None):
    """The part that a draft of two types in three zones plays for these alternatives."""
    things = [a_type("m"), a_type("c", labels={ARCH: "arm64"})]
    board, (shape,) = a_board(
        a_pod(cpu=1, selector=selector or {}, tolerations=[tolerating("gpu")]),
        pool or a_pool(),
        *things,
    )
    draft = board.new_draft(board.supplies[0])
    board.put_on_draft(shape, 0, draft, board.on_draft(shape, shape.ladder[0], draft))
    affinity = tuple(map(Requirements.from_expressions, terms)) or None
    return part_of(draft, NodeFilter(affinity, tolerations))


def test_a_node_takes_part_where_nothing_is_asked_of_it():
    assert part() is Part.SURELY


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ([[want(ZONE, "Exists")]], Part.SURELY),
        ([[want(ZONE, "In", "zone-a")]], Part.PERHAPS),
        ([[want(ZONE, "In", "zone-x")]], Part.NEVER),
        ([[want(INSTANCE_TYPE, "NotIn", "m")]], Part.PERHAPS),
        ([[want(INSTANCE_TYPE, "NotIn", "x")]], Part.SURELY),
        ([[want(ARCH, "In", "amd64")], [want(ARCH, "In", "arm64")]], Part.SURELY),
        ([[want(ARCH, "In", "amd64"), want(ZONE, "In", "zone-a")]], Part.PERHAPS),
        ([[want(REGION, "In", "here")]], Part.NEVER),
        ([[want(REGION, "NotIn", "here")]], Part.SURELY),
        ([[want("team", "In", "red")]], Part.NEVER),
        ([[want("team", "DoesNotExist")]], Part.SURELY),
    ],
)
def test_whatever_the_node_is_bought_as_counts(terms, expected):
    assert part(*terms) is expected


def test_what_the_pods_of_a_node_demand_makes_it_certain():
    assert part([want(ZONE, "In", "zone-a", "zone-b")], selector={ZONE: "zone-a"}) is Part.SURELY
    assert part([want(ZONE, "In", "zone-b")], selector={ZONE: "zone-a"}) is Part.NEVER


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (want("team", "DoesNotExist"), Part.NEVER),
        (want("team", "Exists"), Part.SURELY),
        (want("team", "NotIn", "red"), Part.SURELY),
        (want("team", "In", "red"), Part.NEVER),
        (want("team", "In", "blue"), Part.PERHAPS),
    ],
)
def test_a_label_that_a_pool_leaves_open_gets_some_value(wanted, expected):
    pool = a_pool(requirements=[want("team", "NotIn", "red")])
    assert part([wanted], pool=pool) is expected


def test_taints_keep_a_node_out_where_they_are_honoured():
    pool = a_pool(taints=[a_taint("gpu", effect="PreferNoSchedule")])
    assert part(pool=pool) is Part.SURELY
    assert part(pool=pool, tolerations=()) is Part.NEVER
    assert part(pool=pool, tolerations=(tolerating("gpu"),)) is Part.SURELY
