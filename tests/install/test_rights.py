"""Every deed names the rights that its requests need, and what is missing is written as rules."""

import pytest

from nodewright.install.resources.objects import RECORD_PATH
from nodewright.install.rights import Grant, Right, grants_of, refusal, right_to, rights_for
from nodewright.install.steps import (
    Apply,
    Ask,
    AwaitNodes,
    Drain,
    Forget,
    Merge,
    Plan,
    Remember,
    Remove,
    Step,
)
from nodewright.install.wish import Wish

RBAC = "rbac.authorization.k8s.io"
SPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "nodewright"}}
SPACE_PATH = "/api/v1/namespaces/nodewright"
ROLE = {
    "apiVersion": f"{RBAC}/v1",
    "kind": "ClusterRole",
    "metadata": {"name": "nodewright"},
    "rules": [{"apiGroups": [""], "resources": ["pods", "nodes"], "verbs": ["list"]}],
}
BINDING = {
    "apiVersion": f"{RBAC}/v1",
    "kind": "ClusterRoleBinding",
    "metadata": {"name": "nodewright"},
    "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "nodewright"},
}
HELD = (Right("", "pods", "list"), Right("", "nodes", "list"))


def a_plan(*deeds):
    return Plan("install", Wish("shop"), "1", "us-west-2", (Step("+", "kind", "x", "", deeds),))


@pytest.mark.parametrize(
    ("method", "path", "wanted"),
    [
        ("GET", "/api/v1/nodes?labelSelector=a", Right("", "nodes", "list")),
        ("PATCH", "/api/v1/nodes/n", Right("", "nodes", "patch", "", "n")),
        ("PATCH", SPACE_PATH, Right("", "namespaces", "patch", "nodewright", "nodewright")),
        (
            "PATCH",
            "/apis/apps/v1/namespaces/kube-system/deployments/d",
            Right("apps", "deployments", "patch", "kube-system", "d"),
        ),
        (
            "POST",
            "/api/v1/namespaces/n/pods/p/eviction",
            Right("", "pods/eviction", "create", "n", "p"),
        ),
        ("DELETE", "/apis/karpenter.sh/v1/nodepools/x", Right("karpenter.sh", "nodepools", "delete", "", "x")),
        ("GET", "/apis/karpenter.sh/v1/nodepools/x", Right("karpenter.sh", "nodepools", "get", "", "x")),
    ],
)  # fmt: skip
def test_a_request_needs_a_right(method, path, wanted):
    assert right_to(method, path) == wanted


def test_what_is_not_there_yet_must_be_created_besides():
    plan = a_plan(Apply(SPACE))

    assert {one.verb for one in rights_for(plan, {})} == {"create", "patch"}
    assert {one.verb for one in rights_for(plan, {SPACE_PATH: SPACE})} == {"patch"}


def test_every_kind_of_deed_says_what_it_needs():
    pools, claims = "/apis/karpenter.sh/v1/nodepools/x", "/apis/karpenter.sh/v1/nodeclaims?a"
    plan = a_plan(
        Ask("sqs.CreateQueue", {}),
        Merge("/api/v1/nodes/n", {}),
        Remove(pools, waits=True, until_none=claims),
        Remember("a", None),
        Forget("a"),
        Drain("n"),
        AwaitNodes("main", 2),
    )

    assert {(one.verb, one.kind) for one in rights_for(plan, {})} == {
        ("patch", "nodes"),
        ("delete", "nodepools.karpenter.sh"),
        ("get", "nodepools.karpenter.sh"),
        ("list", "nodeclaims.karpenter.sh"),
        ("get", "configmaps"),
        ("patch", "configmaps"),
        ("list", "pods"),
        ("create", "pods/eviction"),
        ("list", "nodes"),
    }
    assert right_to("GET", RECORD_PATH) in rights_for(plan, {})


def test_what_is_right_already_needs_nothing():
    idle = Plan("install", Wish("shop"), "1", "us-west-2", (Step("=", "kind", "x"),))
    assert rights_for(idle, {}) == ()


def test_who_gives_rights_away_may_give_them_or_has_them():
    escalate, bind = (
        Right(RBAC, "clusterroles", verb, "", "nodewright") for verb in ("escalate", "bind")
    )

    assert grants_of(a_plan(Apply(ROLE), Apply(BINDING)), {}) == (
        Grant(escalate, HELD),
        Grant(bind, HELD),
    )
    assert grants_of(a_plan(Apply(BINDING)), {"there": ROLE}) == (Grant(bind, HELD),)


def test_what_is_missing_is_one_sentence_with_the_rules_for_all_of_it():
    error = refusal(
        [
            Right("", "namespaces", "create", "nodewright", "nodewright"),
            Right("", "namespaces", "patch", "nodewright", "nodewright"),
            Right(RBAC, "clusterroles", "escalate", "", "nodewright"),
        ]
    )

    assert error.message == "you may not create namespaces on the cluster (and 2 more)"
    assert (
        '[{"apiGroups":[""],"resources":["namespaces"],"verbs":["create","patch"]},'
        f'{{"apiGroups":["{RBAC}"],"resources":["clusterroles"],"resourceNames":["nodewright"],'
        '"verbs":["escalate"]}]'
    ) in error.advice


def test_the_namespace_is_named_where_the_object_is_in_one():
    error = refusal([Right("apps", "deployments", "patch", "kube-system", "karpenter")])
    assert (
        error.message
        == "you may not patch deployments.apps in namespace kube-system on the cluster"
    )
