"""What AWS answers when it refuses: the sentence, the code and the encoded message.

The sentence names who, what, on what and why in AWS's own words, because tools and people search for
them. EC2 has its own code and appends an encoded message that `sts decode-authorization-message`
opens; here it is packed JSON without a secret.
"""

import base64
import binascii
import json
import zlib
from typing import Any

import msgspec

from nodewright.sandbox.iam.evaluate import Layer, Outcome, Verdict
from nodewright.sandbox.iam.principals import Kind

# Services whose JSON protocols say AccessDeniedException; the query protocols say AccessDenied.
_QUERY_SERVICES = frozenset(
    {"iam", "sts", "elb", "elbv2", "autoscaling", "cloudformation", "sqs", "s3"}
)
_DENY_PLACES = {
    Layer.IDENTITY: "an identity-based policy",
    Layer.RESOURCE: "a resource-based policy",
    Layer.BOUNDARY: "a permissions boundary",
    Layer.SESSION: "a session policy",
    Layer.ORGANIZATION: "a service control policy",
    Layer.TRUST: "the role trust policy",
}
_ENCODED_BYTES_MAX = 64 * 1024


class Refusal(msgspec.Struct, frozen=True):
    """An error as the service would answer it, and the verdict it comes from."""

    code: str
    message: str
    status: int
    verdict: Verdict


def refuse(service: str, verdict: Verdict) -> Refusal:
    """Give the error with which a service refuses a request."""
    sentence = explain(verdict)
    if service == "ec2":
        message = (
            f"You are not authorized to perform this operation. {sentence} "
            f"Encoded authorization failure message: {encode(verdict)}"
        )
        return Refusal("UnauthorizedOperation", message, 403, verdict)
    if service in _QUERY_SERVICES:
        return Refusal("AccessDenied", sentence, 403, verdict)
    return Refusal("AccessDeniedException", sentence, 400 if service != "eks" else 403, verdict)


def explain(verdict: Verdict) -> str:
    """Say who may not do what, and which sort of policy is why."""
    request = verdict.request
    action, resource = request.action, request.resource
    if request.caller.kind is Kind.FEDERATED:
        return f"Not authorized to perform {action}"
    start = (
        f"User: {request.caller.arn} is not authorized to perform: {action} on resource: {resource}"
    )
    if verdict.outcome is Outcome.EXPLICIT_DENY:
        deciding = verdict.by[0]
        named = f": {deciding.policy.name}" if deciding.policy.name.startswith("arn:") else ""
        return f"{start} with an explicit deny in {_DENY_PLACES[deciding.layer]}{named}."
    return f"{start} because no {verdict.lacking} allows the {action} action."


def encode(verdict: Verdict) -> str:
    """Pack what was decided into the message that EC2 appends."""
    text = json.dumps(_decoded(verdict), separators=(",", ":"), sort_keys=True)
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode()


def decode(message: str) -> str | None:
    """Unpack an encoded message; None if it is not one of ours."""
    try:
        packed = base64.urlsafe_b64decode(message)
        text = zlib.decompressobj().decompress(packed, _ENCODED_BYTES_MAX)
        return text.decode() or None
    except (binascii.Error, zlib.error, ValueError):
        return None


def _decoded(verdict: Verdict) -> dict[str, Any]:
    request = verdict.request
    return {
        "allowed": verdict.allowed,
        "explicitDeny": verdict.outcome is Outcome.EXPLICIT_DENY,
        "matchedStatements": {
            "items": [
                {
                    "statementId": one.statement.sid,
                    "effect": one.statement.effect.value.upper(),
                    "principals": {"items": [{"value": request.caller.arn}]},
                    "actions": {"items": [{"value": text} for text in one.statement.actions]},
                    "resources": {"items": [{"value": text} for text in one.statement.resources]},
                }
                for one in verdict.by
            ]
        },
        "failures": {"items": []},
        "context": {
            "principal": {
                "id": request.caller.user_id,
                "name": request.caller.name,
                "arn": request.caller.arn,
            },
            "action": request.action,
            "resource": request.resource,
            "conditions": {
                "items": [
                    {"key": key, "values": {"items": [{"value": value} for value in values]}}
                    for key, values in sorted(request.context.keys.items())
                ]
            },
        },
    }
