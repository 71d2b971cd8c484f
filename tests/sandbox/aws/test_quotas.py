"""Quotas, and what a launch past them says."""

from builders.standin import a_fleet, ids_of
from nodewright.sandbox.aws.quotas import DEFAULT, ON_DEMAND_VCPUS, SPOT_VCPUS, set_quota


def test_quotas_of_ec2_are_listed(standin):
    told = standin.client("service-quotas").list_service_quotas(ServiceCode="ec2")["Quotas"]
    [one] = [quota for quota in told if quota["QuotaCode"] == ON_DEMAND_VCPUS]

    assert one["Value"] == DEFAULT
    assert one["Adjustable"]


def test_a_launch_past_the_quota_is_refused(standin, ec2, network):
    account = standin.account
    set_quota(account, "us-west-2", ON_DEMAND_VCPUS, 5)
    set_quota(account, "us-west-2", SPOT_VCPUS, 0)
    on_demand = ec2.create_fleet(**a_fleet(network, count=3))
    spot = ec2.create_fleet(**a_fleet(network, kind="spot"))

    assert len(ids_of(on_demand)) == 2
    assert {one["ErrorCode"] for one in on_demand["Errors"]} == {"VcpuLimitExceeded"}
    assert {one["ErrorCode"] for one in spot["Errors"]} == {"MaxSpotInstanceCountExceeded"}
