"""The AWS side of a plan as Terraform's JSON, for people who keep infrastructure there.

Each call becomes one resource, tags of subnets and groups included. What is made here is referred to, so that
Terraform makes it in the right order. Calls for which Terraform has no resource stand in a comment.
"""

import re
from typing import Any, Final

import msgspec

from nodewright.install.found import Json
from nodewright.install.names import Names
from nodewright.install.printing import print_call
from nodewright.install.steps import Ask, Plan

_WORD: Final = re.compile(r"[^A-Za-z0-9_]+")
_SNAKE: Final = re.compile(r"(?<=[a-z0-9])([A-Z])")


def print_terraform(plan: Plan) -> str:
    """Write the configuration, to be saved as a file that ends in .tf.json."""
    return msgspec.json.format(msgspec.json.encode(terraform(plan)), indent=2).decode() + "\n"


def terraform(plan: Plan) -> Json:
    """Give the configuration of what a plan makes in an account."""
    made = _Configuration(Names(plan.account_id, plan.region, plan.wish.cluster))
    for step in plan.changes:
        for deed in step.deeds:
            if isinstance(deed, Ask):
                made.add(deed)
    found: Json = {
        "terraform": {"required_providers": {"aws": {"source": "hashicorp/aws"}}},
        "provider": {"aws": {"region": plan.region}},
        "resource": made.resources,
    }
    return {"//": made.by_hand, **found} if made.by_hand else found


