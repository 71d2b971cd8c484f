import pytest

from builders import a_type, an_offering
from nodewright.model.labels import CAPACITY_TYPE, ON_DEMAND, SPOT, ZONE
from nodewright.model.quantity import parse_resources
from nodewright.model.requirements import Requirement, Requirements
from nodewright.ports.cloud import Ended, Launched, LaunchFault, LaunchRequest, Unavailable
from nodewright.sim.cloud.market import MarketSettings
from nodewright.sim.cloud.provider import SimCloud
from nodewright.sim.faults import Fault, Faults
from nodewright.sim.session import Session
from nodewright.sim.simulation import Settings, Simulation

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


class Client:
    """One process with a cloud in front of it."""

    def __init__(self, *faults, **market):
        settings = Settings(types=TYPES, market=MarketSettings(spot_moves=False, **market))
        self.sim = Simulation(settings)
        planned = Faults(self.sim.ground, faults)
        session = Session(self.sim.loop, planned, "controller-1")
        self.cloud = SimCloud(self.sim.ground, self.sim.ec2, planned, session)

    def ask(self, call):
        return self.sim.loop.run_until_complete(call)

    def launch(self, token="t", requests=None, **labels):
        wanted = Requirements(
            Requirement(key, False, frozenset(values)) for key, values in labels.items()
        )
        request = LaunchRequest(
            token=token,
            claim="c",
            claim_uid="u",
            node_pool="default",
            node_class=None,
            requirements=wanted,
            instance_types=tuple(one.name for one in TYPES),
            requests=parse_resources(requests or {}),
        )
        return self.ask(self.cloud.launch(request))


def bought(answer):
    machine = answer.machine
    return machine.instance_type, machine.zone, machine.capacity_type


def test_the_cheapest_that_fits_is_bought_and_spot_first():
    client = Client()

    assert bought(client.launch()) == ("m.2", "zone-a", SPOT)
    assert bought(client.launch("b", {"cpu": "3"})) == ("m.4", "zone-a", SPOT)
    only = {CAPACITY_TYPE: [ON_DEMAND], ZONE: ["zone-b"]}
    assert bought(client.launch("c", **only)) == ("m.2", "zone-b", ON_DEMAND)


def test_the_same_token_buys_once():
    client = Client()
    first, again = client.launch(), client.launch()

    assert first.machine.provider_id == again.machine.provider_id


def test_what_is_sold_out_is_no_capacity_and_shown_as_gone_for_a_while():
    client = Client(depth=0)
    answer = client.launch(**{CAPACITY_TYPE: [SPOT]})
    types = client.ask(client.cloud.instance_types(None))
    gone = [not offering.available for one in types for offering in one.offerings]
    client.sim.run_for(200_000)
    later = client.ask(client.cloud.instance_types(None))

    assert answer.fault is LaunchFault.NO_CAPACITY
    assert sum(gone) == 4
    assert all(offering.available for one in later for offering in one.offerings)


def test_a_lost_answer_leaves_a_machine_that_the_token_finds_again():
    client = Client(Fault("launch.lost", rate=1.0, until_ms=5_000))
    lost = client.launch()
    client.sim.run_for(10_000)
    found = client.launch()

    assert lost.fault is LaunchFault.TRANSIENT
    assert isinstance(found, Launched)
    assert len(client.sim.ec2.instances) == 1


@pytest.mark.parametrize("kind", ["cloud.error", "cloud.throttle"])
def test_trouble_is_an_answer(kind):
    client = Client(Fault(kind, rate=1.0))

    assert client.launch().fault is LaunchFault.TRANSIENT
    assert isinstance(client.ask(client.cloud.list_machines()), Unavailable)
    assert client.ask(client.cloud.terminate("aws:///a/i-1")) is Ended.TRY_AGAIN


def test_too_many_calls_are_throttled():
    client = Client()
    answers = [client.ask(client.cloud.describe("aws:///a/i-1")) for _ in range(40)]
    assert not any(isinstance(one, Unavailable) for one in answers)
    allowed = [client.sim.ec2.throttle.allow("CreateFleet") for _ in range(60)]

    assert (allowed[:50], allowed[50:]) == ([True] * 50, [False] * 10)


def test_machines_are_listed_and_given_back():
    client = Client()
    machine = client.launch().machine
    client.sim.run_for(60_000)
    (listed,) = client.ask(client.cloud.list_machines())
    assert (listed.provider_id, listed.tags["karpenter.sh/nodeclaim"]) == (machine.provider_id, "c")
    assert client.ask(client.cloud.terminate(machine.provider_id)) is Ended.ACCEPTED
    client.sim.run_for(60_000)

    assert client.ask(client.cloud.terminate(machine.provider_id)) is Ended.GONE
    assert client.ask(client.cloud.describe(machine.provider_id)) is None
    (notice,) = client.ask(client.cloud.receive_notices())
    assert notice.machines == (machine.provider_id.rpartition("/")[2],)
