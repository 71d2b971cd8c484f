"""Who the controller and the nodes are, and the checks of identity and of the queue."""

import json

import pytest

from nodewright.doctor.account import NodeRole
from nodewright.doctor.checks import (
    cluster_names,
    controller_role,
    ending_rights,
    identity_agent,
    image_rights,
    interruption_queue,
    node_policies,
    profile_roles,
    role_names,
    spot_role,
    stale_roles,
)
from nodewright.doctor.cluster import Controller
from nodewright.doctor.identity import Identity, allow
from nodewright.install.resources.queue import pattern_of, queue_statements

ROLE = "arn:aws:iam::111122223333:role/controller"
NODES = "arn:aws:iam::111122223333:role/KarpenterNodeRole-shop"
ISSUER = "oidc.eks.us-west-2.amazonaws.com/id/1"
PROVIDER = f"arn:aws:iam::111122223333:oidc-provider/{ISSUER}"
QUEUE = "arn:aws:sqs:us-west-2:111122223333:shop"
AGENT = "eks-pod-identity-agent"
POLICIES = (
    "AmazonEC2ContainerRegistryPullOnly",
    "AmazonEKSWorkerNodePolicy",
    "AmazonEKS_CNI_Policy",
)
TITLE = "EC2NodeClass/default"


def a_controller(**settings):
    env = {"CLUSTER_NAME": "shop", "INTERRUPTION_QUEUE": "shop", **settings}
    container = {"name": "c", "env": [{"name": key, "value": text} for key, text in env.items()]}
    document = {"spec": {"template": {"spec": {"containers": [container]}}}}
    settings = {key: text for key, text in env.items() if text}
    return Controller("karpenter", "kube-system", "karpenter", "i", 2, "k", settings, document)


def trusting(principal, subject=""):
    statement = {"Effect": "Allow", "Principal": principal}
    if subject:
        statement["Condition"] = {"StringEquals": {f"{ISSUER}:sub": subject}}
    return {"AssumeRolePolicyDocument": {"Statement": [statement]}}


def by_pods(role):
    identity = Identity(a_controller(), associated=ROLE)
    return controller_role.Facts("shop", ISSUER, identity, role)


def by_issuer(role, providers=(PROVIDER,)):
    identity = Identity(a_controller(), annotated=ROLE)
    return controller_role.Facts("shop", ISSUER, identity, role, providers)


def a_queue(controller=None, **more):
    policy = json.dumps({"Statement": queue_statements(QUEUE)})
    patterns = tuple(map(pattern_of, interruption_queue._NEEDED))
    known = {"arn": QUEUE, "url": "https://q", "policy": policy, "patterns": patterns, **more}
    return interruption_queue.Facts("shop", controller or a_controller(), **known)


def a_daemon(ready):
    return {"status": {"desiredNumberScheduled": 2, "numberReady": ready}}


