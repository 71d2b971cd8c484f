"""EC2NodeClasses: what was found for them becomes their status."""

import msgspec
import pytest

from builders import a_world
from builders.lives import a_claim, with_spec
from nodewright.core.ec2nodeclass import (
    decide_ec2_classes,
    is_nowhere,
    judge_ec2_class,
    judge_ec2_classes,
    status_after,
)
from nodewright.model.beside import Beside
from nodewright.model.classfacts import ClassFacts, Trouble
from nodewright.model.decision import Release
from nodewright.model.ec2nodeclass import (
    SEEN_MEMORY,
    AMIStatus,
    EC2NodeClass,
    EC2NodeClassSpec,
    EC2NodeClassStatus,
    SecurityGroupStatus,
    SubnetStatus,
)
from nodewright.model.metadata import NodeSelectorRequirement, ObjectMeta
from nodewright.model.nodepool import NodeClassRef
from nodewright.model.older import CONVERTED_FROM
from nodewright.model.resource import AWS_NODE_TEMPLATES

NOW_MS = 1_767_225_600_000
SERVED = ("karpenter.k8s.aws", "EC2NodeClass")
DENIED = Trouble("Unauthorized", "UnauthorizedOperation: no")
SLOW = Trouble("RequestLimitExceeded", "slow down", is_passing=True)


def a_class(alias="al2023@latest", **spec):
    fields = {"amiSelectorTerms": [{"alias": alias}], "role": "nodes", **spec}
    meta = ObjectMeta(name="standard", uid="u", generation=3, resource_version="7")
    return EC2NodeClass(meta, msgspec.convert(fields, EC2NodeClassSpec))


def facts(**more):
    arch = NodeSelectorRequirement(key="kubernetes.io/arch", operator="In", values=("amd64",))
    return ClassFacts(
        **{
            "name": "standard",
            "generation": 3,
            "subnets": (SubnetStatus(id="subnet-1", zone="a", zone_id="az1"),),
            "security_groups": (SecurityGroupStatus(id="sg-1", name="nodes"),),
            "amis": (AMIStatus(id="ami-1", name="one", requirements=(arch,)),),
            "instance_profile": "demo_1",
            "kubernetes_minor": 34,
            **more,
        }
    )


def judged(node_class=None, **more):
    return judge_ec2_class(node_class or a_class(), facts(**more), NOW_MS)


def conditions(change):
    return {
        one["type"]: (one["status"], one["reason"]) for one in change.change["status"]["conditions"]
    }


def written(change, node_class=None):
    """Give the class as it is once a change was written."""
    status = msgspec.convert(change.change["status"], EC2NodeClassStatus)
    return msgspec.structs.replace(node_class or a_class(), status=status)


def test_a_class_for_which_everything_was_found_is_ready():
    change = judged()
    status = change.change["status"]

    assert set(conditions(change).values()) == {("True", kind) for kind in conditions(change)}
    assert status["subnets"] == [{"id": "subnet-1", "zone": "a", "zoneID": "az1"}]
    assert status["securityGroups"] == [{"id": "sg-1", "name": "nodes"}]
    assert status["instanceProfile"] == "demo_1"
    assert status["amis"][0]["requirements"][0]["values"] == ["amd64"]
    assert (change.on_status, change.if_version) == (True, "7")
    assert {one["observedGeneration"] for one in status["conditions"]} == {3}


def test_what_is_written_already_is_not_written_again():
    assert judged(written(judged())) is None
    assert judged(written(judged()), instance_profile="demo_2") is not None


@pytest.mark.parametrize(
    ("field", "kind", "reason"),
    [
        ("subnets", "SubnetsReady", "SubnetsNotFound"),
        ("security_groups", "SecurityGroupsReady", "SecurityGroupsNotFound"),
        ("amis", "AMIsReady", "AMINotFound"),
    ],
)
def test_what_was_not_found_keeps_the_class_from_being_ready(field, kind, reason):
    found = conditions(judged(**{field: ()}))

    assert found[kind] == ("False", reason)
    assert found["ValidationSucceeded"] == ("Unknown", "DependenciesNotReady")
    assert found["Ready"][0] == "False"


def test_a_refusal_is_told_and_what_was_known_stays_in_the_status():
    change = judged(subnets=DENIED)

    assert conditions(change)["SubnetsReady"] == ("False", "Unauthorized")
    assert "subnets" not in change.change["status"]


def test_a_moment_without_an_answer_changes_nothing():
    ready = written(judged())

    assert judged(ready, subnets=SLOW, amis=SLOW) is None
    assert conditions(judged(subnets=SLOW))["SubnetsReady"] == ("Unknown", "RequestLimitExceeded")


@pytest.mark.parametrize(("alias", "minor"), [("al2@latest", 33), ("windows2025@latest", 34)])
def test_an_alias_without_images_for_the_cluster_is_told(alias, minor):
    found = conditions(judged(a_class(alias), kubernetes_minor=minor, amis=()))

    assert found["AMIsReady"] == ("False", "UnsupportedAlias")


def test_a_mistake_in_the_class_itself_is_told():
    tags = conditions(judged(a_class(tags={"karpenter.sh/nodepool": "x"})))
    kubelet = conditions(judged(a_class(kubelet={"nonsense": 1})))
    data = conditions(judged(user_data=Trouble("UserDataSizeLimitExceeded", "too long")))

    assert tags["ValidationSucceeded"] == ("False", "TagValidationFailed")
    assert kubelet["ValidationSucceeded"] == ("False", "InvalidKubeletConfiguration")
    assert data["ValidationSucceeded"] == ("False", "UserDataSizeLimitExceeded")


