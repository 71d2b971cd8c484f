"""Guides that people follow, their shell steps run word for word; only where the guides are at hand.

The guides lie beside this repository, not in it. Steps that ask AWS are run; those that edit files by
hand or fetch charts from elsewhere are not.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.aws_rig import an_account
from nodewright.sandbox.accounts import scenario
from nodewright.sandbox.accounts.leftovers import leave_stale_role
from nodewright.sandbox.kubelet.cloud import INSIDER_KEY, Keys

SEEDS = Path(__file__).parents[3] / "shared" / "seeds"
FENCE = re.compile(r"^```\w*$", re.MULTILINE)
RUNNABLE = re.compile(r"(?:CLUSTER_NAME=|AWS_PARTITION=|NODEGROUP=|echo |cat |aws |for )")
PLACEHOLDER = "YOUR_CLUSTER_NAME_HERE"
STALE = re.compile(r"--role-name eksctl-KarpenterNodeRole-(\S+)")
PROFILE = re.compile(r"delete-instance-profile --instance-profile-name (\S+)")

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.soak,
    pytest.mark.skipif(not SEEDS.is_dir(), reason="the guides are not at hand"),
]


def text_of(number):
    [path] = SEEDS.glob(f"{number:03}_*.txt")
    return path.read_text()


def steps_of(text):
    """Give the shell steps of a guide that ask AWS, without their prompts.

    A guide may have a fence too many, so what lies between two fences is known by how it begins.
    """
    pieces = (piece.strip() for piece in FENCE.split(text))
    bare = (re.sub(r"^\$ ", "", piece, flags=re.MULTILINE) for piece in pieces)
    return [piece for piece in bare if RUNNABLE.match(piece)]


def follow(account, steps, folder):
    script = "\n".join(["set -euo pipefail", f"CLUSTER_NAME={account.name}", *steps])
    tools = Path(sys.executable).parent
    done = subprocess.run(
        ["bash", "-c", script.replace(PLACEHOLDER, account.name)],
        env={**account.environment, "PATH": f"{tools}:{os.environ['PATH']}"},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def account(programs):
    """The hand-made account."""
    with an_account(programs, "hand-made", "guides") as made:
        yield made


def discovered(account, kind):
    ec2 = account.client("ec2")
    tag = [{"Name": "tag:karpenter.sh/discovery", "Values": [account.name]}]
    if kind == "subnets":
        return {one["SubnetId"] for one in ec2.describe_subnets(Filters=tag)["Subnets"]}
    found = ec2.describe_security_groups(Filters=tag)["SecurityGroups"]
    return {one["GroupId"] for one in found}


def test_the_guide_to_an_existing_cluster_succeeds_and_gives_what_it_describes(account, tmp_path):
    follow(account, steps_of(text_of(4)), tmp_path)

    iam = account.client("iam")
    node_role, controller = (
        f"Karpenter{kind}Role-{account.name}" for kind in ("Node", "Controller")
    )
    attached = iam.list_attached_role_policies(RoleName=node_role)["AttachedPolicies"]
    profile = iam.get_instance_profile(
        InstanceProfileName=f"KarpenterNodeInstanceProfile-{account.name}"
    )["InstanceProfile"]
    trust = iam.get_role(RoleName=controller)["Role"]["AssumeRolePolicyDocument"]
    told = account.client("eks").describe_cluster(name=account.name)["cluster"]
    group = account.client("eks").describe_nodegroup(
        clusterName=account.name, nodegroupName="main"
    )["nodegroup"]
    assert len(attached) == 4
    assert [role["RoleName"] for role in profile["Roles"]] == [node_role]
    assert "system:serviceaccount:karpenter:karpenter" in str(trust)
    assert iam.list_role_policies(RoleName=controller)["PolicyNames"] == [
        f"KarpenterControllerPolicy-{account.name}"
    ]
    assert discovered(account, "subnets") == set(group["subnets"])
    assert discovered(account, "groups") == {told["resourcesVpcConfig"]["clusterSecurityGroupId"]}


def test_the_troubleshooting_guide_tags_groups_and_removes_the_stale_role(account, tmp_path):
    text = text_of(0)
    steps = [block for block in steps_of(text) if "aws " in block]
    stale = STALE.search(text)[1]
    record = account.sandbox.record
    keys = Keys(record.aws_url, record.aws_region, INSIDER_KEY)
    leave_stale_role(keys, stale, PROFILE.search(text)[1])
    role = f"eksctl-KarpenterNodeRole-{stale}"

    follow(account, steps, tmp_path)

    names = [one["RoleName"] for one in account.client("iam").list_roles(MaxItems=1000)["Roles"]]
    assert role not in names
    assert discovered(account, "groups")


@pytest.mark.parametrize("name", scenario.names())
def test_every_ready_made_account_comes_up_with_all_its_nodes(programs, name):
    with an_account(programs, name, f"made-{name}") as made:
        first = made.scenario.clusters[0]
        wanted = sum(group.count for group in first.node_groups)
        groups = made.get("nodes", "-l", "eks.amazonaws.com/nodegroup")["items"]
        own = made.get("nodes", "-l", "karpenter.sh/nodepool")["items"]

    assert len(groups) == wanted
    assert len(own) == (first.scaler == "karpenter-v1")
