"""What AWS says, and what is to be done about it."""

import pytest

from nodewright.aws.faults import FleetError, judge_code, judge_fleet, read_fleet_errors
from nodewright.ports.cloud import LaunchFault

ICE = FleetError("InsufficientInstanceCapacity", "none left", "m5.large", "us-west-2a", "subnet-1")


@pytest.mark.parametrize(
    ("code", "message", "fault", "reason"),
    [
        ("InsufficientInstanceCapacity", "", "NoCapacity", "InsufficientInstanceCapacity"),
        ("VcpuLimitExceeded", "", "NoCapacity", "InsufficientInstanceCapacity"),
        ("MaxFleetCountExceeded", "", "NoCapacity", "InsufficientInstanceCapacity"),
        (
            "AuthFailure.ServiceLinkedRoleCreationNotPermitted",
            "",
            "NoCapacity",
            "SpotSLRCreationFailed",
        ),
        ("IdempotentParameterMismatch", "", "Spent", "IdempotentParameterMismatch"),
        ("RequestLimitExceeded", "", "Transient", "RequestLimitExceeded"),
        ("InternalError", "", "Transient", "InternalError"),
        ("Unreachable", "timed out", "Transient", "Unreachable"),
        ("UnauthorizedOperation", "no identity-based policy", "Refused", "Unauthorized"),
        ("AuthFailure", "Not authorized for images: [ami-1]", "Refused", "AMIAuthorizationFailure"),
        (
            "InvalidParameter",
            "sg-1 and subnet-1 belong to different networks.",
            "Refused",
            "SecurityGroupSubnetVPCMismatch",
        ),
        (
            "InvalidParameterValue",
            "Value (x) for parameter iamInstanceProfile.name is invalid.",
            "Refused",
            "InstanceProfileNameInvalid",
        ),
        ("InvalidAMIID.NotFound", "", "Refused", "AMINotFound"),
        ("InvalidAMIID.Malformed", "", "Refused", "InvalidAMIID"),
        (
            "InvalidParameterCombination",
            "The type is not eligible for Free Tier",
            "Refused",
            "FreeTierIneligible",
        ),
        ("PendingVerification", "", "Refused", "AccountPendingVerification"),
        ("SomethingNew", "", "Refused", "SomethingNew"),
    ],
)
def test_every_code_has_its_class_and_its_reason(code, message, fault, reason):
    failed = judge_code(code, message)

    assert (failed.fault, failed.reason) == (LaunchFault(fault), reason)
    if fault != "NoCapacity":
        assert failed.message.startswith(code)


def test_a_fleet_that_is_sold_out_says_what_and_where():
    other = FleetError("UnfulfillableCapacity", "", "c5.large", "us-west-2b")
    failed = judge_fleet([ICE, ICE, other])

    assert failed.fault is LaunchFault.NO_CAPACITY
    assert failed.message == (
        "InsufficientInstanceCapacity: m5.large/us-west-2a; UnfulfillableCapacity: c5.large/us-west-2b"
    )


def test_one_refusal_among_sold_out_offerings_is_what_is_told():
    failed = judge_fleet([ICE, FleetError("UnauthorizedOperation", "denied")])

    assert (failed.fault, failed.reason) == (LaunchFault.REFUSED, "Unauthorized")


def test_a_fleet_without_a_machine_and_without_a_reason_is_for_want_of_capacity():
    failed = judge_fleet([])

    assert failed.fault is LaunchFault.NO_CAPACITY
    assert "without a reason" in failed.message


def test_a_full_spread_group_is_for_want_of_capacity():
    message = "You have reached the limit of 7 instances in the spread placement group"

    assert FleetError("InvalidInput", message).is_sold_out


def test_errors_are_read_with_their_override():
    answer = {
        "Errors": [
            {
                "ErrorCode": ICE.code,
                "ErrorMessage": ICE.message,
                "LaunchTemplateAndOverrides": {
                    "Overrides": {
                        "InstanceType": "m5.large",
                        "AvailabilityZone": "us-west-2a",
                        "SubnetId": "subnet-1",
                    }
                },
            },
            {"ErrorCode": "InternalError"},
        ]
    }

    assert read_fleet_errors(answer) == (ICE, FleetError("InternalError"))
    assert read_fleet_errors({}) == ()
