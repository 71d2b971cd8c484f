from nodewright.install.calls import TABLE, Scope
from nodewright.install.names import Names
from nodewright.install.policy import installer_policy
from nodewright.install.wish import Wish
from nodewright.sandbox.iam.parse import Use, parse_policy

NAMES = Names("123456789012", "us-west-2", "shop")


def statement(scope, **more):
    [found] = [
        one
        for one in installer_policy(NAMES, Wish("shop", **more))["Statement"]
        if one["Sid"] == scope.value
    ]
    return found


def test_every_action_of_the_table_is_allowed_and_no_other():
    allowed = {
        one for each in installer_policy(NAMES, Wish("shop"))["Statement"] for one in each["Action"]
    }

    assert allowed == {action for entry in TABLE.values() for _, action in entry.needs}


def test_what_is_made_is_limited_to_the_names_of_the_cluster():
    assert statement(Scope.QUEUE)["Resource"] == ["arn:aws:sqs:us-west-2:123456789012:shop"]
    assert all("shop" in one or "Karpenter" in one for one in statement(Scope.ROLES)["Resource"])
    assert statement(Scope.PASSING)["Condition"]["StringEquals"]["iam:PassedToService"]
    mine = "arn:aws:iam::123456789012:role/mine"
    assert mine in statement(Scope.ROLES, node_role="mine")["Resource"]


def test_the_document_is_one_that_aws_would_take():
    import json

    document = json.dumps(installer_policy(NAMES, Wish("shop")))

    assert parse_policy(document, Use.IDENTITY, "installer", "policy").statements
    assert len(json.dumps(installer_policy(NAMES, Wish("shop")), separators=(",", ":"))) < 6_144
