"""What a pool can make, as bits: reserved first, then cheapest first, and exact at every border."""

from hypothesis import given
from hypothesis import strategies as st

from builders import a_daemon_set, a_pod, a_pool, a_type, a_world, an_offering, want
from builders.solving import home_of, plan_of
from nodewright.core.scheduling.daemons import read_daemons
from nodewright.core.scheduling.pools import read_pools
from nodewright.core.scheduling.rules.ports import HostPort
from nodewright.core.scheduling.supply import Thresholds
from nodewright.model.labels import ARCH, INSTANCE_TYPE, ZONE
from nodewright.model.requirements import read_requirement


def supply_of(*things, **options):
    world = a_world(*things, **options)
    (supply,) = read_pools(world, read_daemons(world.daemon_sets, ())).supplies
    return supply


def types_of(supply, bits):
    return [supply.types[index].name for index in supply.alive_types(bits)]


@given(st.dictionaries(st.integers(-5, 5), st.integers(1, 7), min_size=1), st.integers(-7, 7))
def test_thresholds_answer_as_a_plain_search_would(amounts, border):
    table = Thresholds(amounts)
    at_least = at_most = 0
    for amount, bits in amounts.items():
        at_least |= bits if amount >= border else 0
        at_most |= bits if amount <= border else 0
    assert table.having(border) == at_least
    assert table.within(border) == at_most
    assert table.top == max(amounts)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6), st.integers(1, 63))
def test_the_largest_of_a_set_is_found(amounts, chosen):
    by_amount = {}
    for bit, amount in enumerate(amounts):
        by_amount[amount] = by_amount.get(amount, 0) | 1 << bit
    picked = [amount for bit, amount in enumerate(amounts) if chosen >> bit & 1]
    if picked:
        assert Thresholds(by_amount).largest(chosen) == max(picked)


def test_ways_are_ordered_by_reservation_then_price():
    mixed = a_type(
        offerings=[
            an_offering("zone-a", price=3),
            an_offering("zone-b", "spot", price=1),
            an_offering("zone-c", price=9, reservation="cr-1", left=1),
        ]
    )
    supply = supply_of(mixed)
    assert [way.offering.zone for way in supply.ways] == ["zone-c", "zone-b", "zone-a"]
    assert supply.ways[0].reservation == "cr-1"
    assert supply.reserved == 1


def test_what_is_not_available_is_no_way_to_buy():
    sold_out = a_type(offerings=[an_offering(available=False), an_offering("zone-b")])
    assert [way.offering.zone for way in supply_of(sold_out).ways] == ["zone-b"]


def test_a_full_reservation_is_never_listed():
    full = a_type("full", offerings=[an_offering(reservation="cr", left=0)])
    pod = a_pod(cpu=1)
    home = home_of(plan_of(pod, full, a_type("m"), reserved_offering_mode="Fallback"), pod)
    assert home.instance_types == ("m",)
    assert home.offering.capacity_type == "on-demand"


def test_reserved_offerings_are_left_out_where_the_gate_is_shut():
    reserved = a_type(offerings=[an_offering(reservation="cr", left=1), an_offering()])
    supply = supply_of(reserved, feature_gates={"ReservedCapacity": False})
    assert not supply.reserved
    assert len(supply.ways) == 1


def test_room_is_what_daemon_pods_leave():
    supply = supply_of(a_type("s", cpu=2), a_type("l", cpu=8), a_daemon_set(cpu=1))
    assert types_of(supply, supply.room("cpu").having(2000)) == ["l"]
    assert types_of(supply, supply.room("cpu").having(1000)) == ["s", "l"]
    assert supply.free(0)["cpu"] == 1000
    assert supply.capacity("cpu").top == 8000


def test_a_type_that_daemons_overfill_is_out():
    supply = supply_of(a_type("s", cpu=2), a_type("l", cpu=8), a_daemon_set(cpu=4))
    assert types_of(supply, supply.everything) == ["l"]


def test_overhead_is_not_room():
    supply = supply_of(a_type(cpu=4, overhead={"cpu": "500m"}))
    assert supply.free(0)["cpu"] == 3500
    assert supply.capacity("cpu").top == 4000


def test_huge_pages_are_taken_from_memory():
    supply = supply_of(a_type(memory="8Gi", more={"hugepages-2Mi": "2Gi"}))
    assert supply.free(0)["memory"] == 6 * 1024**3 * 1000


def test_a_requirement_is_met_by_type_and_offering_together():
    two = a_type("two", zones=["zone-a"]), a_type("one", labels={ARCH: "arm64"})
    supply = supply_of(two)
    in_b = supply.meeting(read_requirement(want(ZONE, "In", "zone-b")))
    assert types_of(supply, in_b) == ["one"]
    not_arm = supply.meeting(read_requirement(want(ARCH, "NotIn", "arm64")))
    assert types_of(supply, not_arm) == ["two"]
    assert supply.meeting(read_requirement(want("team", "In", "a"))) == supply.everything


def test_a_requirement_is_met_for_certain_where_every_value_that_is_left_does():
    supply = supply_of(a_type("two", zones=["zone-a"]), a_type("one", labels={ARCH: "arm64"}))
    in_a = supply.surely(read_requirement(want(ZONE, "In", "zone-a")))
    assert in_a == supply.meeting(read_requirement(want(ZONE, "In", "zone-a")))
    not_arm = supply.surely(read_requirement(want(ARCH, "NotIn", "arm64")))
    assert types_of(supply, not_arm) == ["two"]
    assert supply.surely(read_requirement(want("team", "In", "a"))) == 0
    assert supply.surely(read_requirement(want("team", "DoesNotExist"))) == supply.everything


def test_ports_of_daemons_block_the_types_they_run_on():
    daemon = a_daemon_set(ports=[80], terms=[[want(INSTANCE_TYPE, "In", "s")]])
    supply = supply_of(a_type("s"), a_type("l", cpu=8), daemon)
    assert types_of(supply, supply.port_blocked([HostPort("", "TCP", 80)])) == ["s"]
    assert supply.port_blocked([HostPort("", "TCP", 81)]) == 0


def test_names_and_daemon_shares_are_told_for_any_set():
    picky = a_daemon_set("picky", cpu=1, terms=[[want(INSTANCE_TYPE, "In", "l")]])
    supply = supply_of(a_type("s", cpu=2), a_type("l", cpu=8), a_daemon_set(cpu="100m"), picky)
    assert supply.alive_names(supply.everything) == ("s", "l")
    assert supply.least_daemons(supply.everything)["cpu"] == 100
    assert supply.least_daemons(supply.type_bits[1])["cpu"] == 1100
    assert supply.least_daemons(0) == {}


def test_a_custom_label_of_an_offering_counts_only_where_the_pool_defines_it():
    plain = an_offering()
    odd = type(plain)(
        plain.requirements.with_all([read_requirement(want("lease", "In", "x"))]), plain.price
    )
    assert len(supply_of(a_type(offerings=[plain, odd])).ways) == 1
    defined = a_pool(requirements=[want("lease", "Exists")])
    assert len(supply_of(a_type(offerings=[plain, odd]), defined).ways) == 2
