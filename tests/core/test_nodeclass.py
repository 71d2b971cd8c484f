"""NodeClasses: ready when something is on sale."""

import msgspec

from builders import a_world
from builders.lives import with_status
from nodewright.core.nodeclass import judge_classes
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.kwoknodeclass import KWOKNodeClass
from nodewright.model.metadata import Condition, ObjectMeta
from nodewright.model.nodeclass import class_key

CLASS = EC2NodeClass(metadata=ObjectMeta(name="default"))
PLAYED = KWOKNodeClass(metadata=ObjectMeta(name="default"))
KEY = class_key(CLASS)


def judged(counts, node_class=CLASS):
    world = msgspec.structs.replace(a_world(), node_classes=(node_class,))
    return list(judge_classes(world, counts))


def ready_of(step):
    return step.change["status"]["conditions"][-1]["status"]


def test_a_class_is_ready_when_machines_are_on_sale():
    assert [ready_of(one) for one in judged({KEY: 4})] == ["True"]
    assert [ready_of(one) for one in judged({KEY: 0})] == ["False"]


def test_a_class_that_the_cloud_did_not_answer_for_stays_as_it_is():
    assert judged({}) == []


def test_classes_of_two_kinds_may_have_one_name():
    assert judged({KEY: 4}, PLAYED) == []
    (step,) = judged({class_key(PLAYED): 4}, PLAYED)

    assert str(step.subject) == "kwoknodeclasses.karpenter.kwok.sh/default"


def test_what_is_written_already_is_not_written_again():
    (step,) = judged({KEY: 4})
    said = msgspec.convert(step.change["status"]["conditions"], tuple[Condition, ...])

    assert judged({KEY: 4}, with_status(CLASS, conditions=said)) == []
