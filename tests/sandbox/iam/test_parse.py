"""Policy documents that IAM takes and those that it refuses."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.policies import a_statement
from nodewright.sandbox.iam.parse import MalformedPolicyError, Use, parse_policy
from nodewright.sandbox.iam.policy import Effect

TRUST = {
    "Effect": "Allow",
    "Action": "sts:AssumeRole",
    "Principal": {"Service": "ec2.amazonaws.com"},
}


def reading(*statements, use=Use.IDENTITY, **document):
    return parse_policy({"Version": "2012-10-17", "Statement": list(statements), **document}, use)


def test_a_document_is_read_with_its_elements():
    policy = reading(
        a_statement(
            ["ec2:Run*", "ec2:CreateFleet"],
            "arn:aws:ec2:*:*:instance/*",
            Sid="One",
            Condition={"StringEquals": {"aws:RequestTag/x": ["a", "b"]}, "Bool": {"aws:z": True}},
        )
    )
    statement = policy.statements[0]

    assert statement.effect is Effect.ALLOW
    assert statement.actions == ("ec2:Run*", "ec2:CreateFleet")
    assert statement.sid == "One"
    assert [(str(one.operator), one.key, one.values) for one in statement.conditions] == [
        ("StringEquals", "aws:RequestTag/x", ("a", "b")),
        ("Bool", "aws:z", ("true",)),
    ]


def test_a_single_statement_needs_no_list_and_the_old_version_is_assumed():
    policy = parse_policy(json.dumps({"Statement": a_statement()}), Use.IDENTITY)

    assert len(policy.statements) == 1
    assert not policy.has_variables


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ({"Action": "*", "Resource": "*"}, "Effect must be Allow or Deny"),
        (a_statement(effect="allow"), "Effect must be Allow or Deny"),
        ({"Effect": "Allow", "Resource": "*"}, "must contain actions"),
        ({"Effect": "Allow", "Action": "*"}, "must contain resources"),
        (a_statement(action=[]), "must contain actions"),
        (a_statement(action="RunInstances"), "prefaced by a vendor"),
        (a_statement(action="e c2:Run"), "Vendor e c2 is not valid"),
        (a_statement(action="ec2:Run Instances"), "is not valid"),
        (a_statement(NotAction="*"), "both Action and NotAction"),
        (a_statement(NotResource="*"), "both Resource and NotResource"),
        (a_statement(resource="my-queue"), "must be in ARN format"),
        (a_statement(resource="arn:aws:sqs"), "must be in ARN format"),
        (a_statement(resource="arn:nowhere:sqs:r:1:q"), 'Partition "nowhere" is not valid'),
        (a_statement(resource=7), "a string or a list of strings"),
        (a_statement(Principal="*"), "should not specify a principal"),
        (a_statement(NotPrincipal="*"), "should not specify a principal"),
        (a_statement(Resourc="x"), "Resourc is not an element of a statement"),
        (a_statement(Sid="with space"), "must be alpha-numeric"),
        (a_statement(Sid=4), "Sid must be a string"),
        (a_statement(Condition=[]), "Condition must be a JSON object"),
        (a_statement(Condition={"StringEqual": {"a:b": "c"}}), "Invalid Condition type : StringEqual"),
        (a_statement(Condition={"StringEquals": "x"}), "object of condition keys"),
        (a_statement(Condition={"StringEquals": {"username": "x"}}), "prefaced by a vendor"),
        (a_statement(Condition={"StringEquals": {"a:b": []}}), "has no value"),
        (a_statement(Condition={"StringEquals": {"a:b": {}}}), "must have strings as values"),
        (a_statement(Condition={"NumericEquals": {"a:b": "x"}}), "not one that NumericEquals"),
        (a_statement(Condition={"DateEquals": {"a:b": "monday"}}), "not one that DateEquals"),
        (a_statement(Condition={"IpAddress": {"a:b": "10.0.0"}}), "not one that IpAddress"),
        (a_statement(Condition={"Bool": {"a:b": "yes"}}), "not one that Bool"),
        (a_statement(resource="arn:aws:s3:::${aws:username"), "variable"),
        ("text", "a statement must be a JSON object"),
    ],
)  # fmt: skip
def test_what_iam_would_refuse_is_refused_in_one_sentence(statement, sentence):
    with pytest.raises(MalformedPolicyError, match=sentence) as refusal:
        reading(statement)

    assert str(refusal.value).endswith(".")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "line 1, column 2"),
        ("[]", "must be a JSON object"),
        ('{"Statement": []}', "at least one Statement"),
        ('{"Version": "2012-10-17"}', "at least one Statement"),
        ('{"Version": "2020-01-01", "Statement": []}', "version 2020-01-01"),
        ('{"Statement": [], "Statement": []}', "Statement is written twice"),
        ('{"Statements": []}', "Statements is not an element of the document"),
    ],
)
def test_a_document_that_is_no_policy_is_refused(text, sentence):
    with pytest.raises(MalformedPolicyError, match=sentence):
        parse_policy(text, Use.IDENTITY)


def test_two_statements_may_not_have_one_id():
    with pytest.raises(MalformedPolicyError, match="must be unique"):
        reading(a_statement(Sid="A"), a_statement(Sid="A"))


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ({**TRUST, "Resource": "*"}, "prohibited field Resource"),
        ({"Effect": "Allow", "Action": "sts:AssumeRole"}, "required field Principal"),
        ({**TRUST, "Principal": "ec2"}, "Principal must be"),
        ({**TRUST, "Principal": {"AWS": "ada"}}, 'Invalid principal in policy: "AWS":"ada"'),
        ({**TRUST, "Principal": {"AWS": "arn:aws:iam::123456789012:role/*"}}, "Invalid principal"),
        ({**TRUST, "Principal": {"Service": "ec2"}}, 'Invalid principal in policy: "SERVICE":"ec2"'),
        ({**TRUST, "Principal": {"People": "x"}}, "People is not an element of Principal"),
        ({**TRUST, "NotPrincipal": "*"}, "both Principal and NotPrincipal"),
    ],
)  # fmt: skip
def test_a_trust_document_has_a_grammar_of_its_own(statement, sentence):
    with pytest.raises(MalformedPolicyError, match=sentence):
        reading(statement, use=Use.TRUST)


def test_a_resource_policy_names_principals_of_every_kind():
    policy = reading(
        a_statement(
            "sqs:SendMessage",
            "q",
            Principal={
                "AWS": ["123456789012", "arn:aws:iam::123456789012:role/r", "*"],
                "Service": "events.amazonaws.com",
                "Federated": "arn:aws:iam::123456789012:oidc-provider/x",
            },
        ),
        use=Use.RESOURCE,
    )
    named = policy.statements[0].principals

    assert named.anyone
    assert named.aws == ("123456789012", "arn:aws:iam::123456789012:role/r")
    assert named.service == ("events.amazonaws.com",)


def sentence_of(source, use):
    """Give the sentence of a refusal, or that there was none."""
    try:
        parse_policy(source, use)
    except MalformedPolicyError as refusal:
        return str(refusal)
    return "taken"


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused_and_nothing_else(text):
    assert sentence_of(text, Use.IDENTITY)


NAMES = "Version Statement Effect Action Resource Condition Principal StringEquals a:b AWS Bool"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES.split()), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON, st.sampled_from(list(Use)))
def test_any_json_is_read_or_refused_and_nothing_else(value, use):
    assert sentence_of(json.dumps({"Statement": value}), use)
