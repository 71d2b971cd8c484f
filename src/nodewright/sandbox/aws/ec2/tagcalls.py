"""CreateTags and DeleteTags over all resources, moto's and ours; a new instance must be seen first."""

from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.ec2.fleet import fleets
from nodewright.sandbox.aws.ec2.machines import find
from nodewright.sandbox.aws.ec2.placement import groups
from nodewright.sandbox.aws.ec2.reservations import reservations
from nodewright.sandbox.aws.ec2.spotrequests import requests
from nodewright.sandbox.aws.ec2.tags import put_tags
from nodewright.sandbox.aws.registry import handles

_OURS: Final = ("cr-", "fleet-", "pg-", "sir-")


@handles("ec2", "CreateTags", "DeleteTags")
def change_tags(account: Account, call: Call) -> dict[str, Any]:
    """Set or take tags on all the resources that are named, or on none."""
    names = [str(one) for one in call.params["Resources"]]
    machines = [one for one in names if one.startswith("i-")]
    find(account, call.region, machines, insider=call.principal.kind == "insider")
    ours = [one for one in names if one.startswith(_OURS)]
    known = _known(account, call.region) if ours else set()
    missing = [one for one in ours if one not in known]
    if missing:
        raise AwsError("InvalidID", f"The ID '{missing[0]}' is not valid")
    rest = [one for one in names if one not in ours]
    if rest:
        account.inside.ask(call.region, "ec2", call.operation, {**call.params, "Resources": rest})
    for one in ours:
        _change(account, call, one)
    return {}


def _known(account: Account, region: str) -> set[str]:
    return {
        *reservations(account, region),
        *fleets(account, region),
        *requests(account, region),
        *(str(one["GroupId"]) for one in groups(account, region).values()),
    }


def _change(account: Account, call: Call, name: str) -> None:
    asked = {str(one["Key"]): one.get("Value") for one in call.params.get("Tags") or ()}
    if call.operation == "CreateTags":
        put_tags(
            account, call.region, name, {key: str(value or "") for key, value in asked.items()}
        )
        return
    store = account.inside.backend("ec2", call.region).tags[name]
    for key in list(store):
        if not asked or (key in asked and asked[key] in (None, store[key])):
            del store[key]
