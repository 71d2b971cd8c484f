"""The status says what is made and goes, who waits and why, what it costs, and what was last done."""

from msgspec.structs import replace

from builders import a_node, a_node_claim, a_pod, a_pool, a_type, a_world
from builders.lives import MINUTE_MS, ago, with_conditions, with_meta
from nodewright.core.disruption.cost import Prices
from nodewright.core.money import add_up
from nodewright.model.decision import Evict, Launch, Refuse
from nodewright.model.resource import NODE_CLAIMS, NODES, PODS, Ref, refer
from nodewright.observe.status import Condition, Latest, Replica, status_document
from nodewright.ports.kube import Answer, Outcome

DONE = Answer(Outcome.DONE)
POD = a_pod("p", namespace="shop")
CLAIM = a_node_claim("c", pool="general")
MADE = with_conditions(CLAIM, ago(0), Launched="True", Registered="Unknown", Initialized="Unknown")
GOING = with_meta(a_node_claim("g", pool="general"), deletion_timestamp=ago(MINUTE_MS))
REPLICA = Replica("me", "1.2", (Condition("JournalWritten", False, "the disk is full"),))


def a_refusal():
    return Refuse(
        subject=refer(PODS, POD), reason="FailedScheduling", code="NW-1204", note="too large"
    )


def status(*things, latest=None):
    world = a_world(*things, a_pool("general"), a_type())
    return status_document(world, add_up(world, Prices(world)), latest or Latest(), REPLICA)


def test_what_is_made_says_how_far_it_is_and_what_goes_since_when():
    told = status(MADE, GOING)

    (making,), (going,) = told["making"], told["going"]
    assert (making["nodeClaim"], making["nodePool"], making["state"]) == (
        "c",
        "general",
        "Launched",
    )
    assert (going["nodeClaim"], going["state"]) == ("g", "Draining")


def test_pods_that_cannot_be_placed_are_told_by_cause_until_they_have_a_node():
    latest = Latest()
    latest.decided("provisioning", a_world(POD, a_type()), [a_refusal()], 1)

    (cause,) = status(POD, latest=latest)["waiting"]
    assert cause == {"code": "NW-1204", "pods": 1, "suchAs": "shop/p", "because": "too large"}
    assert status(latest=latest)["waiting"] == []


def test_what_was_done_to_claims_is_told_latest_first_and_pods_are_not():
    latest = Latest()
    for name in ("a", "b"):
        launch = Launch(subject=Ref(NODE_CLAIMS, name), reason="Provisioned", claim=CLAIM)
        latest.came_of("provisioning", launch, DONE, 1)
    evict = Evict(subject=refer(PODS, POD), reason="Drain", node=Ref(NODES, "n"))
    latest.came_of("termination", evict, DONE, 1)

    names = [one["what"] for one in status(latest=latest)["latestDecisions"]]
    assert names == ["Launch nodeclaims.karpenter.sh/b", "Launch nodeclaims.karpenter.sh/a"]


def test_conditions_and_money_are_there_and_costs_that_are_not_known_are_not_told():
    told = status(a_node("n"))

    assert told["conditions"] == [
        {"type": "JournalWritten", "status": "False", "message": "the disk is full"}
    ]
    assert told["money"]["perHour"] == 0
    world = replace(a_world(a_type()), instance_types={})
    assert "money" not in status_document(world, None, Latest(), REPLICA)
