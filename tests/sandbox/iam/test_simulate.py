"""The policy simulator's answers."""

import json

import boto3
import pytest
from botocore.stub import Stubber

from builders.policies import ACCOUNT, OTHER_ACCOUNT, a_policy, a_statement, a_user
from nodewright.sandbox.iam.evaluate import Layers
from nodewright.sandbox.iam.parse import MalformedPolicyError
from nodewright.sandbox.iam.simulate import context_keys, read_question, simulate

TAGGED = {"StringEquals": {"aws:ResourceTag/team": "a"}}


def text(*statements):
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)}, indent=2)


def ask(layers=None, **params):
    return simulate(read_question(params, a_user(), layers or Layers()), params)


def decisions(answer):
    return {
        (one["EvalActionName"], one["EvalResourceName"]): one["EvalDecision"]
        for one in answer["EvaluationResults"]
    }


def test_every_action_is_tried_on_every_resource():
    answer = ask(
        PolicyInputList=[text(a_statement("sqs:*", "arn:aws:sqs:r:1:a"))],
        ActionNames=["sqs:SendMessage", "ec2:RunInstances"],
        ResourceArns=["arn:aws:sqs:r:1:a", "arn:aws:sqs:r:1:b"],
    )

    assert decisions(answer) == {
        ("sqs:SendMessage", "arn:aws:sqs:r:1:a"): "allowed",
        ("sqs:SendMessage", "arn:aws:sqs:r:1:b"): "implicitDeny",
        ("ec2:RunInstances", "arn:aws:sqs:r:1:a"): "implicitDeny",
        ("ec2:RunInstances", "arn:aws:sqs:r:1:b"): "implicitDeny",
    }


def test_the_statement_that_decided_is_pointed_at():
    document = text(a_statement("sqs:*"), a_statement("sqs:SendMessage", effect="Deny"))
    answer = ask(PolicyInputList=[document], ActionNames=["sqs:SendMessage"])
    (matched,) = answer["EvaluationResults"][0]["MatchedStatements"]

    assert matched["SourcePolicyId"] == "PolicyInputList.1"
    assert document.splitlines()[matched["StartPosition"]["Line"]].strip() == '"Effect": "Deny",'


def test_missing_context_is_told_and_given_context_is_used():
    params = {
        "PolicyInputList": [text(a_statement("sqs:*", Condition=TAGGED))],
        "ActionNames": ["sqs:SendMessage"],
    }
    entry = {
        "ContextKeyName": "aws:ResourceTag/team",
        "ContextKeyValues": ["a"],
        "ContextKeyType": "string",
    }
    (without,) = ask(**params)["EvaluationResults"]
    (given,) = ask(**params, ContextEntries=[entry])["EvaluationResults"]

    assert without["EvalDecision"] == "implicitDeny"
    assert without["MissingContextValues"] == ["aws:ResourceTag/team"]
    assert given["EvalDecision"] == "allowed"
    assert given["MissingContextValues"] == []


@pytest.mark.parametrize(("limit", "allows"), [("sqs:*", True), ("ec2:*", False)])
def test_a_boundary_is_told_by_itself(limit, allows):
    (result,) = ask(
        PolicyInputList=[text(a_statement("sqs:*"))],
        PermissionsBoundaryPolicyInputList=[text(a_statement(limit))],
        ActionNames=["sqs:SendMessage"],
    )["EvaluationResults"]

    assert result["EvalDecision"] == ("allowed" if allows else "implicitDeny")
    detail = result["PermissionsBoundaryDecisionDetail"]
    assert detail == {"AllowedByPermissionsBoundary": allows}


def test_policies_of_the_caller_count_beside_those_that_are_given():
    own = a_policy(a_statement("ec2:*"), name="own")
    answer = ask(
        Layers(identity=(own,)),
        PolicyInputList=[text(a_statement("sqs:*"))],
        ActionNames=["ec2:RunInstances", "sqs:SendMessage", "iam:PassRole"],
    )

    assert list(decisions(answer).values()) == ["allowed", "allowed", "implicitDeny"]


def test_a_resource_policy_of_another_account_is_told_apart():
    policy = text(a_statement("sqs:*", Principal={"AWS": ACCOUNT}))
    (result,) = ask(
        ActionNames=["sqs:SendMessage"], ResourcePolicy=policy, ResourceOwner=OTHER_ACCOUNT
    )["EvaluationResults"]

    assert result["EvalDecision"] == "implicitDeny"
    assert result["EvalDecisionDetails"] == {
        "IAM Policy": "implicitDeny",
        "Resource Policy": "allowed",
    }


def test_long_answers_come_in_pages():
    params = {"ActionNames": [f"sqs:A{number}" for number in range(5)], "MaxItems": 2}
    seen, marker = [], None
    while True:
        answer = ask(**params, **({"Marker": marker} if marker else {}))
        seen += [one["EvalActionName"] for one in answer["EvaluationResults"]]
        marker = answer.get("Marker")
        if not answer["IsTruncated"]:
            break

    assert seen == params["ActionNames"]


def test_a_malformed_policy_is_refused():
    with pytest.raises(MalformedPolicyError, match="Syntax errors"):
        ask(PolicyInputList=["{"], ActionNames=["sqs:SendMessage"])


def test_the_keys_of_policies_are_listed_once():
    policy = a_policy(
        a_statement("s3:*", "arn:aws:s3:::${aws:username}", Condition=TAGGED),
        a_statement("sqs:*", Condition={"StringLike": {"AWS:ResourceTag/team": "b"}}),
    )

    assert context_keys([policy]) == ["aws:ResourceTag/team", "aws:username"]


def test_answers_have_the_shape_of_boto3():
    client = boto3.client("iam", "us-west-2", aws_access_key_id="a", aws_secret_access_key="b")
    params = {
        "PolicyInputList": [text(a_statement("sqs:*"))],
        "PermissionsBoundaryPolicyInputList": [text(a_statement("sqs:*"))],
        "ActionNames": ["sqs:SendMessage"],
    }
    with Stubber(client) as stub:
        stub.add_response("simulate_custom_policy", ask(**params), params)
        assert client.simulate_custom_policy(**params)["EvaluationResults"]
