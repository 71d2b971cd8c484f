"""The installer's way to AWS: a call of its own table, and an answer or one clear sentence.

What is not there is an answer like any other (None). What a policy forbids is said with the action and the
statement that would allow it, so that whoever sees it can hand it to whoever may change it.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from nodewright.aws.faults import UNREACHABLE
from nodewright.aws.gateway import Fault, Gateway
from nodewright.install.calls import TABLE, Entry
from nodewright.install.found import Json
from nodewright.model.errors import UserError

DENIED: Final = "NW-9711"
REFUSED: Final = "NW-9712"
BAD_CREDENTIALS: Final = "NW-9713"
PAGES_MAX: Final = 200
_GONE: Final = frozenset(
    {
        "NoSuchEntity",
        "ResourceNotFoundException",
        "AWS.SimpleQueueService.NonExistentQueue",
        "QueueDoesNotExist",
        "InvalidLaunchTemplateId.NotFound",
        "InvalidLaunchTemplateName.NotFoundException",
    }
)
_DENIED: Final = frozenset(
    {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "AuthorizationError"}
)
_EXPIRED: Final = frozenset({"ExpiredToken", "ExpiredTokenException", "RequestExpired"})
_UNKNOWN: Final = frozenset(
    {
        "InvalidClientTokenId",
        "UnrecognizedClientException",
        "SignatureDoesNotMatch",
        "AuthFailure",
        "InvalidAccessKeyId",
    }
)
_ACTION: Final = re.compile(r"not authorized to perform:? ([a-z0-9-]+:[A-Za-z]+)")
_RESOURCE: Final = re.compile(r"on resource: (\S+)")


class Asking:
    """AWS as an installation asks it."""

    def __init__(self, gateway: Gateway, table: Mapping[str, Entry] = TABLE) -> None:
        self._gateway = gateway
        self._table = table

    async def ask(self, call: str, **params: Any) -> Json:
        """Ask for something that is there; anything else is an error for a person."""
        answer = await self.find(call, **params)
        if answer is None:
            raise UserError(f"AWS does not know what {call} was asked about", code=REFUSED)
        return answer

    async def find(self, call: str, **params: Any) -> Json | None:
        """Ask for something that may not be there."""
        answer = await self.attempt(call, params)
        if isinstance(answer, Fault):
            if answer.code in _GONE:
                return None
            raise self.failure(call, answer)
        return answer

    async def attempt(self, call: str, params: Json) -> Json | Fault:
        """Make a call and give what came of it."""
        return await self._gateway.ask(self._table[call].call, params)

    def failure(self, call: str, fault: Fault) -> UserError:
        """Say in one sentence why a call was not done."""
        return failure(self._table[call], fault)

    async def list(self, call: str, items: str, **params: Any) -> "list[Any]":
        """Ask for all items of a list, page by page, whichever word a service has for the next."""
        found: list[Any] = []
        more: Json = {}
        for _ in range(PAGES_MAX):
            answer = await self.ask(call, **params, **more)
            found.extend(answer.get(items) or ())
            more = _next(answer)
            if not more:
                return found
        raise UserError(f"{call} has more than {PAGES_MAX} pages", code=REFUSED)


def _next(answer: Json) -> Json:
    for given, asked in (("nextToken", "nextToken"), ("NextToken", "NextToken")):
        if answer.get(given):
            return {asked: answer[given]}
    return {"Marker": answer["Marker"]} if answer.get("IsTruncated") else {}


def failure(entry: Entry, fault: Fault) -> UserError:
    """Say in one sentence why AWS did not do a thing."""
    if fault.code in _EXPIRED:
        return UserError(
            "the credentials for AWS have expired",
            code=BAD_CREDENTIALS,
            advice="sign in again (`aws sso login`, or new keys), then repeat the command",
        )
    if fault.code in _UNKNOWN:
        return UserError(
            f"AWS does not accept these credentials ({fault.code})",
            code=BAD_CREDENTIALS,
            advice="look at --profile and at the AWS_ variables of the environment",
        )
    if fault.code in _DENIED:
        return denial(*_what(entry, fault.message))
    away = fault.code == UNREACHABLE
    return UserError(
        f"{entry.call.name} failed: {_short(fault)}",
        code=REFUSED,
        advice="is the --region right, and does a network lead there?" if away else "",
    )


def denial(action: str, resource: str = "*") -> UserError:
    """Say which action is not allowed, and the statement that would allow it."""
    statement = {"Effect": "Allow", "Action": action, "Resource": resource}
    return UserError(
        f"you may not do {action}",
        code=DENIED,
        advice="add this statement to your policy: "
        f"{msgspec.json.encode(statement).decode()}; `nodewright install --print policy` "
        "prints all that is needed",
    )


def _what(entry: Entry, message: str) -> tuple[str, str]:
    action, resource = _ACTION.search(message), _RESOURCE.search(message)
    known = entry.needs[0][1] if entry.needs else entry.call.name.replace(".", ":")
    return (
        action.group(1) if action else known,
        resource.group(1).rstrip(".") if resource else "*",
    )


def _short(fault: Fault) -> str:
    # EC2 appends a message of a thousand characters that only its own tools can read.
    return str(fault).partition("Encoded authorization failure message")[0].strip()
