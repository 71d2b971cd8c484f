"""The AWS side of a plan as a CloudFormation template, for people who keep infrastructure in stacks.

Each call that makes something becomes a resource; a call that adds to it (a policy to a role, a target to a
rule) becomes a property of it. What a stack cannot do to things that are there already, such as tags on
subnets, is listed in the template's metadata as commands.
"""

import re
from typing import Any, Final

import msgspec

from nodewright.install.found import Json
from nodewright.install.names import Names
from nodewright.install.printing import print_call
from nodewright.install.steps import Ask, Plan

_WORD: Final = re.compile(r"[^A-Za-z0-9]")


def print_formation(plan: Plan) -> str:
    """Write the template as JSON."""
    return msgspec.json.format(msgspec.json.encode(formation(plan)), indent=2).decode() + "\n"


def formation(plan: Plan) -> Json:
    """Give the template of what a plan makes in an account."""
    template = _Template(Names(plan.account_id, plan.region, plan.wish.cluster))
    for step in plan.changes:
        for deed in step.deeds:
            if isinstance(deed, Ask):
                template.add(deed)
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": f"Nodewright on the EKS cluster {plan.wish.cluster}",
        "Metadata": {"Nodewright": {"ByHand": template.by_hand}},
        "Resources": template.resources,
    }


