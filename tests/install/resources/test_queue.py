import json

import pytest

from builders.found import NUMBER, a_found, steps_of
from nodewright.install.found import Kube, Queue, Rule
from nodewright.install.resources.queue import RULES, lets_events_in, pattern_of
from nodewright.install.steps import Ask

ARN = f"arn:aws:sqs:us-west-2:{NUMBER}:shop"
THEIRS = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sqs:ReceiveMessage"}


def a_queue(*statements, tags=None):
    policy = json.dumps({"Version": "2012-10-17", "Statement": list(statements)})
    return Queue("shop", ARN, tags or {}, "https://sqs/shop", policy if statements else "")


@pytest.mark.parametrize(
    ("statement", "open_"),
    [
        ({"Principal": {"Service": "events.amazonaws.com"}, "Action": "sqs:SendMessage"}, True),
        ({"Principal": {"Service": ["a", "events.amazonaws.com"]}, "Action": ["sqs:*"]}, True),
        ({"Principal": "*", "Action": "*"}, True),
        ({"Principal": {"Service": "sns.amazonaws.com"}, "Action": "sqs:SendMessage"}, False),
        ({"Principal": {"AWS": "1"}, "Action": "sqs:SendMessage"}, False),
        ({"Principal": "*", "Action": "sqs:SendMessage", "Condition": {"Bool": {}}}, False),
    ],
)
def test_whether_events_come_in_is_read_off_the_policy(statement, open_):
    policy = json.dumps({"Statement": [{"Effect": "Allow", **statement}]})

    assert lets_events_in(policy) is open_
    assert not lets_events_in(policy.replace("Allow", "Deny"))


def test_a_foreign_queue_keeps_its_policy_and_gets_one_statement():
    step = steps_of(a_found(queue=a_queue(THEIRS)))["sqs queue shop"]
    kept, change = step.deeds
    written = json.loads(change.params["Attributes"]["Policy"])["Statement"]

    assert step.sign == "~"
    assert json.loads(kept.was)["Statement"] == [THEIRS]
    assert written[0] == THEIRS
    assert written[1]["Principal"] == {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]}


def test_the_policy_of_a_foreign_queue_is_put_back():
    kube = Kube(record={"queue-policy": {"was": "before"}})
    step = steps_of(a_found(kube=kube, queue=a_queue(THEIRS)), "uninstall")["sqs queue shop"]

    assert step.sign == "~"
    assert step.deeds[0].params["Attributes"] == {"Policy": "before"}


def test_rules_that_send_the_same_are_enough():
    theirs = tuple(
        Rule(f"Karpenter{kind}", pattern=pattern_of(kind), targets={"t": ARN})
        for kind in list(RULES)[:4]
    )
    steps = steps_of(a_found(rules=theirs))
    made = [step.name for step in steps.values() if step.kind == "event rule" and step.sign == "+"]

    assert made == ["NodewrightCapacityReservationInterruption-shop"]


def test_a_rule_of_ours_without_its_target_gets_it_again():
    rule = Rule("NodewrightRebalance-shop", pattern=pattern_of("Rebalance"))
    step = steps_of(a_found(rules=(rule,)))["event rule NodewrightRebalance-shop"]

    assert step.sign == "~"
    assert [deed.call for deed in step.deeds] == ["events.PutRule", "events.PutTargets"]
    assert "Tags" not in step.deeds[0].params


def test_only_our_rules_and_our_queue_go():
    ours = {"nodewright.dev/cluster": "shop"}
    rules = (Rule("a", tags=ours, targets={"x": ARN}), Rule("b", targets={"x": ARN}))
    steps = steps_of(a_found(rules=rules, queue=a_queue(tags=ours)), "uninstall")

    assert "event rule b" not in steps
    assert steps["event rule a"].deeds[0] == Ask(
        "events.RemoveTargets", {"Rule": "a", "Ids": ["x"]}, ("ResourceNotFoundException",)
    )
    assert steps["sqs queue shop"].deeds[0].call == "sqs.DeleteQueue"
    assert "sqs queue shop" not in steps_of(a_found(queue=a_queue()), "uninstall")
