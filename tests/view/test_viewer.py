"""A view shows the cluster at a glance, and a look again keeps the rows of what has not changed."""

from msgspec.structs import replace

from builders import NOW_MS, a_node, a_node_claim, a_pod, a_world, pods
from builders.fleet import BOTH_SIZES, HOUR_MS, a_fleet_node, a_fleet_pool, on
from builders.lives import ago, with_meta
from nodewright.core.disruption.cost import Prices
from nodewright.core.money import add_up
from nodewright.model.instance import NANO
from nodewright.view.usage import Usage, Used
from nodewright.view.values import Origin
from nodewright.view.viewer import Known, Viewer

BIG = a_fleet_node("big", 4)
SPOT = a_fleet_node("spot", 2, capacity_type="spot")
CLAIM = a_node_claim("coming", labels={"node.kubernetes.io/instance-type": "m.2"})
THINGS = (
    a_fleet_pool(),
    BIG,
    SPOT,
    CLAIM,
    on(BIG, "1", "2", app="web"),
    on(SPOT, "1"),
    pods(2, "waits", cpu="1"),
    a_pod("done", node="big", phase="Succeeded", cpu="1"),
    *BOTH_SIZES,
)


def known(*things, **rest):
    return Known(a_world(*(things or THINGS)), Origin("snapshot", "test"), **rest)


def row(view, name):
    return next(one for one in view.nodes if one.name == name)


def test_the_head_counts_nodes_and_pods_that_have_not_ended():
    head = Viewer().view(known()).head

    assert (head.nodes, head.spot, head.on_demand, head.claims) == (2, 1, 1, 1)
    assert (head.pods, head.pods_running, head.pods_pending) == (5, 3, 2)
    assert (head.cpu.requested, head.cpu.allocatable, head.cpu.used) == (4000, 6000, None)


def test_money_is_what_the_bill_says():
    facts = known()
    view = Viewer().view(facts)
    bill = add_up(facts.world, Prices(facts.world))

    assert view.money.total_nanousd_hour == bill.total > 0
    assert view.money.infra_idle_nanousd_hour == bill.idle
    assert {one.name: one.price_nanousd_hour for one in view.money.namespaces} == bill.namespaces
    assert [one.name for one in view.money.pools] == ["default"]
    assert view.money.workloads[0].name == "default/ReplicaSet/web"
    assert view.money.workload_idle_nanousd_hour is None


def test_a_node_without_a_price_is_counted_and_its_price_is_not_known():
    view = Viewer().view(known(a_node("stranger"), *THINGS))

    assert view.money.unpriced == 1
    assert row(view, "stranger").price_nanousd_hour is None
    assert row(view, "stranger").next.code == "NW-4001"


def test_a_claim_is_a_row_before_its_node_registers():
    found = row(Viewer().view(known()), "coming")

    assert not found.is_node
    assert found.state == "Launched"
    assert found.next.code == "NW-4002"


def test_what_is_used_is_shown_where_it_is_measured():
    usage = Usage(NOW_MS, {"big": Used(1000, 0), "spot": Used(500, 0)})
    view = Viewer().view(known(usage=usage))

    assert view.head.cpu.used == 1500
    assert row(view, "big").cpu.used_share == 0.25
    assert view.money.workload_idle_nanousd_hour > 0
    assert row(view, "coming").cpu.used is None


def test_a_row_is_the_same_object_until_something_about_its_node_changes():
    viewer, facts = Viewer(), known()
    before = viewer.view(facts)
    more = replace(
        facts.world, pods=(*facts.world.pods, *on(SPOT, "250m", app="new")), now_ms=NOW_MS + 1
    )
    after = viewer.view(replace(facts, world=more))

    assert row(after, "big") is row(before, "big")
    assert row(after, "spot") != row(before, "spot")
    assert after == Viewer().view(replace(facts, world=more))


def test_a_node_that_is_gone_has_no_row():
    viewer = Viewer()
    viewer.view(known())
    view = viewer.view(known(a_fleet_pool(), SPOT, *BOTH_SIZES))

    assert [one.name for one in view.nodes] == ["spot"]


def test_nothing_is_judged_by_a_look_alone():
    assert row(Viewer().look(known()), "big").next.text == "nobody has judged it yet"


def test_a_drain_that_takes_too_long_is_a_fault():
    node, claim = a_fleet_node("slow")
    slow = (node, with_meta(claim, deletion_timestamp=ago(HOUR_MS)))
    view = Viewer().view(known(a_fleet_pool(), slow, *BOTH_SIZES))

    assert (row(view, "slow").state, row(view, "slow").is_fault) == ("Draining", True)
    assert view.head.faults == 1
    assert view.pools[0].spenders == ("slow",)


def test_pods_that_are_expected_on_a_node_are_counted_there():
    waits = a_pod("waits", cpu="1")
    nominated = replace(waits, status=replace(waits.status, nominated_node_name="coming"))
    view = Viewer().view(known(a_fleet_pool(), CLAIM, nominated, *BOTH_SIZES))

    assert row(view, "coming").pods_expected == 1
    assert view.pending[0].title == "A node is on its way"


def test_the_pods_of_a_node_share_its_price():
    viewer, facts = Viewer(), known()
    viewer.view(facts)
    first, second = viewer.pods_of(facts, "big")

    assert (first.cpu, second.cpu) == (2000, 1000)
    assert first.price_nanousd_hour == 2 * second.price_nanousd_hour > 0
    assert first.price_nanousd_hour < NANO
    assert viewer.pods_of(facts, "nowhere") == ()
