"""Spot requests: each spot machine has one, which tells why it ended long after it did."""

from typing import Any, Final

from nodewright.model.instance import NANO
from nodewright.model.labels import ON_DEMAND
from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.ec2.machines import BY_SPOT, Machine, machines
from nodewright.sandbox.aws.ec2.market import market_of
from nodewright.sandbox.aws.ec2.spec import Spec
from nodewright.sandbox.aws.ec2.tags import put_tags, tag_set
from nodewright.sandbox.aws.filters import path, select
from nodewright.sandbox.aws.moment import moment
from nodewright.sandbox.aws.pages import page, with_token
from nodewright.sandbox.aws.registry import handles

SPOT_ROLE: Final = "AWSServiceRoleForEC2Spot"
SPOT_SERVICE: Final = "spot.amazonaws.com"
_PAGE: Final = 1_000
_LOOKS: Final = {
    "instance-id": path("InstanceId"),
    "spot-instance-request-id": path("SpotInstanceRequestId"),
    "state": path("State"),
    "status-code": path("Status", "Code"),
    "type": path("Type"),
    "launched-availability-zone": path("LaunchedAvailabilityZone"),
    "launch.instance-type": path("LaunchSpecification", "InstanceType"),
}

type Request = dict[str, Any]


def requests(account: Account, region: str) -> dict[str, Request]:
    """Give the spot requests of a region by id."""
    return account.store(f"spot/{region}", dict[str, Request])


def require_role(account: Account, call: Call) -> None:
    """Have the service-linked role that spot needs, as EC2 makes it for whoever may make it."""
    if SPOT_ROLE in {one.name for one in account.inside.backend("iam", call.region).roles.values()}:
        return
    arn = f"arn:{account.partition}:iam::{account.account_id}:role/aws-service-role/{SPOT_SERVICE}/{SPOT_ROLE}"
    context = {"iam:AWSServiceName": SPOT_SERVICE}
    may = account.may is None or call.principal.kind in ("root", "insider")
    if not may and account.may is not None:
        may = account.may(account, call.principal, "iam:CreateServiceLinkedRole", arn, context)
    if not may:
        raise AwsError(
            "AuthFailure.ServiceLinkedRoleCreationNotPermitted",
            "The provided credentials do not have permission to create the service-linked role for "
            "EC2 Spot Instances.",
            403,
        )
    from nodewright.sandbox.aws.iam import make_linked_role

    make_linked_role(account, SPOT_SERVICE, "")


def open_request(account: Account, machine: Machine, spec: Spec) -> None:
    """Write down the request that a spot machine fulfils."""
    number = f"sir-{account.number():08x}"
    machine.spot_request_id = number
    moto, zone = machine.moto, machine.key[1]
    now = moment(account.clock.now_ms())
    top = market_of(account, machine.region)
    dear = (machine.key[0], zone, ON_DEMAND)
    price = top.price(dear if top.has(dear) else machine.key, account.clock.now_ms())
    requests(account, machine.region)[number] = {
        "SpotInstanceRequestId": number,
        "CreateTime": now,
        "InstanceId": machine.instance_id,
        "InstanceInterruptionBehavior": "terminate",
        "LaunchSpecification": {
            "ImageId": str(moto.image_id),
            "InstanceType": machine.key[0],
            "SubnetId": str(moto.subnet_id),
            "SecurityGroups": [
                {"GroupId": one.id, "GroupName": one.name} for one in moto.security_groups
            ],
            "Placement": {"AvailabilityZone": zone, "Tenancy": "default"},
            "Monitoring": {"Enabled": moto.monitored},
        },
        "LaunchedAvailabilityZone": zone,
        "ProductDescription": "Linux/UNIX",
        "SpotPrice": f"{price / NANO:.6f}",
        "Type": "one-time",
    }
    put_tags(account, machine.region, number, spec.tags.get("spot-instances-request", {}))


@handles("ec2", "DescribeSpotInstanceRequests")
def describe_requests(account: Account, call: Call) -> dict[str, Any]:
    """List spot requests."""
    ids = call.params.get("SpotInstanceRequestIds") or []
    known = requests(account, call.region)
    _check(known, ids)
    found = [
        _described(account, call.region, one)
        for one in known.values()
        if not ids or one["SpotInstanceRequestId"] in ids
    ]
    chosen = select(found, call.params.get("Filters"), _LOOKS)
    size = int(call.params.get("MaxResults") or _PAGE)
    some, more = page(chosen, call.params.get("NextToken"), size)
    return with_token({"SpotInstanceRequests": some}, "NextToken", more)


@handles("ec2", "CancelSpotInstanceRequests")
def cancel_requests(account: Account, call: Call) -> dict[str, Any]:
    """Cancel requests; their machines run on."""
    ids = list(call.params["SpotInstanceRequestIds"])
    known = requests(account, call.region)
    _check(known, ids)
    for one in ids:
        known[one]["Cancelled"] = True
    return {
        "CancelledSpotInstanceRequests": [
            {"SpotInstanceRequestId": one, "State": "cancelled"} for one in ids
        ]
    }


def _check(known: dict[str, Request], ids: list[str]) -> None:
    missing = [one for one in ids if one not in known]
    if missing:
        raise AwsError(
            "InvalidSpotInstanceRequestID.NotFound",
            f"The spot instance request ID '{missing[0]}' does not exist",
        )


def _described(account: Account, region: str, one: Request) -> Request:
    number = one["SpotInstanceRequestId"]
    machine = machines(account).get(one["InstanceId"])
    state, code, message = "active", "fulfilled", "Your spot request is fulfilled."
    if machine is None or machine.state in ("shutting-down", "terminated"):
        by_spot = machine is not None and machine.reason == BY_SPOT
        state = "closed"
        code = "instance-terminated-no-capacity" if by_spot else "instance-terminated-by-user"
        message = (
            "Your Spot instance was terminated because there is no Spot capacity available."
            if by_spot
            else "Spot Instance terminated due to user-initiated termination."
        )
    elif one.get("Cancelled"):
        state, code = "cancelled", "request-canceled-and-instance-running"
        message = "Your spot request is canceled, but your instance is still running."
    elif machine.wishes.get("MarkedForTermination"):
        code, message = "marked-for-termination", "Your Spot instance is marked for termination."
    shown = {name: value for name, value in one.items() if name != "Cancelled"}
    status = {"Code": code, "Message": message, "UpdateTime": one["CreateTime"]}
    return {**shown, "State": state, "Status": status, "Tags": tag_set(account, region, number)}
