"""AWS's wire protocols, both ways, read off botocore's own service models.

moto brings a router, parsers and serializers for ec2, query, json, rest-json and rest-xml that follow
the models; this module puts them together and writes errors in the form of each protocol. An answer
is checked against the operation's output shape before it leaves, so that a wrong shape is our bug and
never a client's riddle.
"""

from typing import Any, Final
from xml.sax.saxutils import escape

import msgspec
from botocore.validate import ParamValidator
from moto.core.model import OperationModel
from moto.core.parse import PROTOCOL_PARSERS
from moto.core.request import Request, determine_request_protocol
from moto.core.routing import get_service_router
from moto.core.serialize import SerializationContext, get_serializer_class
from werkzeug.exceptions import NotFound

from nodewright.sandbox.aws.call import AwsError

_BY_SIGNING_NAME: Final = {
    "monitoring": "cloudwatch",
    "servicequotas": "service-quotas",
    "tagging": "resourcegroupstaggingapi",
}
_UNSIGNED: Final = {"AssumeRoleWithWebIdentity": "sts", "AssumeRoleWithSAML": "sts"}
_ELB_V2: Final = "2015-12-01"


class Answer(msgspec.Struct, frozen=True):
    """An HTTP answer."""

    status: int
    headers: dict[str, str]
    body: bytes


class Scope(msgspec.Struct, frozen=True):
    """What the signature says: whose key, for which region and service."""

    service: str
    region: str
    access_key: str = ""


class Asked(msgspec.Struct, frozen=True):
    """A request whose operation is known."""

    model: OperationModel
    protocol: str
    params: dict[str, Any]


def read_scope(request: Request, home: str) -> Scope:
    """Read whom a request is for; an unsigned one may only ask for credentials."""
    header = request.headers.get("Authorization", "")
    _, found, rest = header.partition("Credential=")
    if not found:
        service = _UNSIGNED.get(request.values.get("Action", ""), "")
        if not service and request.path.endswith("/assume-role-for-pod-identity"):
            service = "eks-auth"
        if not service:
            raise AwsError("MissingAuthenticationToken", "Missing Authentication Token", 403)
        return Scope(service, home)
    parts = rest.split(",", 1)[0].strip().split("/")
    if len(parts) != 5:
        raise AwsError("IncompleteSignature", "The credential has no scope of five parts", 400)
    access_key, _, region, signing_name, _ = parts
    service = _BY_SIGNING_NAME.get(signing_name, signing_name)
    if service == "elasticloadbalancing":
        service = "elbv2" if request.values.get("Version") == _ELB_V2 else "elb"
    return Scope(service, region, access_key)


def read_request(request: Request, service: str) -> Asked:
    """Find the operation of a request and read its parameters."""
    try:
        model, arguments = get_service_router(service).match(request)
    except NotFound as error:
        raise AwsError("UnknownOperationException", "there is no such operation", 404) from error
    protocol = determine_request_protocol(model.service_model, request.content_type)
    parsed = PROTOCOL_PARSERS[protocol](model).parse(
        {
            "method": request.method,
            "values": request.values,
            "headers": request.headers,
            "body": request.data,
            "url_path": request.path,
            "url_params": arguments,
        }
    )
    return Asked(model, protocol, parsed or {})


def write_answer(asked: Asked, result: dict[str, Any], request_id: str) -> Answer:
    """Write a value of the output shape as the protocol wants it."""
    shape = asked.model.output_shape
    if shape is not None:
        report = ParamValidator().validate(result, shape)
        assert not report.has_errors(), f"{asked.model.name}: {report.generate_report()}"
    kind = get_serializer_class(asked.model.service_model.service_name, asked.protocol)
    written = kind(asked.model, SerializationContext(request_id)).serialize(result)
    headers = {str(name): str(value) for name, value in written["headers"].items()}
    body = written["body"]
    return Answer(
        int(written["status_code"]), headers, body if isinstance(body, bytes) else body.encode()
    )


def write_error(protocol: str, error: AwsError, request_id: str) -> Answer:
    """Write a refusal as the protocol wants it."""
    if protocol in ("json", "rest-json"):
        kind = "application/json" if protocol == "rest-json" else "application/x-amz-json-1.1"
        side = "Receiver" if error.status >= 500 else "Sender"
        body = msgspec.json.encode({"__type": error.code, "message": error.message})
        headers = {
            "Content-Type": kind,
            "x-amzn-ErrorType": error.code,
            "x-amzn-query-error": f"{error.code};{side}",
            "x-amzn-RequestId": request_id,
        }
        return Answer(error.status, headers, body)
    code, message = escape(error.code), escape(error.message)
    if protocol == "ec2":
        text = (
            f"<Response><Errors><Error><Code>{code}</Code><Message>{message}</Message></Error>"
            f"</Errors><RequestID>{request_id}</RequestID></Response>"
        )
    else:
        text = (
            f"<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code>"
            f"<Message>{message}</Message></Error><RequestId>{request_id}</RequestId>"
            "</ErrorResponse>"
        )
    body = f'<?xml version="1.0" encoding="UTF-8"?>{text}'.encode()
    return Answer(error.status, {"Content-Type": "text/xml"}, body)


def protocol_of(request: Request) -> str:
    """Guess the protocol of a request whose operation could not be read."""
    content = request.content_type or ""
    if content.startswith("application/x-www-form-urlencoded"):
        return "ec2" if "ec2" in request.headers.get("Authorization", "") else "query"
    return "json"
