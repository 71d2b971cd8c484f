"""Whether a statement is about a request."""

import pytest

from builders.policies import a_policy, a_statement
from nodewright.sandbox.iam.context import context
from nodewright.sandbox.iam.policy import (
    failed_conditions,
    names_action,
    names_resource,
    needed_keys,
)

HOME = "arn:aws:s3:::home/${aws:username}/*"
ADA = context({"aws:username": "ada"})


@pytest.mark.parametrize(
    ("action", "asked", "named"),
    [
        ("ec2:RunInstances", "ec2:RunInstances", True),
        ("EC2:runinstances", "ec2:RunInstances", True),
        ("ec2:Describe*", "ec2:DescribeSubnets", True),
        ("ec2:*", "eks:DescribeCluster", False),
        ("*", "eks:DescribeCluster", True),
        ("iam:?assRole", "iam:PassRole", True),
        ("iam:PassRole*", "iam:PassRole", True),
    ],
)
def test_an_action_may_be_a_pattern(action, asked, named):
    statement = a_policy(a_statement(action)).statements[0]

    assert names_action(statement, asked) is named


def test_not_action_names_all_others():
    written = {"Effect": "Allow", "NotAction": ["iam:*", "sts:*"], "Resource": "*"}
    statement = a_policy(written).statements[0]

    assert names_action(statement, "ec2:RunInstances")
    assert not names_action(statement, "iam:PassRole")


def test_not_resource_names_all_others():
    written = {"Effect": "Deny", "Action": "*", "NotResource": "arn:aws:s3:::a/*"}
    policy = a_policy(written)

    assert names_resource(policy.statements[0], "arn:aws:s3:::b/x", ADA, policy)
    assert not names_resource(policy.statements[0], "arn:aws:s3:::a/x", ADA, policy)


def test_a_variable_in_a_resource_is_filled_in():
    policy = a_policy(a_statement("s3:*", HOME))

    assert names_resource(policy.statements[0], "arn:aws:s3:::home/ada/x", ADA, policy)
    assert not names_resource(policy.statements[0], "arn:aws:s3:::home/bob/x", ADA, policy)
    assert not names_resource(policy.statements[0], "arn:aws:s3:::home//x", context({}), policy)


def test_in_an_old_document_a_variable_is_only_text():
    policy = a_policy(a_statement("s3:*", HOME), version="2008-10-17")

    assert not names_resource(policy.statements[0], "arn:aws:s3:::home/ada/x", ADA, policy)
    assert names_resource(policy.statements[0], HOME.replace("*", "x"), ADA, policy)


def test_every_condition_must_hold_and_those_that_do_not_are_told():
    policy = a_policy(
        a_statement(
            Condition={
                "StringEquals": {"a:x": "1", "a:y": "${aws:username}"},
                "Bool": {"a:z": "true"},
            }
        )
    )
    known = ADA.joined(context({"a:x": "1", "a:y": "bob"}))
    failed = failed_conditions(policy.statements[0], known, policy)

    assert [one.key for one in failed] == ["a:y", "a:z"]
    assert list(needed_keys(policy.statements[0], policy)) == ["a:x", "a:y", "a:z", "aws:username"]
