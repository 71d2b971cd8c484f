"""Groups as counters: what was counted can be taken back, and the least is always known."""

from hypothesis import given
from hypothesis import strategies as st

from builders import a_selector, a_taint, tolerating, want
from nodewright.core.scheduling.selectors import read_selector
from nodewright.core.scheduling.topology import Group, GroupKey, GroupKind, NodeFilter
from nodewright.model.labels import HOSTNAME, ZONE
from nodewright.model.requirements import Requirements

WEB = read_selector(a_selector(app="web"))
MOVES = st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.integers(1, 3)), max_size=8)


def spread(key=ZONE, skew=1, namespaces=frozenset({"default"})):
    return GroupKey(GroupKind.SPREAD, key, namespaces, WEB, skew)


def test_a_group_is_about_pods_of_its_namespaces_that_it_selects():
    group = Group(0, spread(), ())
    assert group.selects("default", {"app": "web"})
    assert not group.selects("other", {"app": "web"})
    assert not group.selects("default", {"app": "db"})
    assert Group(0, spread(namespaces=None), ()).selects("other", {"app": "web"})


@given(MOVES)
def test_counting_and_taking_back_leaves_nothing(moves):
    group = Group(0, spread(), "abc")
    for domain, pods in moves:
        group.record(domain, pods)
    assert group.total == sum(pods for _, pods in moves)
    assert group.least() == min(group.count(domain) for domain in "abc")
    for domain, pods in moves:
        group.record(domain, -pods)
    assert (group.total, group.least()) == (0, 0)
    assert not any(group.counts.values())


def test_a_domain_that_pods_are_found_in_joins_the_others():
    group = Group(0, spread(), ["a"])
    group.record("b", 1)
    assert list(group.universe) == ["a", "b"]
    assert group.least() == 0


def test_drafts_that_are_full_for_a_group_are_known_as_bits():
    group = Group(0, spread(HOSTNAME, 2), ())
    for draft, pods in ((0, 1), (1, 2), (2, 3)):
        group.record(draft, pods)
    assert group.hosts_at_limit == 0b110
    assert group.hosts_over_limit == 0b100
    group.record(2, -2)
    assert group.hosts_at_limit == 0b010
    assert group.hosts_over_limit == 0


def test_nodes_take_part_by_affinity_and_by_taints():
    labels = Requirements.from_labels({"disk": "fast"})
    term = Requirements.from_expressions([want("disk", "In", "fast")])
    other = Requirements.from_expressions([want("disk", "In", "slow")])
    assert NodeFilter(affinity=(other, term)).admits(labels, ())
    assert not NodeFilter(affinity=(other,)).admits(labels, ())
    assert not NodeFilter(affinity=(term,)).admits(Requirements(), ())
    taints = (a_taint("gpu"),)
    assert NodeFilter(affinity=(term,)).admits(labels, taints)
    assert not NodeFilter(tolerations=()).admits(labels, taints)
    assert NodeFilter(tolerations=(tolerating("gpu"),)).admits(labels, taints)
