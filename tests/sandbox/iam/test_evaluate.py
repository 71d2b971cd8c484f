"""The order of evaluation: a table of AWS's documented logic, and its algebra."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.policies import (
    ACCOUNT,
    OTHER_ACCOUNT,
    a_policy,
    a_resource_policy,
    a_session,
    a_statement,
    a_trust,
    a_user,
    decide,
)
from nodewright.sandbox.iam.context import context
from nodewright.sandbox.iam.evaluate import Grant, Layer, Layers, Outcome, Request, evaluate
from nodewright.sandbox.iam.parse import Use, parse_policy
from nodewright.sandbox.iam.principals import Caller, Kind

SEND = "sqs:SendMessage"
ALLOW = a_policy(a_statement(SEND), name="allow")
DENY = a_policy(a_statement(SEND, effect="Deny"), name="deny")
ELSE = a_policy(a_statement("sqs:ReceiveMessage"), name="else")
ADA, SESSION = a_user(), a_session()
ROOT = Caller(Kind.ROOT, f"arn:aws:iam::{ACCOUNT}:root", ACCOUNT)


def to(principal, effect="Allow", action=SEND):
    return a_resource_policy(a_statement(action, effect=effect, Principal=principal))


TO_ADA, TO_ROLE = to({"AWS": ADA.arn}), to({"AWS": SESSION.role_arn})
TO_SESSION, TO_ACCOUNT = to({"AWS": SESSION.arn}), to({"AWS": ACCOUNT})
TO_ALL, DENY_ALL = to("*"), to("*", "Deny")

A, N, E = Outcome.ALLOWED, Outcome.IMPLICIT_DENY, Outcome.EXPLICIT_DENY

TABLE = [
    # who, identity, boundary, session, resource -> outcome, what is lacking
    ("nothing is refused by default", ADA, (), None, None, None, N, Layer.IDENTITY),
    ("an identity policy is enough", ADA, (ALLOW,), None, None, None, A, None),
    ("another action is not meant", ADA, (ELSE,), None, None, None, N, Layer.IDENTITY),
    ("a refusal beats an allowance", ADA, (ALLOW, DENY), None, None, None, E, None),
    ("a boundary allows nothing by itself", ADA, (), ALLOW, None, None, N, Layer.IDENTITY),
    ("both sides of a boundary", ADA, (ALLOW,), ALLOW, None, None, A, None),
    ("a boundary limits", ADA, (ALLOW,), ELSE, None, None, N, Layer.BOUNDARY),
    ("a boundary may refuse", ADA, (ALLOW,), DENY, None, None, E, None),
    ("a session policy limits", SESSION, (ALLOW,), None, ELSE, None, N, Layer.SESSION),
    ("a session policy may refuse", SESSION, (ALLOW,), None, DENY, None, E, None),
    ("all three", SESSION, (ALLOW,), ALLOW, ALLOW, None, A, None),
    ("a session policy gives nothing", SESSION, (), None, ALLOW, None, N, Layer.IDENTITY),
    ("the boundary is looked at first", SESSION, (ALLOW,), ELSE, ELSE, None, N, Layer.BOUNDARY),
    ("a resource policy names the user", ADA, (), None, None, TO_ADA, A, None),
    ("it goes past a user's boundary", ADA, (), ELSE, None, TO_ADA, A, None),
    ("but not past its refusal", ADA, (), DENY, None, TO_ADA, E, None),
    ("nor past one of an identity policy", ADA, (DENY,), None, None, TO_ADA, E, None),
    ("a resource policy names the role", SESSION, (), None, None, TO_ROLE, A, None),
    ("then the boundary counts", SESSION, (), ELSE, None, TO_ROLE, N, Layer.BOUNDARY),
    ("and the session policy", SESSION, (), None, ELSE, TO_ROLE, N, Layer.SESSION),
    ("a resource policy names the session", SESSION, (), ELSE, ELSE, TO_SESSION, A, None),
    ("naming the account delegates", ADA, (), None, None, TO_ACCOUNT, N, Layer.IDENTITY),
    ("to the account's own policies", ADA, (ALLOW,), None, None, TO_ACCOUNT, A, None),
    ("naming everybody", ADA, (), None, None, TO_ALL, A, None),
    ("refusing everybody", ADA, (ALLOW,), None, None, DENY_ALL, E, None),
    ("a policy about others is no matter", ADA, (ALLOW,), None, None, TO_ROLE, A, None),
    ("root may do anything", ROOT, (), None, None, None, A, None),
    ("but for a refusal of the resource", ROOT, (), None, None, DENY_ALL, E, None),
]


@pytest.mark.parametrize("row", TABLE, ids=[row[0] for row in TABLE])
def test_inside_one_account(row):
    _, who, identity, boundary, session, resource, outcome, lacking = row
    layers = Layers(
        identity=identity,
        boundary=None if boundary is None else (boundary,),
        session=None if session is None else (session,),
        resource=resource,
        resource_account=ACCOUNT,
    )
    verdict = decide(layers, who)

    assert (verdict.outcome, verdict.lacking) == (outcome, lacking)


@pytest.mark.parametrize(
    ("identity", "boundary", "resource", "outcome", "lacking"),
    [
        ((ALLOW,), None, None, N, Layer.RESOURCE),
        ((), None, TO_ADA, N, Layer.IDENTITY),
        ((ALLOW,), None, TO_ADA, A, None),
        ((ALLOW,), None, TO_ACCOUNT, A, None),
        ((ALLOW,), ELSE, TO_ADA, N, Layer.BOUNDARY),
        ((DENY,), None, TO_ADA, E, None),
        ((ALLOW,), None, DENY_ALL, E, None),
    ],
)
def test_across_accounts_both_sides_must_allow(identity, boundary, resource, outcome, lacking):
    verdict = decide(
        Layers(
            identity=identity,
            boundary=None if boundary is None else (boundary,),
            resource=resource,
            resource_account=OTHER_ACCOUNT,
        )
    )

    assert (verdict.outcome, verdict.lacking) == (outcome, lacking)


@pytest.mark.parametrize(
    ("identity", "principal", "outcome"),
    [
        ((ALLOW,), {"AWS": ACCOUNT}, A),
        ((), {"AWS": ACCOUNT}, N),
        ((ALLOW,), {"AWS": OTHER_ACCOUNT}, N),
        ((), {"AWS": ADA.arn}, A),
    ],
)
def test_a_key_is_opened_only_by_its_own_policy(identity, principal, outcome):
    layers = Layers(
        identity=identity,
        resource=to(principal),
        resource_account=ACCOUNT,
        resource_decides=True,
    )

    assert decide(layers).outcome is outcome


def test_a_grant_opens_a_key_for_its_operations_and_nobody_else():
    layers = Layers(
        resource=to({"AWS": OTHER_ACCOUNT}),
        resource_account=ACCOUNT,
        resource_decides=True,
        grants=(Grant(SESSION.role_arn, ("Decrypt",)),),
    )

    assert decide(layers, SESSION, action="kms:Decrypt").allowed
    assert not decide(layers, SESSION, action="kms:Encrypt").allowed
    assert not decide(layers, ADA, action="kms:Decrypt").allowed


def test_a_role_is_taken_on_only_if_its_trust_document_lets_it():
    anything = a_policy(a_statement("sts:AssumeRole"))
    role = f"arn:aws:iam::{ACCOUNT}:role/target"

    def outcome(trust, *identity):
        layers = Layers(
            identity=identity,
            resource=trust,
            resource_account=ACCOUNT,
            resource_decides=True,
            is_trust=True,
        )
        return decide(layers, ADA, action="sts:AssumeRole", resource=role)

    assert outcome(a_trust(Principal={"AWS": ADA.arn})).allowed
    assert outcome(a_trust(Principal={"AWS": ACCOUNT}), anything).allowed
    assert outcome(a_trust(Principal={"AWS": ACCOUNT})).lacking is Layer.IDENTITY
    assert outcome(a_trust(Principal={"AWS": OTHER_ACCOUNT}), anything).lacking is Layer.TRUST
    deny = a_trust(effect="Deny", Principal="*")
    assert outcome(deny, anything).outcome is E


def test_a_service_needs_nothing_but_the_resource_policy():
    events = Caller(Kind.SERVICE, "events.amazonaws.com")
    layers = Layers(resource=to({"Service": "events.amazonaws.com"}), resource_account=ACCOUNT)

    assert decide(layers, events).allowed
    assert decide(layers, events, action="sqs:DeleteMessage").lacking is Layer.RESOURCE


def test_every_level_of_the_organization_must_allow():
    full = a_policy(a_statement())

    def outcome(*levels, who=ADA):
        return decide(Layers(identity=(ALLOW,), organization=levels), who)

    assert outcome((full,), (ALLOW, ELSE)).allowed
    assert outcome((full,), (ELSE,)).lacking is Layer.ORGANIZATION
    assert outcome((full, DENY)).outcome is E
    assert outcome((ELSE,), who=ROOT).lacking is Layer.ORGANIZATION


def test_a_verdict_names_the_statement_that_decided():
    deny = a_policy(a_statement("sqs:*", effect="Deny", Sid="NoQueues"), name="house-rules")
    verdict = decide(Layers(identity=(ALLOW, deny)))

    assert [(one.policy.name, one.statement.sid) for one in verdict.by] == [
        ("house-rules", "NoQueues")
    ]


def test_a_refusal_tells_what_nearly_allowed_it_and_which_keys_were_missing():
    near = a_policy(
        a_statement(SEND, Condition={"StringEquals": {"aws:ResourceTag/team": "a"}}, Sid="Tagged"),
        a_statement(SEND, "arn:aws:sqs:r:1:other", Sid="Other"),
    )
    verdict = decide(Layers(identity=(near,)))

    assert [(one.statement.sid, one.resource_differs) for one in verdict.near] == [
        ("Tagged", False),
        ("Other", True),
    ]
    assert verdict.near[0].failed[0].key == "aws:ResourceTag/team"
    assert verdict.missing_keys == ("aws:ResourceTag/team",)


STATEMENTS = st.builds(
    lambda effect, action, resource, condition: a_statement(
        action, resource, effect, **({"Condition": condition} if condition else {})
    ),
    st.sampled_from(["Allow", "Deny"]),
    st.sampled_from(["*", "sqs:*", SEND, "sqs:Receive*", "ec2:*"]),
    st.sampled_from(["*", "arn:aws:sqs:*:*:q", "arn:aws:sqs:r:1:other"]),
    st.sampled_from(
        [{}, {"StringEquals": {"a:x": "1"}}, {"StringNotEquals": {"a:x": "1"}},
         {"Null": {"a:x": "true"}}, {"ForAllValues:StringLike": {"a:x": ["1", "2*"]}}]
    ),
)  # fmt: skip
POLICIES = st.lists(st.lists(STATEMENTS, min_size=1, max_size=4), max_size=3)
KEYS = st.sampled_from([{}, {"a:x": "1"}, {"a:x": ("1", "2")}, {"a:x": "3"}])


def outcome_of(policies, keys, **layers):
    request = Request(a_session(), SEND, "arn:aws:sqs:r:1:q", context(keys))
    return evaluate(request, Layers(identity=tuple(a_policy(*one) for one in policies), **layers))


@pytest.mark.algebra
@given(POLICIES, STATEMENTS, KEYS)
def test_a_further_refusal_never_widens(policies, statement, keys):
    deny = {**statement, "Effect": "Deny"}
    before, after = outcome_of(policies, keys), outcome_of([*policies, [deny]], keys)

    assert before.allowed or not after.allowed


@given(POLICIES, STATEMENTS, KEYS)
def test_a_further_allowance_never_narrows(policies, statement, keys):
    allow = {**statement, "Effect": "Allow"}
    before, after = outcome_of(policies, keys), outcome_of([*policies, [allow]], keys)

    assert after.allowed or not before.allowed
    assert (after.outcome is E) is (before.outcome is E)


@given(st.lists(STATEMENTS, min_size=1, max_size=6), KEYS, st.randoms(use_true_random=False))
def test_the_order_of_statements_and_their_division_into_policies_does_not_matter(
    statements, keys, random
):
    shuffled = random.sample(statements, len(statements))

    whole = outcome_of([statements], keys).outcome
    assert outcome_of([shuffled], keys).outcome is whole
    assert outcome_of([[one] for one in statements], keys).outcome is whole


@given(POLICIES, st.lists(STATEMENTS, min_size=1, max_size=4), KEYS)
def test_boundaries_and_session_policies_only_take_away(policies, limit, keys):
    free = outcome_of(policies, keys).allowed
    inner = outcome_of([limit], keys).allowed

    for layer in ("boundary", "session"):
        limited = outcome_of(policies, keys, **{layer: (a_policy(*limit),)}).allowed
        assert limited is (free and inner)


@given(POLICIES, KEYS)
def test_a_refusal_always_says_why(policies, keys):
    verdict = outcome_of(policies, keys)

    if verdict.outcome is N:
        assert verdict.lacking is not None
    else:
        assert verdict.by


def test_a_condition_on_the_time_is_read_from_the_request():
    text = (
        '{"Statement": {"Effect": "Allow", "Action": "*", "Resource": "*",'
        ' "Condition": {"DateLessThan": {"aws:CurrentTime": "2027-01-01T00:00:00Z"}}}}'
    )
    layers = Layers(identity=(parse_policy(text, Use.IDENTITY),))

    assert decide(layers, aws__CurrentTime="2026-06-01T00:00:00Z").allowed
    assert not decide(layers, aws__CurrentTime="2027-06-01T00:00:00Z").allowed