OURS = "system:serviceaccount:kube-system:k"
CASES = [
    (
        identity_agent,
        identity_agent.Facts("shop", ("kube-system/k",), ("vpc-cni",)),
        identity_agent.Facts("shop", ("kube-system/k",), (AGENT,), a_daemon(2)),
    ),
    (
        identity_agent,
        identity_agent.Facts("shop", ("kube-system/k",), (AGENT,), a_daemon(0)),
        identity_agent.Facts("shop", (), ()),
    ),
    (
        stale_roles,
        stale_roles.Facts((stale_roles.Stale("KarpenterNodeRole-gone", "gone", ("p",), ("a",)),)),
        stale_roles.Facts(),
    ),
    (
        node_policies,
        node_policies.Facts("aws", (("nodes", POLICIES[1:]),), plugin_has_role=False),
        node_policies.Facts("aws", (("nodes", POLICIES),), plugin_has_role=False),
    ),
    (
        node_policies,
        node_policies.Facts("aws", (("nodes", POLICIES[:2]),), plugin_has_role=False),
        node_policies.Facts("aws", (("nodes", POLICIES[:2]),), plugin_has_role=True),
    ),
    (
        image_rights,
        image_rights.Facts((TITLE,), "controller", is_refused=True, parameters="arn"),
        image_rights.Facts((TITLE,), "controller", is_refused=False, parameters="arn"),
    ),
    (
        ending_rights,
        ending_rights.Facts("shop", "controller", is_refused=True, machines="arn"),
        ending_rights.Facts("shop", "controller", is_refused=False, machines="arn"),
    ),
    (
        controller_role,
        by_pods(trusting({"Service": "ec2.amazonaws.com"})),
        by_pods(trusting({"Service": "pods.eks.amazonaws.com"})),
    ),
    (
        controller_role,
        by_issuer(trusting({"Federated": PROVIDER}, "system:serviceaccount:karpenter:k")),
        by_issuer(trusting({"Federated": PROVIDER}, OURS)),
    ),
    (
        controller_role,
        by_issuer(trusting({"Federated": PROVIDER}, OURS), ()),
        by_issuer(trusting({"Federated": [PROVIDER]}, OURS)),
    ),
    (
        controller_role,
        controller_role.Facts("shop", ISSUER, Identity(a_controller())),
        controller_role.Facts("shop", ISSUER, None),
    ),
    (
        controller_role,
        by_pods(None),
        controller_role.Facts("shop", ISSUER, Identity(a_controller(CLOUD="kwok"))),
    ),
    (
        spot_role,
        spot_role.Facts(("NodePool/default",), has_role=False),
        spot_role.Facts((), has_role=False),
    ),
    (
        role_names,
        role_names.Facts(((TITLE, "r" * 65),)),
        role_names.Facts(((TITLE, "r" * 64),)),
    ),
    (
        profile_roles,
        profile_roles.Facts((NodeRole(TITLE, "", "", "p"),)),
        profile_roles.Facts((NodeRole(TITLE, "nodes", NODES),)),
    ),
    (
        profile_roles,
        profile_roles.Facts((), ((TITLE, "p", "nodes", True, False),)),
        profile_roles.Facts((), ((TITLE, "p", "nodes", True, True),)),
    ),
    (interruption_queue, a_queue(url="", policy=""), a_queue()),
    (interruption_queue, a_queue(policy=""), a_queue()),
    (interruption_queue, a_queue(patterns=()), a_queue()),
    (interruption_queue, a_queue(a_controller(INTERRUPTION_QUEUE="")), a_queue()),
    (
        cluster_names,
        cluster_names.Facts("shop", a_controller(CLUSTER_NAME="other"), (), ()),
        cluster_names.Facts(
            "shop", a_controller(), ((TITLE, "KarpenterNodeRole-shop"),), ("other",)
        ),
    ),
    (
        cluster_names,
        cluster_names.Facts("shop", None, ((TITLE, "KarpenterNodeRole-other"),), ("other",)),
        cluster_names.Facts("shop", None, ((TITLE, "KarpenterNodeRole-other"),), ()),
    ),
]


@pytest.mark.parametrize(("module", "broken", "healthy"), CASES)
def test_a_broken_identity_is_found_and_a_healthy_one_is_not(module, broken, healthy):
    found = list(module.CHECK.judge(broken))

    assert found
    assert all(one.commands and one.facts and one.objects for one in found)
    assert all(one.message.en != one.message.ko for one in found)
    assert list(module.CHECK.judge(healthy)) == []


@pytest.mark.parametrize(
    ("operator", "values", "expected"),
    [
        ("In", ["on-demand"], False),
        ("In", ["spot", "on-demand"], True),
        ("NotIn", ["spot"], False),
        ("NotIn", ["on-demand"], True),
    ],
)
def test_a_pool_may_be_spot_unless_it_says_otherwise(operator, values, expected):
    item = {"key": "karpenter.sh/capacity-type", "operator": operator, "values": values}

    assert spot_role._may_be_spot([item]) is expected
    assert spot_role._may_be_spot([])


def test_what_is_missing_of_a_queue_is_made_and_nothing_else():
    (found,) = interruption_queue.judge(a_queue(patterns=(pattern_of("Rebalance"),)))

    assert [one.step.name for one in found.mends] == [
        "NodewrightScheduledChange-shop",
        "NodewrightSpotInterruption-shop",
        "NodewrightInstanceStateChange-shop",
    ]
    assert all(one.undo for one in found.mends)


def test_an_association_beats_an_annotation():
    both = Identity(a_controller(), associated=ROLE, annotated=NODES)

    assert (both.role, both.role_name) == (ROLE, "controller")


def test_a_right_is_given_by_a_policy_of_its_own():
    put, gone = allow("controller", "Read", {"Action": "ssm:GetParameter", "Resource": "*"})

    assert gone == {"RoleName": "controller", "PolicyName": "Read"}
    assert json.loads(put["PolicyDocument"])["Statement"] == [
        {"Effect": "Allow", "Action": "ssm:GetParameter", "Resource": "*"}
    ]


def test_a_role_that_a_machine_still_has_is_not_deleted():
    one = stale_roles.Stale("KarpenterNodeRole-gone", "gone", ("p",), used_by="i-1")

    [found] = stale_roles.judge(stale_roles.Facts((one,)))

    assert not found.is_fixable
    assert "i-1" in found.commands[0]
