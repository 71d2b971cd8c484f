"""One call to AWS as the stand-in sees it, and the error that AWS would answer.

Whatever the wire protocol was, a call is a service, an operation and parameters under the names that
boto3 uses. Handlers get a call and give a value of the operation's output shape, or raise `AwsError`.
"""

from typing import Any

import msgspec


class AwsError(Exception):
    """A refusal with AWS's own code and words."""

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.status = status


class Principal(msgspec.Struct, frozen=True):
    """Who makes a call.

    `kind` is `root`, `user`, `role` or `insider`; `name` is the user's or the role's. The ARN is the
    one that GetCallerIdentity tells: for a role that of the session. `policies` are the documents that
    were given with the session and limit it.
    """

    kind: str
    arn: str
    account_id: str
    name: str = ""
    session: str = ""
    user_id: str = ""
    tags: dict[str, str] = {}
    policies: tuple[str, ...] = ()


class Call(msgspec.Struct, frozen=True):
    """One request."""

    service: str
    operation: str
    params: dict[str, Any]
    region: str
    principal: Principal
    at_ms: int
    request_id: str
    access_key: str = ""
    source_ip: str = "127.0.0.1"

    @property
    def name(self) -> str:
        """Service and operation, as in `ec2.CreateFleet`."""
        return f"{self.service}.{self.operation}"
