"""Zonal shifts of a cluster."""

import pytest
from botocore.exceptions import ClientError

from builders.standin import error_of


def test_a_cluster_is_shifted_away_from_a_zone_and_back(standin, network):
    iam = standin.client("iam")
    role = iam.get_role(RoleName="net")["Role"]["Arn"]
    arn = standin.client("eks").create_cluster(
        name="shifted", roleArn=role, resourcesVpcConfig={"subnetIds": list(network.subnets)}
    )["cluster"]["arn"]
    arc = standin.client("arc-zonal-shift")
    started = arc.start_zonal_shift(
        resourceIdentifier=arn, awayFrom="usw2-az1", expiresIn="1h", comment="a flood"
    )
    during = arc.get_managed_resource(resourceIdentifier=arn)
    arc.cancel_zonal_shift(zonalShiftId=started["zonalShiftId"])
    after = arc.get_managed_resource(resourceIdentifier=arn)

    assert [one["awayFrom"] for one in during["zonalShifts"]] == ["usw2-az1"]
    assert during["appliedWeights"]["usw2-az1"] == 0.0
    assert after["zonalShifts"] == []


def test_what_is_not_a_cluster_is_not_found(standin):
    with pytest.raises(ClientError) as raised:
        standin.client("arc-zonal-shift").get_managed_resource(
            resourceIdentifier="arn:aws:eks:us-west-2:123456789012:cluster/nobody"
        )

    assert error_of(raised) == "ResourceNotFoundException"
