import json

import pytest

from builders.found import NUMBER, a_cluster, a_found, steps_of
from nodewright.install.found import Association, Tagged
from nodewright.install.resources.identity import AGENT
from nodewright.model.errors import UserError

ROLE = f"arn:aws:iam::{NUMBER}:role/NodewrightControllerRole-shop"
PROVIDER = f"arn:aws:iam::{NUMBER}:oidc-provider/oidc.example/id/1"
OURS = {"nodewright.dev/cluster": "shop"}


def trust_of(steps):
    deed = steps["iam role NodewrightControllerRole-shop"].deeds[0]
    return json.loads(deed.params["AssumeRolePolicyDocument"])["Statement"][0]


def test_where_the_agent_runs_pod_identity_is_used():
    steps = steps_of(a_found(a_cluster(addons=(AGENT,))))

    assert trust_of(steps)["Action"] == ["sts:AssumeRole", "sts:TagSession"]
    assert steps["pod identity nodewright/nodewright"].deeds[0].params["roleArn"] == ROLE
    assert "eks.amazonaws.com/role-arn" not in str(steps)


def test_without_the_agent_irsa_is_used_and_the_issuer_is_made_known():
    steps = steps_of(a_found())

    assert steps["oidc provider 1"].sign == "+"
    statement = trust_of(steps)
    assert statement["Principal"] == {"Federated": PROVIDER}
    assert statement["Condition"]["StringEquals"] == {
        "oidc.example/id/1:aud": "sts.amazonaws.com",
        "oidc.example/id/1:sub": "system:serviceaccount:nodewright:nodewright",
    }
    assert f"'eks.amazonaws.com/role-arn': '{ROLE}'" in str(steps)


def test_a_known_issuer_is_right_and_stays_when_we_go():
    theirs = Tagged("https://oidc.example/id/1", PROVIDER)

    assert steps_of(a_found(provider=theirs))["oidc provider 1"].sign == "="
    assert steps_of(a_found(provider=theirs), "uninstall") == {}


def test_pod_identity_can_be_asked_for_and_brings_the_agent():
    steps = steps_of(a_found(), identity="pod-identity")

    assert steps[f"add-on {AGENT}"].sign == "+"
    gone = steps_of(a_found(a_cluster(addons=(AGENT,), our_addons=(AGENT,))), "uninstall")
    assert gone[f"add-on {AGENT}"].sign == "-"


def test_an_association_with_another_role_is_corrected():
    other = Association("a-1", role="arn:other", tags=OURS)
    cluster = a_cluster(addons=(AGENT,))

    step = steps_of(a_found(cluster, association=other))["pod identity nodewright/nodewright"]
    assert step.deeds[0].call == "eks.UpdatePodIdentityAssociation"
    gone = steps_of(a_found(cluster, association=other), "uninstall")
    assert gone["pod identity nodewright/nodewright"].deeds[0].params["associationId"] == "a-1"


def test_pods_on_fargate_cannot_use_pod_identity():
    with pytest.raises(UserError, match="pods on Fargate cannot use Pod Identity"):
        steps_of(a_found(), is_fargate=True, identity="pod-identity")