class _Template:
    def __init__(self, names: Names) -> None:
        self.names = names
        self.resources: dict[str, Json] = {}
        self.by_hand: list[str] = []
        # What this template makes is referred to, so that a stack makes it in the right order.
        self._arns: dict[str, Json] = {}

    def add(self, deed: Ask) -> None:
        """Add what a call makes."""
        made = _MAKERS.get(deed.call)
        if made is None or not made(self, deed.params):
            self.by_hand.append(print_call(deed))

    def put(self, kind: str, name: str, properties: Json) -> Json:
        """Add a resource and give its properties."""
        self.resources[_identify(kind, name)] = {
            "Type": f"AWS::{kind}",
            "Properties": self._refer(properties),
        }
        return properties

    def part(self, kind: str, name: str) -> Json | None:
        """Give the properties of a resource that is made here."""
        found = self.resources.get(_identify(kind, name))
        return found["Properties"] if found else None

    def know(self, arn: str, reference: Json) -> None:
        """Let an ARN be written as a reference from now on."""
        self._arns[arn] = reference

    def refer(self, arn: str) -> str | Json:
        """Give an ARN as a reference where it is made here."""
        return self._arns.get(arn, arn)

    def _refer(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._refer(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self._refer(one) for one in value]
        return self._arns.get(value, value) if isinstance(value, str) else value


def _identify(kind: str, name: str) -> str:
    return _WORD.sub("", f"{kind.rpartition('::')[2]} {name}".title())


def _role(template: _Template, params: Json) -> bool:
    name = params["RoleName"]
    template.put(
        "IAM::Role",
        name,
        {
            "RoleName": name,
            "Description": params["Description"],
            "AssumeRolePolicyDocument": msgspec.json.decode(params["AssumeRolePolicyDocument"]),
            "ManagedPolicyArns": [],
            "Tags": params["Tags"],
        },
    )
    arn = {"Fn::GetAtt": [_identify("IAM::Role", name), "Arn"]}
    template.know(template.names.iam(f"role/{name}"), arn)
    return True


def _attach(template: _Template, params: Json) -> bool:
    role = template.part("IAM::Role", params["RoleName"])
    if role is None:
        return False
    role["ManagedPolicyArns"].append(template.refer(params["PolicyArn"]))
    return True


def _policy(template: _Template, params: Json) -> bool:
    name = params["PolicyName"]
    document = msgspec.json.decode(params["PolicyDocument"])
    template.put(
        "IAM::ManagedPolicy", name, {"ManagedPolicyName": name, "PolicyDocument": document}
    )
    reference = {"Ref": _identify("IAM::ManagedPolicy", name)}
    template.know(template.names.iam(f"policy/{name}"), reference)
    return True


def _profile(template: _Template, params: Json) -> bool:
    name = params["InstanceProfileName"]
    template.put("IAM::InstanceProfile", name, {"InstanceProfileName": name, "Roles": []})
    return True


def _add_role(template: _Template, params: Json) -> bool:
    profile = template.part("IAM::InstanceProfile", params["InstanceProfileName"])
    if profile is None:
        return False
    name = params["RoleName"]
    is_here = template.part("IAM::Role", name) is not None
    profile["Roles"].append({"Ref": _identify("IAM::Role", name)} if is_here else name)
    return True


def _spot(template: _Template, params: Json) -> bool:
    template.put("IAM::ServiceLinkedRole", "spot", {"AWSServiceName": params["AWSServiceName"]})
    return True


def _provider(template: _Template, params: Json) -> bool:
    properties = {
        "Url": params["Url"],
        "ClientIdList": params["ClientIDList"],
        "Tags": params["Tags"],
    }
    template.put("IAM::OIDCProvider", "cluster", properties)
    issuer = str(params["Url"]).removeprefix("https://")
    reference = {"Ref": _identify("IAM::OIDCProvider", "cluster")}
    template.know(template.names.iam(f"oidc-provider/{issuer}"), reference)
    return True


def _queue(template: _Template, params: Json) -> bool:
    name, attributes = params["QueueName"], params["Attributes"]
    template.put(
        "SQS::Queue",
        name,
        {
            "QueueName": name,
            "MessageRetentionPeriod": int(attributes["MessageRetentionPeriod"]),
            "SqsManagedSseEnabled": True,
            "Tags": _listed(params["tags"]),
        },
    )
    identifier = _identify("SQS::Queue", name)
    template.know(template.names.here("sqs", name), {"Fn::GetAtt": [identifier, "Arn"]})
    document = msgspec.json.decode(attributes["Policy"])
    template.put(
        "SQS::QueuePolicy", name, {"Queues": [{"Ref": identifier}], "PolicyDocument": document}
    )
    return True


def _rule(template: _Template, params: Json) -> bool:
    pattern = msgspec.json.decode(params["EventPattern"])
    properties = {"Name": params["Name"], "EventPattern": pattern, "Targets": []}
    template.put("Events::Rule", params["Name"], properties)
    return True


def _targets(template: _Template, params: Json) -> bool:
    rule = template.part("Events::Rule", params["Rule"])
    if rule is None:
        return False
    rule["Targets"] += [{**one, "Arn": template.refer(one["Arn"])} for one in params["Targets"]]
    return True


def _eks(kind: str, name: str) -> Any:
    def make(template: _Template, params: Json) -> bool:
        properties = {_title(key): value for key, value in params.items() if key != "tags"}
        if kind == "FargateProfile":
            properties["Selectors"] = [
                {_title(key): value for key, value in one.items()} for one in params["selectors"]
            ]
        properties["Tags"] = _listed(params["tags"])
        template.put(f"EKS::{kind}", str(params[name]).rpartition("/")[2], properties)
        return True

    return make


def _title(word: str) -> str:
    return f"{word[0].upper()}{word[1:]}"


def _listed(tags: dict[str, str]) -> list[Json]:
    return [{"Key": key, "Value": value} for key, value in sorted(tags.items())]


_MAKERS: Final[dict[str, Any]] = {
    "iam.CreateRole": _role,
    "iam.AttachRolePolicy": _attach,
    "iam.CreatePolicy": _policy,
    "iam.CreateInstanceProfile": _profile,
    "iam.AddRoleToInstanceProfile": _add_role,
    "iam.CreateServiceLinkedRole": _spot,
    "iam.CreateOpenIDConnectProvider": _provider,
    "sqs.CreateQueue": _queue,
    "events.PutRule": _rule,
    "events.PutTargets": _targets,
    "eks.CreateAccessEntry": _eks("AccessEntry", "principalArn"),
    "eks.CreateAddon": _eks("Addon", "addonName"),
    "eks.CreatePodIdentityAssociation": _eks("PodIdentityAssociation", "serviceAccount"),
    "eks.CreateFargateProfile": _eks("FargateProfile", "fargateProfileName"),
}
