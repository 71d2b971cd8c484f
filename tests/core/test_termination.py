"""The end of nodes and claims: each step in its order, and nothing left behind."""

from builders import NOW_MS, a_pod, a_taint, a_world
from builders.lives import (
    MINUTE_MS,
    a_claim,
    a_new_node,
    a_registered_pair,
    ago,
    kinds_of,
    with_conditions,
    with_meta,
    with_spec,
)
from nodewright.core.termination import (
    EXCLUDE_BALANCER,
    decide_ends,
    has_work,
    needs_listing,
)
from nodewright.core.termination_drain import DEADLINE
from nodewright.model.cloudview import CloudView, SeenMachine
from nodewright.model.instant import print_instant
from nodewright.model.labels import DISRUPTED_TAINT, REGISTERED

SILENT = CloudView()
GONE = CloudView(gone=frozenset({"fake:///n"}))


def steps(*things, cloud=SILENT):
    return list(decide_ends(a_world(*things), cloud))


def going(thing):
    return with_meta(thing, deletion_timestamp=ago(MINUTE_MS))


def a_dying_pair(*, drained=False):
    node, claim = a_registered_pair("n", taints=(a_taint(DISRUPTED_TAINT),))
    node = with_meta(node, labels={**node.metadata.labels, EXCLUDE_BALANCER: "karpenter"})
    if drained:
        claim = with_conditions(claim, Drained="True", VolumesDetached="True")
    return going(node), going(claim)


def test_a_deleted_claim_takes_its_registered_node_along():
    node, claim = a_registered_pair("n")

    assert kinds_of(steps(node, going(claim))) == [("Delete", "n")]


def test_a_deleted_node_takes_its_claim_along_and_is_tainted():
    node, claim = a_registered_pair("n")
    first, second = steps(going(node), claim)

    assert (first.kind, first.subject.name) == ("Delete", "claim-of-n")
    assert second.change["metadata"]["labels"] == {EXCLUDE_BALANCER: "karpenter"}
    assert [one["key"] for one in second.change["spec"]["taints"]] == [DISRUPTED_TAINT]


def test_the_taint_replaces_one_of_its_key_with_another_effect():
    node, claim = a_registered_pair("n", taints=(a_taint(DISRUPTED_TAINT, effect="NoExecute"),))
    (step,) = steps(going(node), going(claim))

    assert [one["effect"] for one in step.change["spec"]["taints"]] == ["NoSchedule"]


def test_a_drained_node_gives_its_machine_back():
    node, claim = a_dying_pair(drained=True)
    (step,) = steps(node, claim)

    assert (step.kind, step.provider_id) == ("End", "fake:///n")
    assert step.node.name == "n"


def test_a_node_whose_machine_ends_already_is_not_looked_over_again():
    node, claim = a_dying_pair(drained=True)
    (step,) = steps(node, claim, cloud=CloudView(ending=frozenset({"fake:///n"})))

    assert (step.kind, step.node) == ("End", None)


def test_a_node_with_pods_keeps_its_machine():
    node, claim = a_dying_pair(drained=True)

    assert "End" not in [one.kind for one in steps(node, claim, a_pod(node="n"))]


def test_a_node_whose_machine_is_gone_is_let_go():
    node, claim = a_dying_pair(drained=True)

    assert kinds_of(steps(node, claim, cloud=GONE)) == [("Release", "n")]


def test_a_claim_whose_node_and_machine_are_gone_is_let_go():
    _, claim = a_dying_pair()

    assert kinds_of(steps(claim, cloud=GONE)) == [("Release", "claim-of-n")]


def test_a_machine_that_is_ending_is_written_down_and_asked_again():
    _, claim = a_dying_pair()
    first, second = steps(claim, cloud=CloudView(ending=frozenset({"fake:///n"})))

    assert (first.kind, first.reason, second.kind) == ("Change", "InstanceTerminating", "End")


def test_an_unready_node_without_a_machine_is_not_drained():
    node, claim = a_dying_pair()
    unready = with_conditions(node, Ready="Unknown")
    empty = CloudView(machines=())

    assert kinds_of(steps(unready, claim, a_pod(node="n"), cloud=empty)) == [("Release", "n")]


def test_a_ready_node_is_never_cut_short():
    node, claim = a_dying_pair()
    found = steps(node, claim, a_pod("p", node="n"), cloud=CloudView(machines=()))

    assert ("Evict", "p") in kinds_of(found)
    assert ("Release", "n") not in kinds_of(found)


def test_a_claim_that_never_registered_ends_its_machine_at_once():
    claim = a_claim("c", true=("Launched",), deleted=ago(0))

    assert kinds_of(steps(claim, a_new_node(claim))) == [("End", "c")]


def test_a_node_that_is_marked_registered_is_drained_though_its_claim_does_not_know():
    claim = a_claim("c", true=("Launched",), deleted=ago(0))
    node = with_meta(a_new_node(claim, name="n"), labels={REGISTERED: "true"})

    assert kinds_of(steps(claim, node)) == [("Delete", "n")]


def test_a_claim_without_a_machine_goes_once_the_cloud_has_none_of_its_name():
    claim = a_claim("c", deleted=ago(0))
    lost = SeenMachine("id", "c", NOW_MS)

    assert steps(claim) == []
    assert kinds_of(steps(claim, cloud=CloudView(machines=()))) == [("Release", "c")]
    assert kinds_of(steps(claim, cloud=CloudView(machines=(lost,)))) == [("End", "c")]


def test_a_node_of_a_foreign_class_is_left_alone():
    node, _ = a_registered_pair("n")

    assert steps(going(with_meta(node, labels={}))) == []


def test_a_node_without_a_claim_is_drained_and_let_go():
    node, _ = a_dying_pair()

    assert ("Evict", "p") in kinds_of(steps(node, a_pod("p", node="n")))
    assert kinds_of(steps(node)) == [("Release", "n")]


def test_a_node_that_others_hold_is_left_alone():
    node, _ = a_dying_pair()

    assert steps(with_meta(node, finalizers=("theirs",))) == []


def test_a_grace_is_written_down_as_a_deadline_once():
    claim = with_spec(a_claim("c", deleted=ago(0)), termination_grace_period="10m")
    change, told = steps(claim)
    stamped = with_meta(claim, annotations={DEADLINE: "2026-01-01T00:00:00Z"})

    assert change.change == {
        "metadata": {"annotations": {DEADLINE: print_instant(NOW_MS + 10 * MINUTE_MS)}}
    }
    assert told.reason == "TerminationGracePeriodExpiring"
    assert steps(stamped) == []


def test_the_cloud_is_listed_only_where_a_decision_needs_it():
    node, claim = a_dying_pair()

    assert not needs_listing(a_world(node, claim))
    assert needs_listing(a_world(with_conditions(node, Ready="False"), claim))
    assert needs_listing(a_world(a_claim(deleted=ago(0))))


def test_there_is_work_only_while_something_goes():
    assert has_work(a_world(*a_dying_pair()))
    assert not has_work(a_world(*a_registered_pair()))
