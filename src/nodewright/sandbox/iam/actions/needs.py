"""The words in which the table speaks: a call, the things it is about, and what it needs.

A `Need` is one question to the policies: may this action be done on this resource, given what the
request says of it. Things that exist are looked up, for their ARN (which may hold a path), their tags
and what the service knows of them; things to be made have an ARN that ends in `*` or in the name
asked for.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Protocol

import msgspec

from nodewright.sandbox.iam.context import Context, Values, context, request_tags, resource_tags

# Where an endpoint's name and the prefix of its actions differ.
_PREFIXES: Final = {"elb": "elasticloadbalancing", "elbv2": "elasticloadbalancing"}

KINDS: Final = {
    **{
        f"ec2:{kind}": f"arn:{{partition}}:ec2:{{region}}:{{account}}:{kind}/{{name}}"
        for kind in (
            "capacity-reservation", "dhcp-options", "elastic-ip", "fleet", "instance",
            "internet-gateway", "key-pair", "launch-template", "natgateway", "network-acl",
            "network-interface", "placement-group", "route-table", "security-group",
            "security-group-rule", "spot-instances-request", "subnet", "volume", "vpc",
            "vpc-endpoint", "vpc-peering-connection",
        )
    },
    "ec2:image": "arn:{partition}:ec2:{region}::image/{name}",
    "ec2:snapshot": "arn:{partition}:ec2:{region}::snapshot/{name}",
    **{
        f"iam:{kind}": f"arn:{{partition}}:iam::{{account}}:{kind}/{{name}}"
        for kind in ("role", "user", "group", "policy", "instance-profile", "oidc-provider")
    },
    "eks:cluster": "arn:{partition}:eks:{region}:{account}:cluster/{name}",
    **{
        f"eks:{kind}": f"arn:{{partition}}:eks:{{region}}:{{account}}:{kind}/{{name}}"
        for kind in (
            "access-entry", "addon", "fargateprofile", "nodegroup", "podidentityassociation",
        )
    },
    "sqs:queue": "arn:{partition}:sqs:{region}:{account}:{name}",
    "events:rule": "arn:{partition}:events:{region}:{account}:rule/{name}",
    "kms:key": "arn:{partition}:kms:{region}:{account}:key/{name}",
    "ssm:parameter": "arn:{partition}:ssm:{region}:{account}:parameter/{name}",
}  # fmt: skip


class Ask(msgspec.Struct, frozen=True):
    """A call: parameters have the names that boto3 gives them."""

    service: str
    operation: str
    params: Mapping[str, Any]
    region: str
    account: str
    partition: str = "aws"


class Thing(msgspec.Struct, frozen=True):
    """What a call is about: its ARN, its tags and the condition keys that the service knows of it."""

    arn: str
    tags: dict[str, str] = {}
    facts: dict[str, Values] = {}
    exists: bool = True


class Need(msgspec.Struct, frozen=True):
    """One question to the policies.

    `thing_exists` is false where the call names something that is not there: then the service says
    so, to anybody who may do this to anything. `at_launch` marks what EC2 looks at only when a fleet
    starts its machines: a refusal is then an error of the fleet, not of the call.
    """

    action: str
    resource: str
    keys: tuple[tuple[str, tuple[str, ...]], ...] = ()
    thing_exists: bool = True
    at_launch: bool = False

    @property
    def context(self) -> Context:
        """The condition keys that the request brings for this question."""
        return Context(dict(self.keys))


class Lookup(Protocol):
    """What the table asks of the account."""

    def find(self, kind: str, name: str) -> Thing | None:
        """Give an existing thing by kind (`ec2:instance`) and id or name."""

    def template(self, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        """Give the data of the launch template that a request names by id or name and version."""

    def profile_role(self, profile: str) -> str:
        """Give the ARN of the role in an instance profile, named by name or ARN; empty if none."""


type Rule = Callable[[Ask, Lookup], Iterable[Need]]


def prefix_of(service: str) -> str:
    """Give the prefix of a service's actions."""
    return _PREFIXES.get(service, service)


def need(
    ask: Ask, action: str, resource: str = "*", keys: Mapping[str, Values] | None = None,
    thing: Thing | None = None,
) -> Need:  # fmt: skip
    """Build a question about a resource, or about a thing with what is known of it."""
    service = action.partition(":")[0]
    known: dict[str, Values] = {"aws:RequestedRegion": ask.region}
    if service == "ec2":
        known["ec2:Region"] = ask.region
    if thing is not None:
        resource = thing.arn
        known.update(resource_tags(thing.tags, service))
        known.update(thing.facts)
    known.update(keys or {})
    read = context(known)
    exists = thing.exists if thing is not None else True
    return Need(action, resource, tuple(read.keys.items()), exists)


def look(ask: Ask, lookup: Lookup, kind: str, name: str) -> Thing:
    """Give a thing that a call names, or what its ARN would be if it were there."""
    found = lookup.find(kind, name)
    return found if found is not None else Thing(arn_of(ask, kind, name), exists=False)


def new(ask: Ask, kind: str, name: str = "*") -> Thing:
    """Give a thing that a call is about to make."""
    return Thing(arn_of(ask, kind, name))


def arn_of(ask: Ask, kind: str, name: str) -> str:
    """Give the ARN of a thing by its kind and name."""
    if name.startswith("arn:"):
        return name
    return KINDS[kind].format(
        partition=ask.partition, region=ask.region, account=ask.account, name=name
    )


def values(params: Mapping[str, Any], *names: str) -> Iterator[str]:
    """Yield the strings under the first of some parameters that is given; lists are unfolded."""
    for name in names:
        given = params.get(name)
        if given:
            yield from [given] if isinstance(given, str) else given
            return


def on(kind: str, *parameters: str) -> Rule:
    """Make the rule of a call that needs its own action on each thing that it names."""
    service = kind.partition(":")[0]

    def rule(ask: Ask, lookup: Lookup) -> Iterator[Need]:
        for name in values(ask.params, *parameters):
            yield need(ask, f"{service}:{ask.operation}", thing=look(ask, lookup, kind, name))

    return rule


def read_tags(written: Any) -> dict[str, str]:
    """Read tags in any of the forms that AWS's services take them."""
    if isinstance(written, Mapping):
        return {str(key): str(value) for key, value in written.items()}
    tags = {}
    for one in written or ():
        key = one.get("Key", one.get("key", one.get("TagKey")))
        tags[str(key)] = str(one.get("Value", one.get("value", one.get("TagValue", ""))))
    return tags


def tag_keys(tags: Mapping[str, str]) -> Mapping[str, Values]:
    """Give the condition keys of the tags that a call wants to set; none if it sets none."""
    return request_tags(tags) if tags else {}
