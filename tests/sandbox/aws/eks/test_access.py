"""Access entries."""

import pytest
from botocore.exceptions import ClientError

from builders.standin import error_of


@pytest.fixture(scope="module")
def cluster(make_cluster):
    return make_cluster("entries", accessConfig={"authenticationMode": "API"})["name"]


def test_whoever_makes_the_cluster_is_let_in(eks, cluster):
    [creator] = eks.list_access_entries(clusterName=cluster)["accessEntries"]
    [policy] = eks.list_associated_access_policies(clusterName=cluster, principalArn=creator)[
        "associatedAccessPolicies"
    ]

    assert creator == "arn:aws:iam::123456789012:root"
    assert policy["policyArn"].endswith("AmazonEKSClusterAdminPolicy")


def test_a_node_role_gets_the_groups_of_nodes(eks, cluster, roles):
    eks.create_access_entry(clusterName=cluster, principalArn=roles["node"], type="EC2_LINUX")
    one = eks.describe_access_entry(clusterName=cluster, principalArn=roles["node"])["accessEntry"]

    assert one["username"] == "system:node:{{EC2PrivateDNSName}}"
    assert one["kubernetesGroups"] == ["system:nodes"]
    with pytest.raises(ClientError) as raised:
        eks.create_access_entry(clusterName=cluster, principalArn=roles["node"])
    assert error_of(raised) == "ResourceInUseException"
    eks.delete_access_entry(clusterName=cluster, principalArn=roles["node"])
    with pytest.raises(ClientError) as gone:
        eks.describe_access_entry(clusterName=cluster, principalArn=roles["node"])
    assert error_of(gone) == "ResourceNotFoundException"


def test_a_person_gets_a_policy(eks, cluster, roles):
    eks.create_access_entry(
        clusterName=cluster, principalArn=roles["pod"], kubernetesGroups=["viewers"]
    )
    policy = eks.list_access_policies()["accessPolicies"][0]["arn"]
    eks.associate_access_policy(
        clusterName=cluster, principalArn=roles["pod"], policyArn=policy,
        accessScope={"type": "namespace", "namespaces": ["default"]},
    )  # fmt: skip
    [told] = eks.list_associated_access_policies(clusterName=cluster, principalArn=roles["pod"])[
        "associatedAccessPolicies"
    ]
    eks.disassociate_access_policy(clusterName=cluster, principalArn=roles["pod"], policyArn=policy)

    assert told["accessScope"] == {"type": "namespace", "namespaces": ["default"]}
    assert eks.list_associated_access_policies(clusterName=cluster, principalArn=roles["pod"])[
        "associatedAccessPolicies"
    ] == []  # fmt: skip


def test_a_cluster_with_aws_auth_only_takes_no_entries(eks, make_cluster, roles):
    make_cluster("old-mode")
    with pytest.raises(ClientError) as raised:
        eks.create_access_entry(clusterName="old-mode", principalArn=roles["node"])

    assert error_of(raised) == "InvalidRequestException"


def test_a_role_that_is_not_there_cannot_be_let_in(eks, cluster):
    with pytest.raises(ClientError) as raised:
        eks.create_access_entry(
            clusterName=cluster, principalArn="arn:aws:iam::123456789012:role/nobody"
        )

    assert error_of(raised) == "InvalidParameterException"
