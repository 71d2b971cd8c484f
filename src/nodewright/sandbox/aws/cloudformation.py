"""CloudFormation as far as a doctor looks: which stacks there are. Stacks are not made here.

A scenario that has stacks, such as eksctl's, writes them down through the stand-in's own door.
"""

from typing import Any

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.moment import moment
from nodewright.sandbox.aws.registry import handles


def add_stack(account: Account, region: str, name: str, tags: dict[str, str]) -> str:
    """Write down a stack and give its ARN."""
    arn = (
        f"arn:{account.partition}:cloudformation:{region}:{account.account_id}:stack/{name}"
        f"/00000000-0000-4000-8000-{account.number():012x}"
    )
    _stacks(account, region)[name] = {
        "StackId": arn,
        "StackName": name,
        "CreationTime": moment(account.clock.now_ms()),
        "StackStatus": "CREATE_COMPLETE",
        "Tags": [{"Key": key, "Value": value} for key, value in sorted(tags.items())],
    }
    return arn


@handles("cloudformation", "DescribeStacks")
def describe_stacks(account: Account, call: Call) -> dict[str, Any]:
    """Describe one stack or all."""
    known = _stacks(account, call.region)
    name = call.params.get("StackName")
    found = [
        one for one in known.values() if not name or name in (one["StackName"], one["StackId"])
    ]
    if name and not found:
        raise AwsError("ValidationError", f"Stack with id {name} does not exist")
    return {"Stacks": found}


@handles("cloudformation", "ListStacks")
def list_stacks(account: Account, call: Call) -> dict[str, Any]:
    """List stacks, perhaps of some states only."""
    wanted = call.params.get("StackStatusFilter")
    return {
        "StackSummaries": [
            {name: one[name] for name in one if name != "Tags"}
            for one in _stacks(account, call.region).values()
            if not wanted or one["StackStatus"] in wanted
        ]
    }


@handles("cloudformation", "DeleteStack")
def delete_stack(account: Account, call: Call) -> dict[str, Any]:
    """Forget a stack; what it had made is not taken away."""
    _stacks(account, call.region).pop(str(call.params["StackName"]), None)
    return {}


def _stacks(account: Account, region: str) -> dict[str, dict[str, Any]]:
    return account.store(f"stacks/{region}", dict[str, dict[str, Any]])
