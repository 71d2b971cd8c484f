"""Whom the statements of a resource policy are about."""

import pytest

from builders.policies import (
    ACCOUNT,
    OTHER_ACCOUNT,
    a_policy,
    a_resource_policy,
    a_session,
    a_statement,
    a_user,
)
from nodewright.sandbox.iam.principals import Caller, Kind, Reach, principal_context, reach

ROOT_ARN = f"arn:aws:iam::{ACCOUNT}:root"
ROOT = Caller(Kind.ROOT, ROOT_ARN, ACCOUNT)
EVENTS = Caller(Kind.SERVICE, "events.amazonaws.com")
ADA, SESSION = a_user(user_id="AIDAEXAMPLE01"), a_session(user_id="AROAEXAMPLE01:s1")


def named(caller, effect="Allow", **element):
    statement = {"Effect": effect, "Action": "*", "Resource": "*", **element}
    return reach(a_resource_policy(statement).statements[0], caller)


@pytest.mark.parametrize(
    ("caller", "aws", "how"),
    [
        (ADA, ADA.arn, Reach.DIRECT),
        (ADA, "AIDAEXAMPLE01", Reach.DIRECT),
        (ADA, ROOT_ARN, Reach.ACCOUNT),
        (ADA, ACCOUNT, Reach.ACCOUNT),
        (ADA, OTHER_ACCOUNT, Reach.NONE),
        (ADA, "*", Reach.DIRECT),
        (SESSION, SESSION.arn, Reach.DIRECT),
        (SESSION, SESSION.role_arn, Reach.ROLE),
        (SESSION, "AROAEXAMPLE01", Reach.ROLE),
        (SESSION, ACCOUNT, Reach.ACCOUNT),
        (SESSION, "*", Reach.ROLE),
        (SESSION, ADA.arn, Reach.NONE),
        (ROOT, ROOT_ARN, Reach.DIRECT),
        (ROOT, ACCOUNT, Reach.DIRECT),
    ],
)
def test_the_nearer_a_name_the_farther_it_reaches(caller, aws, how):
    assert named(caller, Principal={"AWS": aws}) is how


def test_services_and_web_identities_are_named_by_their_own_kinds():
    provider = f"arn:aws:iam::{ACCOUNT}:oidc-provider/oidc.example/id/1"
    web = Caller(Kind.FEDERATED, provider, ACCOUNT)

    assert named(EVENTS, Principal={"Service": "events.amazonaws.com"}) is Reach.DIRECT
    assert named(EVENTS, Principal={"Service": "sqs.amazonaws.com"}) is Reach.NONE
    assert named(web, Principal={"Federated": provider}) is Reach.DIRECT
    assert named(web, Principal={"AWS": "*"}) is Reach.NONE
    assert named(ADA, Principal={"Service": "events.amazonaws.com"}) is Reach.NONE


def test_an_exception_holds_only_for_who_is_excepted_by_every_name():
    everything = [SESSION.arn, SESSION.role_arn, ROOT_ARN]

    assert named(SESSION, "Deny", NotPrincipal={"AWS": everything}) is Reach.NONE
    assert named(SESSION, "Deny", NotPrincipal={"AWS": everything[1:]}) is Reach.DIRECT
    assert named(ADA, "Deny", NotPrincipal={"AWS": [ADA.arn, ACCOUNT]}) is Reach.NONE
    assert named(ADA, "Deny", NotPrincipal={"AWS": ADA.arn}) is Reach.DIRECT


def test_a_statement_without_principal_is_about_whoever_it_hangs_on():
    assert reach(a_policy(a_statement()).statements[0], ADA) is Reach.DIRECT


def test_policies_see_the_role_of_a_session_and_the_tags_of_a_caller():
    known = principal_context(a_session(tags={"team": "a"}))

    assert known.single("aws:PrincipalArn") == SESSION.role_arn
    assert known.single("aws:PrincipalTag/Team") == "a"
    assert known.get("aws:username") == ()
    assert principal_context(ADA).single("aws:username") == "ada"
    assert principal_context(EVENTS).single("aws:PrincipalIsAWSService") == "true"
