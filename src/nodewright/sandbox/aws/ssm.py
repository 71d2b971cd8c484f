"""SSM's public parameters that name EKS images; every other parameter is moto's."""

from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.ec2.images import RELEASES, parameters, seed_images
from nodewright.sandbox.aws.moment import moment
from nodewright.sandbox.aws.pages import page, with_token
from nodewright.sandbox.aws.registry import handles

_OURS: Final = (
    "/aws/service/ami-windows-latest/",
    "/aws/service/bottlerocket/",
    "/aws/service/eks/",
)
_PAGE: Final = 10


@handles("ssm", "GetParameter")
def get_parameter(account: Account, call: Call) -> dict[str, Any]:
    """Give one parameter."""
    name = str(call.params["Name"])
    if not name.startswith(_OURS):
        return account.inside.ask(call.region, "ssm", "GetParameter", call.params)
    found = _find(account, call.region, name)
    if found is None:
        raise AwsError("ParameterNotFound", f"Parameter {name} not found.")
    return {"Parameter": found}


@handles("ssm", "GetParameters")
def get_parameters(account: Account, call: Call) -> dict[str, Any]:
    """Give several parameters, and the names of those that are not there."""
    names = [str(one) for one in call.params["Names"]]
    ours = [one for one in names if one.startswith(_OURS)]
    rest = [one for one in names if one not in ours]
    answer: dict[str, Any] = {"Parameters": [], "InvalidParameters": []}
    if rest:
        asked = {**call.params, "Names": rest}
        answer = account.inside.ask(call.region, "ssm", "GetParameters", asked)
    for one in ours:
        found = _find(account, call.region, one)
        if found is None:
            answer["InvalidParameters"].append(one)
        else:
            answer["Parameters"].append(found)
    return answer


@handles("ssm", "GetParametersByPath")
def get_by_path(account: Account, call: Call) -> dict[str, Any]:
    """Give the parameters under a path."""
    root = str(call.params["Path"]).rstrip("/") + "/"
    if not root.startswith(_OURS):
        return account.inside.ask(call.region, "ssm", "GetParametersByPath", call.params)
    seed_images(account, call.region)
    deep = bool(call.params.get("Recursive"))
    names = [
        one
        for one in sorted(parameters(account, call.region))
        if one.startswith(root) and (deep or "/" not in one.removeprefix(root))
    ]
    size = int(call.params.get("MaxResults") or _PAGE)
    some, more = page(names, call.params.get("NextToken"), size)
    told = [_told(account, call.region, one) for one in some]
    return with_token({"Parameters": told}, "NextToken", more)


def _find(account: Account, region: str, name: str) -> dict[str, Any] | None:
    seed_images(account, region)
    return _told(account, region, name) if name in parameters(account, region) else None


def _told(account: Account, region: str, name: str) -> dict[str, Any]:
    return {
        "Name": name,
        "Type": "String",
        "Value": parameters(account, region)[name],
        "Version": len(RELEASES),
        "LastModifiedDate": moment(account.clock.now_ms()),
        "ARN": f"arn:{account.partition}:ssm:{region}::parameter{name}",
        "DataType": "text",
    }
