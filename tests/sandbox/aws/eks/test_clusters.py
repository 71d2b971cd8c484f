"""Clusters with everything that an installer reads off them."""

import pytest
from botocore.exceptions import ClientError

from builders.standin import error_of


def test_a_cluster_knows_its_vpc_its_group_and_its_mode(standin, eks, make_cluster):
    make_cluster("one", version="1.34", accessConfig={"authenticationMode": "API"})
    told = eks.describe_cluster(name="one")["cluster"]
    vpc = told["resourcesVpcConfig"]
    [group] = standin.client("ec2").describe_security_groups(
        GroupIds=[vpc["clusterSecurityGroupId"]]
    )["SecurityGroups"]

    assert vpc["vpcId"] == make_cluster.network.vpc == group["VpcId"]
    assert told["accessConfig"]["authenticationMode"] == "API"
    assert told["status"] == "ACTIVE"
    assert {"Key": "kubernetes.io/cluster/one", "Value": "owned"} in group["Tags"]
    assert group["IpPermissions"][0]["UserIdGroupPairs"][0]["GroupId"] == group["GroupId"]


def test_two_clusters_have_issuers_and_endpoints_of_their_own(make_cluster):
    first, second = make_cluster("first"), make_cluster("second")

    assert first["identity"]["oidc"]["issuer"] != second["identity"]["oidc"]["issuer"]
    assert first["endpoint"] != second["endpoint"]


def test_the_mode_goes_one_way_only(eks, make_cluster):
    made = make_cluster("modes")
    update = eks.update_cluster_config(
        name="modes", accessConfig={"authenticationMode": "API_AND_CONFIG_MAP"}
    )["update"]
    after = eks.describe_update(name="modes", updateId=update["id"])["update"]
    with pytest.raises(ClientError) as raised:
        eks.update_cluster_config(name="modes", accessConfig={"authenticationMode": "CONFIG_MAP"})
    now = eks.describe_cluster(name="modes")["cluster"]["accessConfig"]["authenticationMode"]

    assert made["accessConfig"]["authenticationMode"] == "CONFIG_MAP"
    assert (update["type"], after["status"]) == ("AccessConfigUpdate", "Successful")
    assert error_of(raised) == "InvalidParameterException"
    assert now == "API_AND_CONFIG_MAP"


def test_endpoints_can_be_closed(eks, make_cluster):
    make_cluster("doors")
    eks.update_cluster_config(
        name="doors",
        resourcesVpcConfig={"endpointPublicAccess": False, "endpointPrivateAccess": True},
    )
    vpc = eks.describe_cluster(name="doors")["cluster"]["resourcesVpcConfig"]

    assert (vpc["endpointPublicAccess"], vpc["endpointPrivateAccess"]) == (False, True)


def test_a_version_moves_up_by_one(eks, make_cluster):
    make_cluster("old", version="1.33")
    eks.update_cluster_version(name="old", version="1.34")
    with pytest.raises(ClientError) as raised:
        eks.update_cluster_version(name="old", version="1.36")

    assert eks.describe_cluster(name="old")["cluster"]["version"] == "1.34"
    assert error_of(raised) == "InvalidParameterException"


def test_an_unknown_cluster_is_not_found(eks):
    with pytest.raises(ClientError) as raised:
        eks.describe_cluster(name="nobody")

    assert error_of(raised) == "ResourceNotFoundException"


def test_a_deleted_cluster_takes_its_group_along(standin, eks, make_cluster):
    group = make_cluster("brief")["resourcesVpcConfig"]["clusterSecurityGroupId"]
    eks.delete_cluster(name="brief")
    with pytest.raises(ClientError) as raised:
        standin.client("ec2").describe_security_groups(GroupIds=[group])

    assert "brief" not in eks.list_clusters()["clusters"]
    assert error_of(raised) == "InvalidGroup.NotFound"
