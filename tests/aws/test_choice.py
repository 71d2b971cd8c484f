"""What a fleet is asked for."""

from builders.awslaunches import a_launch
from builders.types import a_type, an_offering
from nodewright.aws.choice import choose, is_narrow
from nodewright.model.instance import NANO, Offering
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, RESERVATION_ID, ZONE
from nodewright.model.metadata import NodeSelectorRequirement
from nodewright.model.quantity import parse_resources
from nodewright.model.requirements import Requirements

FAMILY = "karpenter.k8s.aws/instance-family"


def kinds(request, types):
    return [
        (choice.capacity_type, sorted({one.type.name for one in choice.candidates}))
        for choice in choose(request, types)
    ]


def wants(key, *values, least=None):
    operator = "In" if values else "Exists"
    return NodeSelectorRequirement(key=key, operator=operator, values=values, min_values=least)


def reserved(reservation, zone, left, kind="default", price=1.0):
    labels = {
        ZONE: zone,
        CAPACITY_TYPE: "reserved",
        RESERVATION_ID: reservation,
        "karpenter.k8s.aws/capacity-reservation-type": kind,
        "karpenter.k8s.aws/capacity-reservation-interruptible": "false",
    }
    return Offering(Requirements.from_labels(labels), int(price * NANO), True, left)


def test_only_what_fits_and_is_named_is_asked_for():
    types = [a_type("small", cpu=1), a_type("large", cpu=8), a_type("other", cpu=8)]
    request = a_launch(instance_types=("small", "large"), requests=parse_resources({"cpu": "4"}))

    assert kinds(request, types) == [("on-demand", ["large"])]


def test_a_zone_that_nothing_is_sold_in_gives_nothing():
    assert choose(a_launch(wants(ZONE, "zone-z")), [a_type("m")]) == ()


def test_what_is_sold_out_is_not_asked_for():
    offerings = [an_offering("zone-a", available=False), an_offering("zone-b")]
    [choice] = choose(a_launch(), [a_type("m", offerings=offerings)])

    assert [one.offering.zone for one in choice.candidates] == ["zone-b"]


def test_spot_comes_before_on_demand_and_on_demand_is_what_remains():
    types = [a_type("m", capacity_types=("on-demand", "spot"))]

    assert [kind for kind, _ in kinds(a_launch(), types)] == ["spot", "on-demand"]
    only = a_launch(wants(CAPACITY_TYPE, "spot"))
    assert [kind for kind, _ in kinds(only, types)] == ["spot"]


def test_spot_that_is_dearer_than_on_demand_is_not_bought():
    types = [
        a_type(
            "m", offerings=[an_offering(price=1.0), an_offering(price=1.1, capacity_type="spot")]
        )
    ]

    assert [kind for kind, _ in kinds(a_launch(), types)] == ["on-demand"]
    only = a_launch(wants(CAPACITY_TYPE, "spot"))
    assert [kind for kind, _ in kinds(only, types)] == ["spot"]


def test_exotic_machines_are_left_out_while_others_remain():
    exotic = [
        a_type("gpu", more={"nvidia.com/gpu": 1}),
        a_type("metal", labels={"karpenter.k8s.aws/instance-size": "metal-24xl"}),
    ]

    assert kinds(a_launch(), [*exotic, a_type("m")]) == [("on-demand", ["m"])]
    assert kinds(a_launch(), exotic) == [("on-demand", ["gpu", "metal"])]


def test_a_least_number_of_values_keeps_the_exotic_ones():
    types = [a_type("gpu", more={"nvidia.com/gpu": 1}), a_type("m")]
    request = a_launch(wants(INSTANCE_TYPE, "gpu", "m", least=2))

    assert kinds(request, types) == [("on-demand", ["gpu", "m"])]


def test_of_sixty_one_types_the_dearest_is_left_out():
    types = [a_type(f"m{n:02}", price=1 + n) for n in range(61)]
    [(_, names)] = kinds(a_launch(), types)

    assert len(names) == 60
    assert "m60" not in names


def test_the_cut_honours_a_least_number_of_values():
    types = [a_type(f"m{n:02}", price=1 + n, labels={FAMILY: "m"}) for n in range(70)]
    types += [a_type("c", price=500, labels={FAMILY: "c"})]
    [(_, names)] = kinds(a_launch(wants(FAMILY, least=2)), types)

    assert len(names) == 60
    assert "c" in names


def test_reserved_capacity_comes_first_with_one_reservation_a_zone():
    offerings = [
        reserved("cr-1", "zone-a", 2),
        reserved("cr-2", "zone-a", 9),
        reserved("cr-3", "zone-b", 1),
        an_offering("zone-a"),
    ]
    first, second = choose(a_launch(), [a_type("m", offerings=offerings)])

    assert first.capacity_type == "reserved"
    assert sorted(one.reservation.reservation_id for one in first.candidates) == ["cr-2", "cr-3"]
    assert second.capacity_type == "on-demand"
    assert second.candidates[0].reservation is None


def test_one_block_is_asked_for_and_never_beside_another_sort():
    offerings = [
        reserved("cr-1", "zone-a", 2, "capacity-block", price=0.5),
        reserved("cr-2", "zone-b", 2, "capacity-block", price=0.5),
        reserved("cr-3", "zone-b", 1, price=1.0),
    ]
    [choice] = choose(a_launch(), [a_type("m", offerings=offerings)])

    assert [one.reservation.reservation_id for one in choice.candidates] == ["cr-1"]


def test_on_demand_out_of_few_types_is_narrow_where_spot_would_do():
    both, only = (
        a_launch(wants(CAPACITY_TYPE, "spot", "on-demand")),
        a_launch(wants(CAPACITY_TYPE, "on-demand")),
    )
    four, five = ([a_type(f"m{number}") for number in range(count)] for count in (4, 5))

    def narrow(request, types):
        return [is_narrow(request, one) for one in choose(request, types)]

    assert narrow(both, four) == narrow(a_launch(), four) == [True]
    assert narrow(both, five) == narrow(only, four) == [False]
    sold_as_both = [a_type("m", capacity_types=("on-demand", "spot"))]
    assert narrow(both, sold_as_both) == [False, True]