class _Configuration:
    def __init__(self, names: Names) -> None:
        self.names = names
        self.resources: dict[str, dict[str, Json]] = {}
        self.by_hand: list[str] = []
        self._known: dict[str, str] = {}

    def add(self, deed: Ask) -> None:
        """Add what a call makes."""
        maker = _MAKERS.get(deed.call)
        if maker is None:
            self.by_hand.append(print_call(deed))
        else:
            maker(self, deed.params)

    def put(self, kind: str, name: str, arguments: Json, arn: str = "") -> None:
        """Add a resource; what has its ARN from now on refers to it."""
        label = _WORD.sub("_", name)
        self.resources.setdefault(kind, {})[label] = self._refer(arguments)
        if arn:
            self._known[arn] = f"${{{kind}.{label}.arn}}"

    def named(self, kind: str, name: str) -> str:
        """Give the name of something as a reference where it is made here."""
        label = _WORD.sub("_", name)
        is_here = label in self.resources.get(kind, {})
        return f"${{{kind}.{label}.name}}" if is_here else name

    def _refer(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._refer(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self._refer(one) for one in value]
        return self._known.get(value, value) if isinstance(value, str) else value


def _tags(tags: list[dict[str, str]]) -> dict[str, str]:
    return {one["Key"]: one["Value"] for one in tags}


def _role(made: _Configuration, params: Json) -> None:
    name = params["RoleName"]
    arguments = {
        "name": name,
        "description": params["Description"],
        "assume_role_policy": params["AssumeRolePolicyDocument"],
        "tags": _tags(params["Tags"]),
    }
    made.put("aws_iam_role", name, arguments, made.names.iam(f"role/{name}"))


def _policy(made: _Configuration, params: Json) -> None:
    name = params["PolicyName"]
    arguments = {
        "name": name,
        "policy": params["PolicyDocument"],
        "tags": _tags(params["Tags"]),
    }
    made.put("aws_iam_policy", name, arguments, made.names.iam(f"policy/{name}"))


def _attach(made: _Configuration, params: Json) -> None:
    role, arn = params["RoleName"], params["PolicyArn"]
    arguments = {"role": made.named("aws_iam_role", role), "policy_arn": arn}
    made.put("aws_iam_role_policy_attachment", f"{role}_{arn.rpartition('/')[2]}", arguments)


def _profile(made: _Configuration, params: Json) -> None:
    name = params["InstanceProfileName"]
    made.put("aws_iam_instance_profile", name, {"name": name, "tags": _tags(params["Tags"])})


def _add_role(made: _Configuration, params: Json) -> None:
    name = params["InstanceProfileName"]
    label = _WORD.sub("_", name)
    there = made.resources.get("aws_iam_instance_profile", {}).get(label, {"name": name})
    role = made.named("aws_iam_role", params["RoleName"])
    made.put("aws_iam_instance_profile", name, {**there, "role": role})


def _spot(made: _Configuration, params: Json) -> None:
    made.put("aws_iam_service_linked_role", "spot", {"aws_service_name": params["AWSServiceName"]})


def _provider(made: _Configuration, params: Json) -> None:
    arguments = {
        "url": params["Url"],
        "client_id_list": params["ClientIDList"],
        "tags": _tags(params["Tags"]),
    }
    issuer = str(params["Url"]).removeprefix("https://")
    arn = made.names.iam(f"oidc-provider/{issuer}")
    made.put("aws_iam_openid_connect_provider", "cluster", arguments, arn)


def _queue(made: _Configuration, params: Json) -> None:
    name, attributes = params["QueueName"], params["Attributes"]
    arguments = {
        "name": name,
        "message_retention_seconds": int(attributes["MessageRetentionPeriod"]),
        "sqs_managed_sse_enabled": True,
        "policy": attributes["Policy"],
        "tags": params["tags"],
    }
    made.put("aws_sqs_queue", name, arguments, made.names.here("sqs", name))


def _rule(made: _Configuration, params: Json) -> None:
    name = params["Name"]
    arguments = {"name": name, "event_pattern": params["EventPattern"]}
    if params.get("Tags"):
        arguments["tags"] = _tags(params["Tags"])
    made.put("aws_cloudwatch_event_rule", name, arguments)


def _targets(made: _Configuration, params: Json) -> None:
    rule = params["Rule"]
    for one in params["Targets"]:
        arguments = {
            "rule": made.named("aws_cloudwatch_event_rule", rule),
            "target_id": one["Id"],
            "arn": one["Arn"],
        }
        made.put("aws_cloudwatch_event_target", rule, arguments)


def _ec2_tags(made: _Configuration, params: Json) -> None:
    for one in params["Resources"]:
        for tag in params["Tags"]:
            arguments = {"resource_id": one, "key": tag["Key"], "value": tag["Value"]}
            made.put("aws_ec2_tag", f"{one}_{tag['Key']}", arguments)


def _eks(kind: str, name: str) -> Any:
    def make(made: _Configuration, params: Json) -> None:
        arguments = {_snake(key): value for key, value in params.items()}
        arguments.pop("subnets", None)
        if "subnets" in params:
            arguments["subnet_ids"] = params["subnets"]
            arguments["selector"] = arguments.pop("selectors")
        made.put(f"aws_eks_{kind}", str(params[name]).rpartition("/")[2], arguments)

    return make


def _snake(word: str) -> str:
    return _SNAKE.sub(r"_\1", word).lower()


_MAKERS: Final[dict[str, Any]] = {
    "iam.CreateRole": _role,
    "iam.CreatePolicy": _policy,
    "iam.AttachRolePolicy": _attach,
    "iam.CreateInstanceProfile": _profile,
    "iam.AddRoleToInstanceProfile": _add_role,
    "iam.CreateServiceLinkedRole": _spot,
    "iam.CreateOpenIDConnectProvider": _provider,
    "sqs.CreateQueue": _queue,
    "events.PutRule": _rule,
    "events.PutTargets": _targets,
    "ec2.CreateTags": _ec2_tags,
    "eks.CreateAccessEntry": _eks("access_entry", "principalArn"),
    "eks.CreateAddon": _eks("addon", "addonName"),
    "eks.CreatePodIdentityAssociation": _eks("pod_identity_association", "serviceAccount"),
    "eks.CreateFargateProfile": _eks("fargate_profile", "fargateProfileName"),
}
