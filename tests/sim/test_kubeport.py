import msgspec
import pytest

from builders import a_node, a_node_claim, a_pod
from nodewright.model.resource import NODE_CLAIMS, NODES, PODS, Ref, refer
from nodewright.ports.kube import Notice, Options, Outcome
from nodewright.sim.faults import Fault, Faults
from nodewright.sim.kubeport import SimKube
from nodewright.sim.objects import EVENTS
from nodewright.sim.session import Session
from nodewright.sim.simulation import Settings, Simulation


class Client:
    """One process with a cluster in front of it."""

    def __init__(self, *faults):
        self.sim = Simulation(Settings(seed=1))
        self.api = self.sim.api
        planned = Faults(self.sim.ground, faults)
        self.session = Session(self.sim.loop, planned, "controller-1")
        self.kube = SimKube(self.sim.ground, self.sim.requests, planned, self.session)

    def ask(self, call):
        return self.sim.loop.run_until_complete(call).outcome


NODE = Ref(NODES, "n")


def test_outcomes_are_those_of_a_real_server():
    client = Client()
    kube = client.kube

    assert client.ask(kube.create(NODES, a_node("n"))) is Outcome.DONE
    assert client.ask(kube.create(NODES, a_node("n"))) is Outcome.EXISTS
    assert client.ask(kube.patch(NODE, {"metadata": {"labels": {"a": "1"}}})) is Outcome.DONE
    assert client.ask(kube.patch(NODE, {"metadata": {"labels": {"a": "/"}}})) is Outcome.INVALID
    old = Options(if_version="1")
    assert client.ask(kube.patch(NODE, {}, old)) is Outcome.CONFLICT
    failing = [{"op": "test", "path": "/metadata/name", "value": "x"}]
    assert client.ask(kube.patch_list(NODE, failing)) is Outcome.CONFLICT
    assert client.ask(kube.delete(Ref(NODES, "n", uid="other"))) is Outcome.CONFLICT
    assert client.ask(kube.delete(NODE)) is Outcome.DONE
    assert client.ask(kube.delete(NODE)) is Outcome.NOT_FOUND


def test_a_budget_blocks_an_eviction():
    client = Client()
    from nodewright.model.metadata import ObjectMeta
    from nodewright.model.pdb import PodDisruptionBudgetSpec
    from nodewright.sim.objects import BUDGETS, Budget, match_all

    spec = PodDisruptionBudgetSpec(selector=match_all(app="web"), max_unavailable=0)
    client.api.create(BUDGETS, Budget(metadata=ObjectMeta(name="b"), spec=spec), "user")
    pod = client.api.create(PODS, a_pod("p", labels={"app": "web"}, node="n"), "user")
    client.sim.run_for(1_000)

    assert client.ask(client.kube.evict(refer(PODS, pod))) is Outcome.BLOCKED


@pytest.mark.parametrize(
    ("kind", "outcome", "happened"),
    [
        ("api.error", Outcome.UNREACHABLE, False),
        ("api.conflict", Outcome.CONFLICT, False),
        ("api.throttle", Outcome.BUSY, False),
        ("api.lost", Outcome.UNREACHABLE, True),
        ("api.slow", Outcome.DONE, True),
    ],
)
def test_trouble_is_an_outcome_and_only_a_lost_answer_has_happened(kind, outcome, happened):
    client = Client(Fault(kind, rate=1.0))

    assert client.ask(client.kube.create(NODES, a_node("n"))) is outcome
    assert (client.api.get(NODES, "n") is not None) is happened


def test_one_who_does_not_lead_changes_nothing():
    client = Client()
    client.session.is_leader = False

    assert client.ask(client.kube.create(NODES, a_node("n"))) is Outcome.NOT_LEADER
    assert client.api.count(NODES) == 0


def test_finalizers_are_put_on_and_taken_off_once():
    client = Client()
    claim = client.api.create(NODE_CLAIMS, a_node_claim("c"), "user")
    ref = refer(NODE_CLAIMS, claim)
    plain = msgspec.structs.replace(
        claim, metadata=msgspec.structs.replace(claim.metadata, finalizers=())
    )

    assert client.ask(client.kube.remove_finalizer(ref, plain, "x/y")) is Outcome.NOTHING_TO_DO
    assert client.ask(client.kube.add_finalizer(ref, claim, "x/y")) is Outcome.DONE
    now = client.api.need(NODE_CLAIMS, "c")
    assert "x/y" in now.metadata.finalizers
    assert client.ask(client.kube.add_finalizer(ref, now, "x/y")) is Outcome.NOTHING_TO_DO
    assert client.ask(client.kube.remove_finalizer(ref, now, "x/y")) is Outcome.DONE


def test_the_same_event_is_said_once_in_a_while():
    client = Client()
    notice = Notice(NODE, "Reason", "words")

    assert [client.kube.publish(notice), client.kube.publish(notice)] == [True, False]
    client.sim.run_for(130_000)
    assert client.kube.publish(notice)
    client.sim.run_for(1_000)
    assert client.api.count(EVENTS) == 2


def test_an_applied_object_is_made_and_changed():
    client = Client()
    wanted = {"metadata": {"name": "n", "labels": {"a": "1"}}}

    assert client.ask(client.kube.apply(NODE, wanted)) is Outcome.DONE
    wanted["metadata"]["labels"] = {"b": "2"}
    assert client.ask(client.kube.apply(NODE, wanted)) is Outcome.DONE
    assert client.api.need(NODES, "n").metadata.labels == {"b": "2"}
