"""moto, in this very process: asked through its WSGI application or by its objects.

A request that none of our handlers answers goes to moto's application as it came. A handler that only
wants to correct moto's answer asks the same operation here and gets the parsed value. moto keeps all
state in module-level objects, so one process holds one stand-in.
"""

import io
import json
import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlencode

from botocore.parsers import create_parser
from botocore.serialize import create_serializer
from moto.core.utils import get_service_model
from werkzeug.test import EnvironBuilder

from nodewright.sandbox.aws.call import AwsError
from nodewright.sandbox.aws.wire import Answer

# Its images have neither dates nor EKS among them, and take seconds to load: ours replace them.
os.environ.setdefault("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")

# moto reads its settings when it is imported, hence down here.
from moto.backends import get_backend
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.iam.aws_managed_policies import aws_managed_policies_data
from moto.iam.models import AWSManagedPolicy
from moto.moto_api._internal.models import moto_api_backend
from moto.moto_server.werkzeug_app import (
    SIGNING_ALIASES,
    DomainDispatcherApplication,
    create_backend_app,
)

from nodewright.sandbox.aws.sqs import hasten

ACCOUNT_ID: Final = DEFAULT_ACCOUNT_ID
_SIGNING_NAMES: Final = {
    "cloudwatch": "monitoring",
    "elb": "elasticloadbalancing",
    "elbv2": "elasticloadbalancing",
}
_GLOBAL: Final = {"iam", "sts"}
# moto needs many more packages for it than we install.
_LEFT_OUT: Final = {"cloudformation"}
_UNREADY: Final = "InternalFailure"


class Missing(Exception):  # noqa: N818 - it reads as what it is where it is caught
    """Moto has no such operation."""


class Inside:
    """moto's application and its state."""

    def __init__(self) -> None:
        self._app = DomainDispatcherApplication(create_backend_app)
        moto_api_backend.reset()
        hasten()
        policies = _managed_policies()
        for one in policies:
            one.attachment_count = 0
        iam = self.backend("iam", "")
        iam.aws_managed_policies = list(policies)
        iam.managed_policies = {one.arn: one for one in policies}

    def backend(self, service: str, region: str) -> Any:
        """Give moto's own objects of a service, to read and to correct."""
        place = "aws" if service in _GLOBAL else region
        return get_backend(service)[ACCOUNT_ID][place]  # type: ignore[call-overload]

    def forward(self, environ: dict[str, Any], body: bytes) -> Answer:
        """Hand a request to moto as it came; an operation that moto lacks raises `Missing`."""
        if not self._knows(str(environ.get("HTTP_AUTHORIZATION", ""))):
            raise Missing
        environ["wsgi.input"] = io.BytesIO(body)
        status = 500
        headers: list[tuple[str, str]] = []

        def start(line: str, found: list[tuple[str, str]], _: object = None) -> None:
            nonlocal status
            status = int(line.split(" ", 1)[0])
            headers.extend(found)

        try:
            parts: Iterable[bytes] = self._app(environ, start)
            content = b"".join(parts)
        except NotImplementedError as error:
            # So moto itself says that it lacks an operation of a service that it has.
            raise Missing from error
        return Answer(status, dict(headers), content)

    def _knows(self, authorization: str) -> bool:
        parts = authorization.partition("Credential=")[2].split("/")
        if len(parts) < 5:
            return True
        if parts[3] in _LEFT_OUT:
            return False
        host = f"http://{SIGNING_ALIASES.get(parts[3], parts[3])}.{parts[2]}.amazonaws.com"
        return any(pattern.match(host) for _, pattern in self._app.backend_url_patterns)

    def ask(
        self, region: str, service: str, operation: str, params: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Ask moto an operation and give its parsed answer; its refusal is raised."""
        model = get_service_model(service).operation_model(operation)
        protocol = str(model.service_model.protocol)
        wanted = create_serializer(protocol).serialize_to_request(dict(params), model)
        answer = self.forward(_environ(wanted, region, service), _body(wanted))
        parsed = create_parser(protocol).parse(
            {"body": answer.body, "headers": answer.headers, "status_code": answer.status},
            model.output_shape,
        )
        if answer.status >= 300:
            told = parsed.get("Error", {})
            raise AwsError(
                str(told.get("Code", _UNREADY)), str(told.get("Message", "")), answer.status
            )
        parsed.pop("ResponseMetadata", None)
        return dict(parsed)


@lru_cache(maxsize=1)
def _managed_policies() -> tuple[AWSManagedPolicy, ...]:
    """Read AWS's own policies, which moto brings; at each reset it would read them twice."""
    known = json.loads(aws_managed_policies_data)
    return tuple(
        AWSManagedPolicy.from_data(name, ACCOUNT_ID, "aws", one) for name, one in known.items()
    )


def _body(wanted: Mapping[str, Any]) -> bytes:
    body = wanted["body"]
    if isinstance(body, dict):
        return urlencode(body).encode()
    return body if isinstance(body, bytes) else str(body).encode()


def _environ(wanted: Mapping[str, Any], region: str, service: str) -> dict[str, Any]:
    signing = _SIGNING_NAMES.get(service, service)
    headers = {
        **wanted["headers"],
        "Authorization": "AWS4-HMAC-SHA256 Credential=INSIDE/20200101/"
        f"{region}/{signing}/aws4_request, SignedHeaders=host, Signature=0",
    }
    if isinstance(wanted["body"], dict):
        headers["Content-Type"] = "application/x-www-form-urlencoded; charset=utf-8"
    path, _, query = str(wanted["url_path"]).partition("?")
    extra = urlencode(wanted.get("query_string") or {}, doseq=True)
    builder = EnvironBuilder(
        path=re.sub(r"//+", "/", path),
        base_url=f"http://{signing}.{region}.amazonaws.com",
        method=wanted["method"],
        query_string="&".join(one for one in (query, extra) if one),
        headers=headers,
        data=_body(wanted),
    )
    return builder.get_environ()
