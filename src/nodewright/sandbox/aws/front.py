"""The application in front: reads a call, logs it, lets faults and policies speak, has it answered.

Order, as with AWS: who calls, what the fault switches say, whether policies allow it, then the
handler of ours or moto. Calls run one at a time, because moto's objects are not made for threads; only
waiting for messages does not hold up the others.
"""

import socket
import time
import uuid
from collections.abc import Callable, Iterable
from typing import Any, Final

from moto.core.exceptions import ServiceException
from moto.core.request import Request

from nodewright.sandbox.aws import admin, handlers
from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.faults import Switch
from nodewright.sandbox.aws.inside import Missing
from nodewright.sandbox.aws.registry import HANDLERS
from nodewright.sandbox.aws.wire import (
    Answer,
    Asked,
    protocol_of,
    read_request,
    read_scope,
    write_answer,
    write_error,
)

assert handlers.MODULES

_PATIENT: Final = {"sqs.ReceiveMessage"}
_SLOW_MS: Final = 2_000
_DROPPED: Final = Answer(0, {}, b"")
_DENIALS: Final = {"ec2": "UnauthorizedOperation", "json": "AccessDeniedException"}

type Start = Callable[[str, list[tuple[str, str]]], object]


class Front:
    """The WSGI application of an account."""

    def __init__(self, account: Account) -> None:
        self._account = account

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        """Answer one request."""
        request = Request(environ)
        body = request.get_data(cache=True, parse_form_data=False)
        if admin.is_for(request.path):
            answer = admin.answer(self._account, request)
        else:
            answer = self._answer(request, environ, body)
        if answer is _DROPPED:
            # The connection ends without an answer, which clients see as a broken one.
            environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
            raise ConnectionAbortedError
        headers = [(k, v) for k, v in answer.headers.items() if k.lower() != "content-length"]
        start(f"{answer.status} -", [*headers, ("Content-Length", str(len(answer.body)))])
        return [answer.body]

    def _answer(self, request: Request, environ: dict[str, Any], body: bytes) -> Answer:
        request_id = str(uuid.uuid4())
        protocol = protocol_of(request)
        try:
            self._account.advance()
            scope = read_scope(request, self._account.region)
            asked = read_request(request, scope.service)
            protocol = asked.protocol
            principal = self._account.identify(scope.access_key)
        except AwsError as error:
            return write_error(protocol, error, request_id)
        call = Call(
            service=scope.service,
            operation=str(asked.model.name),
            params=asked.params,
            region=scope.region,
            principal=principal,
            at_ms=self._account.clock.now_ms(),
            request_id=request_id,
            access_key=scope.access_key,
        )
        if principal.kind == "insider":
            return self._serve(call, asked, environ, body)[0]
        switch = self._account.faults.strike(call.name)
        answer, code = self._disturbed(call, asked, switch, environ, body)
        self._account.calls.add(call, code, switch.kind if switch else "")
        return answer

    def _disturbed(
        self, call: Call, asked: Asked, switch: Switch | None, environ: dict[str, Any], body: bytes
    ) -> tuple[Answer, str]:
        if switch is None:
            return self._serve(call, asked, environ, body)
        if switch.kind == "drop":
            return _DROPPED, "Dropped"
        if switch.kind == "slow":
            time.sleep((switch.delay_ms or _SLOW_MS) / 1000)
            return self._serve(call, asked, environ, body)
        if switch.kind == "late":
            answer = self._serve(call, asked, environ, body)
            time.sleep((switch.delay_ms or _SLOW_MS) / 1000)
            return answer
        if switch.kind == "wrong":
            return write_answer(asked, switch.answer, call.request_id), ""
        if switch.kind == "lost":
            _, code = self._serve(call, asked, environ, body)
            return _DROPPED, code or "Lost"
        error = _fault(asked.protocol, call, switch)
        return write_error(asked.protocol, error, call.request_id), error.code

    def _serve(
        self, call: Call, asked: Asked, environ: dict[str, Any], body: bytes
    ) -> tuple[Answer, str]:
        account = self._account
        try:
            if account.authorize is not None and call.principal.kind in ("user", "role"):
                with account.lock:
                    account.authorize(account, call)
            if call.name in _PATIENT:
                return _from_moto(account.inside.forward(environ, body))
            with account.lock:
                handler = HANDLERS.get(call.name)
                if handler is None:
                    return _from_moto(account.inside.forward(environ, body))
                result = handler(account, call)
            return write_answer(asked, result, call.request_id), ""
        except AwsError as error:
            return write_error(asked.protocol, error, call.request_id), error.code
        except ServiceException as error:
            refusal = AwsError(error.code, error.message)
            return write_error(asked.protocol, refusal, call.request_id), refusal.code
        except Missing:
            missing = AwsError("NotImplemented", f"the stand-in does not know {call.name}", 501)
            return write_error(asked.protocol, missing, call.request_id), missing.code


def _from_moto(answer: Answer) -> tuple[Answer, str]:
    return answer, "" if answer.status < 400 else f"HTTP {answer.status}"


def _fault(protocol: str, call: Call, switch: Switch) -> AwsError:
    defaults = {
        "throttle": (
            "RequestLimitExceeded" if protocol == "ec2" else "ThrottlingException",
            "Request limit exceeded.",
            503 if protocol == "ec2" else 400,
        ),
        "deny": (
            _DENIALS.get(protocol, "AccessDenied"),
            f"You are not authorized to perform this operation: {call.name}",
            403,
        ),
        "error": ("InternalError", "An internal error has occurred", 500),
    }
    code, message, status = defaults[switch.kind]
    return AwsError(switch.code or code, switch.message or message, switch.status or status)
