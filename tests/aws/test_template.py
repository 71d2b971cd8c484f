"""Launch templates: what they say, and how they are named."""

import json
from pathlib import Path

import pytest

from builders.awsdrafts import a_cluster
from builders.awslaunches import a_spec, a_wish, mistakes
from nodewright.aws.template import Placement, Reservation, template_data, template_request

GOLDEN = Path(__file__).parent / "golden" / "CreateLaunchTemplate.json"
FULL = {
    "associatePublicIPAddress": False,
    "blockDeviceMappings": [
        {"deviceName": "/dev/xvda", "ebs": {"volumeSize": "100Gi", "kmsKeyID": "alias/nodes"}}
    ],
    "connectionTracking": {"tcpEstablishedTimeout": 400},
    "cpuOptions": {"nestedVirtualization": "enabled"},
    "detailedMonitoring": True,
    "ipPrefixCount": 1,
    "metadataOptions": {"httpPutResponseHopLimit": 2},
}


def test_a_template_is_asked_for_as_the_golden_request_shows():
    assert template_request(a_wish(capacity_type="spot")) == json.loads(GOLDEN.read_text())


@pytest.mark.parametrize(
    "wish",
    [
        a_wish(),
        a_wish(a_spec(**FULL), capacity_type="spot", placement=Placement("pg-1", 2)),
        a_wish(reservation=Reservation("cr-1")),
        a_wish(reservation=Reservation("cr-1", "capacity-block")),
        a_wish(reservation=Reservation("cr-1", is_interruptible=True)),
        a_wish(efa_count=4),
        a_wish(a_spec(amiFamily="Custom"), cluster=a_cluster(dns_ip="fd30::a")),
    ],
)
def test_botocore_knows_everything_that_is_asked(wish):
    assert mistakes("ec2", "CreateLaunchTemplate", template_request(wish)) == []


def test_the_same_words_have_the_same_name_and_others_another():
    name = template_request(a_wish())["LaunchTemplateName"]

    assert name.startswith("karpenter.k8s.aws/")
    assert name == template_request(a_wish())["LaunchTemplateName"]
    for other in (
        a_wish(image_id="ami-2"),
        a_wish(user_data="other"),
        a_wish(tags={"a": "b"}),
        a_wish(cluster=a_cluster("two")),
        a_wish(reservation=Reservation("cr-1")),
    ):
        assert template_request(other)["LaunchTemplateName"] != name


def test_open_reservations_are_not_used_by_accident():
    said = template_data(a_wish())["CapacityReservationSpecification"]

    assert said == {"CapacityReservationPreference": "none"}


def test_a_reservation_is_named():
    data = template_data(a_wish(reservation=Reservation("cr-1", "capacity-block")))

    assert data["CapacityReservationSpecification"] == {
        "CapacityReservationPreference": "capacity-reservations-only",
        "CapacityReservationTarget": {"CapacityReservationId": "cr-1"},
    }
    assert data["InstanceMarketOptions"] == {"MarketType": "capacity-block"}


def test_metadata_needs_a_token_and_travels_one_hop():
    assert template_data(a_wish())["MetadataOptions"] == {
        "HttpEndpoint": "enabled",
        "HttpProtocolIpv6": "disabled",
        "HttpPutResponseHopLimit": 1,
        "HttpTokens": "required",
        "InstanceMetadataTags": "disabled",
    }


def test_isolated_regions_are_not_asked_for_ipv6():
    data = template_data(a_wish(cluster=a_cluster(region="us-iso-east-1")))

    assert "HttpProtocolIpv6" not in data["MetadataOptions"]


def test_groups_stand_in_the_interfaces_where_there_are_some():
    assert template_data(a_wish())["SecurityGroupIds"] == ["sg-1", "sg-2"]
    data = template_data(a_wish(a_spec(**FULL)))

    assert "SecurityGroupIds" not in data
    assert data["NetworkInterfaces"][0]["Groups"] == ["sg-1", "sg-2"]


def test_only_spot_tags_its_request():
    kinds = [one["ResourceType"] for one in template_data(a_wish())["TagSpecifications"]]

    assert kinds == ["network-interface"]
    spot = template_data(a_wish(capacity_type="spot"))["TagSpecifications"]
    assert [one["ResourceType"] for one in spot] == ["network-interface", "spot-instances-request"]
