"""Labels that older controllers did not write."""

from builders import a_world
from builders.lives import a_claim, a_new_node, a_registered_pair, with_meta, with_spec
from nodewright.core.hydration import hydrate
from nodewright.model.labels import EC2NODECLASS
from nodewright.model.nodepool import NodeClassRef

OURS = NodeClassRef(group="karpenter.k8s.aws", kind="EC2NodeClass", name="blue")
THEIRS = NodeClassRef(group="eks.amazonaws.com", kind="NodeClass", name="blue")


def labelled(*things):
    return {str(one.subject): one.change["metadata"]["labels"] for one in hydrate(a_world(*things))}


def a_pair(reference=OURS):
    node, claim = a_registered_pair()
    return with_meta(node, labels={}), with_spec(claim, node_class_ref=reference)


def test_a_claim_and_its_node_get_the_label_of_their_class():
    assert labelled(*a_pair()) == {
        "nodeclaims.karpenter.sh/claim-of-node": {EC2NODECLASS: "blue"},
        "nodes/node": {EC2NODECLASS: "blue"},
    }


def test_what_has_its_label_is_left_alone():
    label = {EC2NODECLASS: "blue"}
    node, claim = (with_meta(one, labels=label) for one in a_pair())

    assert labelled(node, claim) == {}


def test_a_node_that_has_not_registered_is_left_to_its_registration():
    claim = with_spec(a_claim(true=("Launched",)), node_class_ref=OURS)
    claim = with_meta(claim, labels={EC2NODECLASS: "blue"})

    assert labelled(claim, a_new_node(claim)) == {}


def test_classes_of_others_and_claims_that_go_are_left_alone():
    node, claim = a_pair()
    going = with_meta(claim, deletion_timestamp="2026-01-01T00:00:00Z")

    assert labelled(*a_pair(THEIRS)) == labelled(node, going) == {}
