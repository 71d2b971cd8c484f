"""Which offering a machine is bought as."""

from builders import a_type, an_offering
from nodewright.kwok.choice import rank, without
from nodewright.model.labels import CAPACITY_TYPE, ON_DEMAND, SPOT, ZONE
from nodewright.model.quantity import parse_resources
from nodewright.model.requirements import Requirements
from nodewright.ports.cloud import LaunchRequest

TYPES = tuple(
    a_type(
        f"m.{cpu}",
        cpu=cpu,
        offerings=[
            an_offering(zone, kind, cpu * (0.4 if kind == SPOT else 1))
            for zone in ("zone-a", "zone-b")
            for kind in (ON_DEMAND, SPOT)
        ],
    )
    for cpu in (2, 4)
)


def a_request(types=("m.2", "m.4"), cpu="1", **wanted):
    return LaunchRequest(
        token="t", claim="c", claim_uid="u", node_pool="web", node_class=None,
        requirements=Requirements.from_labels(wanted), instance_types=types,
        requests=parse_resources({"cpu": cpu}),
    )  # fmt: skip


def ranked(request):
    return [one.key for one in rank(request, TYPES)]


def test_spot_comes_before_on_demand_and_cheap_before_dear():
    found = ranked(a_request(**{ZONE: "zone-b"}))

    assert found == [
        ("m.2", "zone-b", SPOT),
        ("m.4", "zone-b", SPOT),
        ("m.2", "zone-b", ON_DEMAND),
        ("m.4", "zone-b", ON_DEMAND),
    ]


def test_only_what_fits_and_is_allowed_is_bought():
    request = a_request(cpu="3", **{CAPACITY_TYPE: ON_DEMAND, ZONE: "zone-a"})

    assert ranked(request) == [("m.4", "zone-a", ON_DEMAND)]


def test_a_request_that_names_no_types_takes_any():
    assert len(ranked(a_request(types=()))) == 8


def test_what_is_sold_out_is_shown_as_not_available():
    (first, second) = without(TYPES, {("m.2", "zone-a", SPOT)})

    assert [one.available for one in first.offerings].count(False) == 1
    assert second is TYPES[1]