def test_a_placement_group_that_is_not_there_is_told():
    named = a_class(placementGroupSelector={"name": "x"})
    missing = Trouble("PlacementGroupNotFound", "there is no placement group x")
    found = conditions(judged(named, placement_group=missing))

    assert found["PlacementGroupReady"] == ("False", "PlacementGroupNotFound")
    assert found["Ready"][0] == "False"
    assert conditions(judged(named, placement_group="pg-1"))["Ready"][0] == "True"


def test_a_launch_that_would_be_refused_keeps_the_class_from_being_ready():
    refused = Trouble("CreateFleetAuthCheckFailed", "UnauthorizedOperation: no")
    found = conditions(judged(rehearsal=refused))

    assert found["ValidationSucceeded"] == ("False", "CreateFleetAuthCheckFailed")
    assert conditions(judged(rehearsal=SLOW))["ValidationSucceeded"][0] == "Unknown"
    assert judged(written(judged()), rehearsal=SLOW) is None


def test_answers_about_an_older_class_do_not_count():
    world = msgspec.structs.replace(a_world(), node_classes=(a_class(),))

    assert len(list(judge_ec2_classes(world, {"standard": facts()}))) == 1
    assert list(judge_ec2_classes(world, {"standard": facts(generation=2)})) == []
    assert list(judge_ec2_classes(world, {})) == []


def test_a_class_that_goes_is_left_alone():
    going = msgspec.structs.replace(a_class().metadata, deletion_timestamp="2026-01-01T00:00:00Z")
    one = msgspec.structs.replace(a_class(), metadata=going)
    world = msgspec.structs.replace(a_world(), node_classes=(one,))

    assert list(judge_ec2_classes(world, {"standard": facts()})) == []


def decided(node_class, *claims):
    world = a_world(*claims)
    return list(decide_ec2_classes(msgspec.structs.replace(world, node_classes=(node_class,))))


def with_meta(**fields):
    meta = msgspec.structs.replace(a_class().metadata, **fields)
    return msgspec.structs.replace(a_class(), metadata=meta)


def test_a_class_is_held_until_what_was_made_for_it_is_gone():
    [step] = decided(a_class())

    assert step.change == {"metadata": {"finalizers": ["karpenter.k8s.aws/termination"]}}
    assert decided(with_meta(finalizers=("karpenter.k8s.aws/termination",))) == []


def test_a_class_that_goes_waits_for_its_claims():
    going = with_meta(
        finalizers=("karpenter.k8s.aws/termination",), deletion_timestamp="2026-01-01T00:00:00Z"
    )
    mine, other = (
        with_spec(a_claim(name), node_class_ref=NodeClassRef(*SERVED, of))
        for name, of in (("a", "standard"), ("b", "x"))
    )
    [told] = decided(going, mine, other)
    [step] = decided(going, other)

    assert told.reason == "WaitingOnNodeClaimTermination"
    assert "1 NodeClaims" in told.note
    assert isinstance(step, Release)
    assert step.thing is going


def a_converted_class(kind="karpenter.k8s.aws/v1alpha1/AWSNodeTemplate", uid="u"):
    found = a_class()
    meta = msgspec.structs.replace(found.metadata, uid=uid, annotations={CONVERTED_FROM: kind})
    return msgspec.structs.replace(found, metadata=meta)


def test_the_status_of_a_class_that_was_a_template_is_written_on_the_template():
    [change] = judge_ec2_classes(a_world(a_converted_class()), {"standard": facts()})

    assert change.subject.resource is AWS_NODE_TEMPLATES
    assert conditions(change)["Ready"] == ("True", "Ready")


@pytest.mark.parametrize(
    "node_class",
    [a_converted_class(uid=""), a_converted_class("karpenter.sh/v1alpha5/Provisioner")],
)
def test_a_class_without_an_object_has_its_status_in_memory_only(node_class):
    status = status_after(node_class, facts(), NOW_MS)

    assert is_nowhere(node_class)
    assert list(decide_ec2_classes(a_world(node_class))) == []
    assert [one.id for one in status.subnets] == ["subnet-1"]
    assert status.instance_profile == "demo_1"
    assert status.conditions[-1].type == "Ready"
    assert status.conditions[-1].status == "True"


def test_what_nodes_have_shown_is_noted_on_their_class_once():
    def noted(annotations, seen):
        node_class = a_class()
        meta = msgspec.structs.replace(node_class.metadata, annotations=annotations)
        known = msgspec.structs.replace(node_class, metadata=meta)
        world = msgspec.structs.replace(
            a_world(), node_classes=(known,), beside=Beside(class_facts=(facts(seen_memory=seen),))
        )
        return [
            one.change["metadata"]["annotations"]
            for one in decide_ec2_classes(world)
            if one.reason == "SeenMemory"
        ]

    assert noted({}, '{"ami-1":{}}') == [{SEEN_MEMORY: '{"ami-1":{}}'}]
    assert noted({SEEN_MEMORY: '{"ami-1":{}}'}, '{"ami-1":{}}') == []
    assert noted({}, "") == []
