"""A cluster for the tests of EKS."""

import json

import pytest

from builders.standin import a_network


def trust(*principals, actions=("sts:AssumeRole",)):
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": list(principals)},
        "Action": list(actions),
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


@pytest.fixture(scope="module")
def eks(standin):
    return standin.client("eks")


@pytest.fixture(scope="module")
def roles(standin):
    """Roles for clusters, nodes and pods, by name."""
    iam = standin.client("iam")
    wanted = {
        "cluster": trust("eks.amazonaws.com"),
        "node": trust("ec2.amazonaws.com"),
        "pod": trust("pods.eks.amazonaws.com", actions=("sts:AssumeRole", "sts:TagSession")),
        "closed": trust("ec2.amazonaws.com"),
    }
    return {
        name: iam.create_role(RoleName=name, AssumeRolePolicyDocument=document)["Role"]["Arn"]
        for name, document in wanted.items()
    }


@pytest.fixture(scope="module")
def make_cluster(eks, roles, standin):
    network = a_network(standin, "eks-net")

    def make(name, **more):
        return eks.create_cluster(
            name=name,
            roleArn=roles["cluster"],
            resourcesVpcConfig={"subnetIds": list(network.subnets)},
            **more,
        )["cluster"]

    make.network = network
    return make
