"""What is written on older objects, and what is told of them."""

import msgspec

from builders import a_pool, a_world
from builders.lives import a_registered_pair, with_meta
from nodewright.core.claims import Draft, owner_of, write_claim
from nodewright.core.nodeclass import judge_classes
from nodewright.core.nodepool import decide_pools
from nodewright.core.older import judge_older
from nodewright.model.beside import Beside
from nodewright.model.decision import Change, Tell
from nodewright.model.ec2nodeclass import EC2NodeClass, EC2NodeClassStatus
from nodewright.model.legacy import PROVISIONER_NAME
from nodewright.model.metadata import Condition, ObjectMeta
from nodewright.model.nodeclass import class_key
from nodewright.model.older import CONVERTED_FROM, OlderObject, OlderStatus

PROVISIONER = "karpenter.sh/v1alpha5/Provisioner"
TEMPLATE = "karpenter.k8s.aws/v1alpha1/AWSNodeTemplate"
READY = EC2NodeClassStatus(conditions=(Condition(type="Ready", status="True", reason="Ready"),))


def marked(thing, mark=PROVISIONER):
    return with_meta(thing, annotations={CONVERTED_FROM: mark})


def a_class(mark=TEMPLATE, status=READY, uid="u-t"):
    return marked(EC2NodeClass(metadata=ObjectMeta(name="default", uid=uid), status=status), mark)


def an_older(kind="Provisioner", **fields):
    version = "karpenter.sh/v1alpha5" if kind == "Provisioner" else "karpenter.k8s.aws/v1alpha1"
    meta = ObjectMeta(name="default", uid="u-p", resource_version="4", generation=1)
    fields.setdefault("became", ("NodePool default",))
    return OlderObject(version, kind, meta, **fields)


def judged(*older, pool=True, classes=(), things=()):
    world = a_world(marked(a_pool()) if pool else a_pool("other"), *things)
    world = msgspec.structs.replace(world, beside=Beside(older=older), node_classes=tuple(classes))
    return list(judge_older(world))


def told(decisions):
    return [one.reason for one in decisions if isinstance(one, Tell)]


def written(decisions):
    (change,) = [one for one in decisions if isinstance(one, Change)]
    return {
        one["type"]: (one["status"], one["reason"]) for one in change.change["status"]["conditions"]
    }


def test_a_provisioner_says_that_it_is_ready_and_of_the_past():
    found = judged(an_older(), classes=[a_class()])

    assert written(found) == {
        "Converted": ("True", "Converted"),
        "Deprecated": ("True", "UseNodePool"),
        "ValidationSucceeded": ("True", "ValidationSucceeded"),
        "NodeClassReady": ("True", "NodeClassReady"),
        "Ready": ("True", "Ready"),
    }
    (change,) = [one for one in found if isinstance(one, Change)]
    assert str(change.subject) == "provisioners.v1alpha5.karpenter.sh/default"
    assert (change.subject.uid, change.if_version, change.on_status) == ("u-p", "4", True)


def test_what_is_written_was_told_and_is_neither_again():
    (_, change) = judged(an_older(), classes=[a_class()])
    conditions = msgspec.convert(change.change["status"]["conditions"], tuple[Condition, ...])
    again = an_older(status=OlderStatus(conditions))
    resources = change.change["status"]["resources"]
    pool = marked(a_pool())
    pool = msgspec.structs.replace(
        pool, status=msgspec.structs.replace(pool.status, resources=resources)
    )
    world = msgspec.structs.replace(
        a_world(pool), beside=Beside(older=(again,)), node_classes=(a_class(),)
    )

    assert list(judge_older(world)) == []


def test_the_deprecation_is_told_before_it_is_written():
    assert told(judged(an_older(), classes=[a_class()])) == ["Deprecated"]


def test_one_that_could_not_be_read_says_why():
    found = judged(an_older(refused="there is a NodePool of this name", became=()), pool=False)

    assert told(found) == ["Deprecated", "ConversionRefused"]
    assert written(found)["Converted"] == ("False", "ConversionRefused")
    assert written(found)["Ready"] == ("False", "UnhealthyDependents")


def test_what_is_read_differently_is_told():
    found = judged(an_older(lost=("read as instance-category",)), classes=[a_class()])

    assert told(found) == ["Deprecated", "ReadDifferently"]


def test_without_its_template_a_provisioner_is_not_ready():
    assert written(judged(an_older()))["NodeClassReady"] == ("False", "NodeClassNotFound")


def test_a_class_written_inside_its_pool_is_as_ready_as_the_pool():
    inside = a_class(mark=PROVISIONER, status=EC2NodeClassStatus(), uid="")

    assert written(judged(an_older(), classes=[inside]))["Ready"] == ("True", "Ready")


def test_a_provisioner_says_what_its_nodes_have():
    pair = a_registered_pair(true=("Launched", "Registered", "Initialized"), cpu=4)
    (change,) = [one for one in judged(an_older(), things=pair) if isinstance(one, Change)]

    assert change.change["status"]["resources"]["cpu"] == "4"
    assert change.change["status"]["resources"]["nodes"] == "1"


def test_a_template_keeps_the_conditions_that_others_write():
    ready = Condition(type="Ready", status="True", reason="Ready", last_transition_time="x")
    older = an_older("AWSNodeTemplate", status=OlderStatus((ready,)), became=("EC2NodeClass t",))

    assert written(judged(older)) == {
        "Converted": ("True", "Converted"),
        "Deprecated": ("True", "UseEC2NodeClass"),
        "Ready": ("True", "Ready"),
    }


def test_one_that_is_being_deleted_is_left_alone():
    going = with_meta(an_older(), deletion_timestamp="2026-01-01T00:00:00Z")

    assert judged(going) == []


def test_nothing_is_written_on_pools_that_are_not_there():
    world = msgspec.structs.replace(a_world(marked(a_pool())), node_classes=(a_class(),))

    assert list(decide_pools(world)) == []


def test_the_readiness_of_a_class_is_written_on_what_it_was():
    for node_class, subjects in (
        (
            a_class(status=EC2NodeClassStatus()),
            ["awsnodetemplates.v1alpha1.karpenter.k8s.aws/default"],
        ),
        (a_class(mark=PROVISIONER, status=EC2NodeClassStatus(), uid=""), []),
        (a_class(status=EC2NodeClassStatus(), uid=""), []),
    ):
        world = msgspec.structs.replace(a_world(), node_classes=(node_class,))
        found = judge_classes(world, {class_key(node_class): 3})

        assert [str(one.subject) for one in found] == subjects


def test_claims_belong_to_the_provisioner_and_carry_its_old_label():
    pool = marked(a_pool("shop"))
    owner = owner_of(pool)

    assert (owner.api_version, owner.kind) == ("karpenter.sh/v1alpha5", "Provisioner")
    labels = write_claim(pool, Draft("shop-1", ())).metadata.labels
    assert labels[PROVISIONER_NAME] == "shop"
    assert PROVISIONER_NAME not in write_claim(a_pool("shop"), Draft("shop-1", ())).metadata.labels


def test_a_machine_is_left_alone_and_says_so_when_it_goes():
    meta = ObjectMeta(name="m-1", uid="u-m", resource_version="4")
    stays = OlderObject("karpenter.sh/v1alpha5", "Machine", meta)
    goes = with_meta(stays, deletion_timestamp="2026-11-15T09:00:00Z")

    assert judged(stays) == []
    (said,) = judged(goes)
    assert (said.reason, said.is_warning) == ("LeftAlone", True)
    assert str(said.subject) == "machines.v1alpha5.karpenter.sh/m-1"
