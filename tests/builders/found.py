"""What an installation may find: an account with a cluster of two machines, built in a line."""

from nodewright.install.found import (
    Account,
    Cluster,
    Found,
    Kube,
    NodeGroup,
    Subnet,
    Tagged,
)
from nodewright.install.plan import plan_install, plan_uninstall
from nodewright.install.wish import Wish

NUMBER = "123456789012"
REGION = "us-west-2"


def a_group(name="main", **more):
    """A managed node group."""
    given = {
        "subnets": ("subnet-a", "subnet-b"),
        "instance_types": ("m5.large",),
        "ami_type": "AL2023_x86_64_STANDARD",
        "desired": 2,
        **more,
    }
    return NodeGroup(name, **given)


def a_cluster(**more):
    """A cluster with one node group."""
    given = {
        "name": "shop",
        "arn": f"arn:aws:eks:{REGION}:{NUMBER}:cluster/shop",
        "version": "1.34",
        "endpoint": "https://shop.eks.example",
        "authority": "Q0E=",
        "issuer": "https://oidc.example/id/1",
        "mode": "API_AND_CONFIG_MAP",
        "vpc_id": "vpc-1",
        "group_id": "sg-cluster",
        "subnets": ("subnet-a", "subnet-b"),
        "node_groups": (a_group(),),
        **more,
    }
    return Cluster(**given)


def an_account(cluster=None, **more):
    """An account with the cluster's network and nothing of ours."""
    given = {
        "subnets": (Subnet("subnet-a"), Subnet("subnet-b")),
        "groups": (
            Tagged("sg-cluster", tags={"kubernetes.io/cluster/shop": "owned"}),
            Tagged("sg-other"),
        ),
        **more,
    }
    caller = f"arn:aws:iam::{NUMBER}:user/admin"
    return Account(NUMBER, caller, REGION, cluster or a_cluster(), **given)


def a_found(cluster=None, kube=None, **more):
    """Both sides together."""
    return Found(an_account(cluster, **more), kube or Kube())


def steps_of(found, verb="install", **choices):
    """The steps of a plan, by kind and name."""
    make = plan_install if verb == "install" else plan_uninstall
    return {step.title: step for step in make(found, Wish("shop", **choices)).steps}
