"""The controller's policies, made from the table of calls."""

import json

import pytest

from builders.controller_policies import NODE_ROLE, scoped_statements
from nodewright.aws.bucket import Place
from nodewright.aws.calls import CALLS
from nodewright.aws.policy import CHARACTERS_MAX, Account, policies, policy_name


def an_account(**more):
    return Account(
        **{
            "account_id": "123456789012",
            "region": "us-west-2",
            "cluster": "demo",
            "node_role": NODE_ROLE,
            "queue": "demo",
            "journal": Place("logs", "journal/demo"),
            **more,
        }
    )


def statements(account):
    return {
        one["Sid"]: one for document in policies(account).values() for one in document["Statement"]
    }


def test_every_action_of_the_table_is_allowed_and_no_other():
    allowed = {action for one in statements(an_account()).values() for action in one["Action"]}

    assert allowed == {action for one in CALLS.values() for _, action in one.needs}


@pytest.mark.parametrize("known", scoped_statements(), ids=lambda one: one["Sid"])
def test_statements_are_no_wider_than_karpenter_s(known):
    found = statements(an_account())[known["Sid"]]

    assert found["Resource"] == known["Resource"] or found["Resource"] == [known["Resource"]]
    assert found.get("Condition") == known.get("Condition")


def test_no_statement_is_without_a_resource():
    wide = {sid for sid, one in statements(an_account()).items() if one["Resource"] == "*"}

    assert wide == {
        "AllowRegionalReadActions",
        "AllowPricingReadActions",
        "AllowUnscopedInstanceProfileListAction",
        "AllowZonalShiftStatusReadOnly",
    }


def test_each_document_fits_into_a_managed_policy():
    long = an_account(cluster="c" * 100, queue="c" * 80)
    sizes = {part: len(json.dumps(one)) for part, one in policies(long).items()}

    assert max(sizes.values()) <= CHARACTERS_MAX


@pytest.mark.parametrize(
    ("region", "partition"), [("cn-north-1", "aws-cn"), ("us-gov-west-1", "aws-us-gov")]
)
def test_other_partitions_have_their_own_names(region, partition):
    role = f"arn:{partition}:iam::123456789012:role/nodes"
    found = statements(an_account(region=region, node_role=role))
    arns = [arn for one in found.values() if one["Resource"] != "*" for arn in one["Resource"]]

    assert {arn.split(":")[1] for arn in arns} == {partition}
    passing = found["AllowPassingInstanceRole"]["Condition"]["StringEquals"]
    is_china = partition == "aws-cn"
    assert ("ec2.amazonaws.com.cn" in passing["iam:PassedToService"]) is is_china


def test_without_a_queue_none_may_be_read():
    assert "Interruption" not in policies(an_account(queue=""))
    assert policy_name("Interruption", "demo") == "NodewrightControllerInterruption-demo"


@pytest.mark.parametrize(
    ("place", "arn"),
    [
        (Place("logs", "journal/demo"), "arn:aws:s3:::logs/journal/demo/*"),
        (Place("logs"), "arn:aws:s3:::logs/*"),
    ],
)
def test_copies_of_the_journal_may_be_put_into_their_place_and_nowhere_else(place, arn):
    (statement,) = policies(an_account(journal=place))["Journal"]["Statement"]

    assert statement == {
        "Sid": "AllowJournalCopies",
        "Effect": "Allow",
        "Action": ["s3:PutObject"],
        "Resource": [arn],
    }


def test_without_copies_of_the_journal_nothing_of_s3_is_allowed():
    assert "Journal" not in policies(an_account(journal=None))
