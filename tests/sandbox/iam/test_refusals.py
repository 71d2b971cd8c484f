"""Errors as AWS words them."""

import json

import pytest

from builders.policies import a_policy, a_session, a_statement, a_trust, decide
from nodewright.sandbox.iam.evaluate import Layers
from nodewright.sandbox.iam.principals import Caller, Kind
from nodewright.sandbox.iam.refusals import decode, explain, refuse

ALLOW, DENY = a_policy(a_statement()), a_policy(a_statement(effect="Deny", Sid="No"))
MANAGED = a_policy(a_statement(effect="Deny"), name="arn:aws:iam::123456789012:policy/house")
WHO = "arn:aws:iam::123456789012:user/ada"
START = f"User: {WHO} is not authorized to perform: sqs:SendMessage on resource: arn:aws:sqs:r:1:q"


@pytest.mark.parametrize(
    ("layers", "end"),
    [
        (Layers(), "because no identity-based policy allows the sqs:SendMessage action."),
        (
            Layers(identity=(ALLOW,), boundary=()),
            "because no permissions boundary allows the sqs:SendMessage action.",
        ),
        (
            Layers(identity=(ALLOW,), session=()),
            "because no session policy allows the sqs:SendMessage action.",
        ),
        (
            Layers(identity=(ALLOW,), resource_account="111122223333"),
            "because no resource-based policy allows the sqs:SendMessage action.",
        ),
        (
            Layers(identity=(ALLOW,), organization=((),)),
            "because no service control policy allows the sqs:SendMessage action.",
        ),
        (Layers(identity=(DENY,)), "with an explicit deny in an identity-based policy."),
        (
            Layers(identity=(MANAGED,)),
            f"with an explicit deny in an identity-based policy: {MANAGED.name}.",
        ),
        (Layers(boundary=(DENY,)), "with an explicit deny in a permissions boundary."),
        (Layers(session=(DENY,)), "with an explicit deny in a session policy."),
    ],
)
def test_the_sentence_names_who_what_on_what_and_why(layers, end):
    assert explain(decide(layers)) == f"{START} {end}"


@pytest.mark.parametrize(
    ("service", "code", "status"),
    [
        ("ec2", "UnauthorizedOperation", 403),
        ("iam", "AccessDenied", 403),
        ("sts", "AccessDenied", 403),
        ("sqs", "AccessDenied", 403),
        ("ssm", "AccessDeniedException", 400),
        ("events", "AccessDeniedException", 400),
        ("eks", "AccessDeniedException", 403),
    ],
)
def test_each_service_has_its_code(service, code, status):
    refusal = refuse(service, decide(Layers()))

    assert (refusal.code, refusal.status) == (code, status)
    assert START in refusal.message


def test_ec2_appends_a_message_that_can_be_decoded():
    verdict = decide(Layers(identity=(ALLOW, DENY)), a_session(), action="ec2:RunInstances")
    message = refuse("ec2", verdict).message
    start, _, encoded = message.rpartition("Encoded authorization failure message: ")
    told = json.loads(decode(encoded))

    assert start.startswith("You are not authorized to perform this operation. User: ")
    assert told["explicitDeny"] is True
    assert told["matchedStatements"]["items"][0]["statementId"] == "No"
    assert told["context"]["action"] == "ec2:RunInstances"


@pytest.mark.parametrize("text", ["", "no", "AAAA", "!", "\N{SNOWMAN}"])
def test_what_is_no_encoded_message_is_not_decoded(text):
    assert decode(text) is None


def test_a_web_identity_is_told_little():
    trust = a_trust("sts:AssumeRoleWithWebIdentity", Principal={"Federated": "x"})
    web = Caller(Kind.FEDERATED, "y")
    action = "sts:AssumeRoleWithWebIdentity"
    layers = Layers(resource=trust, is_trust=True, resource_decides=True)

    assert explain(decide(layers, web, action=action)) == f"Not authorized to perform {action}"
