"""What a reply means for the one who asked: the one place where statuses become outcomes.

`UNREACHABLE` and `BUSY` may be tried again; they differ in that after `BUSY` nothing has happened,
while after `UNREACHABLE` nobody knows.
"""

from http import HTTPStatus
from typing import Final

import msgspec

from nodewright.kube import wire
from nodewright.kube.client import Reply
from nodewright.ports.kube import Answer, Outcome

_BY_STATUS: Final = {
    HTTPStatus.BAD_REQUEST: Outcome.INVALID,
    HTTPStatus.UNAUTHORIZED: Outcome.FORBIDDEN,
    HTTPStatus.FORBIDDEN: Outcome.FORBIDDEN,
    HTTPStatus.NOT_FOUND: Outcome.NOT_FOUND,
    HTTPStatus.METHOD_NOT_ALLOWED: Outcome.INVALID,
    HTTPStatus.CONFLICT: Outcome.CONFLICT,
    HTTPStatus.GONE: Outcome.CONFLICT,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: Outcome.TOO_LARGE,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: Outcome.INVALID,
    HTTPStatus.UNPROCESSABLE_ENTITY: Outcome.INVALID,
    HTTPStatus.TOO_MANY_REQUESTS: Outcome.BUSY,
}
# The server has no status of its own for these, only words.
_ETCD_TOO_LARGE: Final = "request is too large"
_TOO_LARGE: Final = "Request entity too large"
_PATCH_FAILED: Final = "the server rejected our request due to an error in our request"
_UID_DIFFERS: Final = "metadata.uid"
_TWO_BUDGETS: Final = "more than one PodDisruptionBudget"


def judge(reply: Reply) -> Answer:
    """Tell what came of a request."""
    if reply.is_good:
        return _done(reply.body)
    status = wire.read_status(reply.body)
    asked_s = status.details.retry_after_seconds if status.details else None
    retry_after_ms = reply.retry_after_ms
    if retry_after_ms is None and asked_s:
        retry_after_ms = asked_s * 1000
    outcome = _outcome(reply.status, status)
    return Answer(outcome, status.message or f"status {reply.status}", "", "", retry_after_ms)


def _outcome(code: int, status: wire.Status) -> Outcome:
    message = status.message
    if code == HTTPStatus.CONFLICT and status.reason == "AlreadyExists":
        return Outcome.EXISTS
    if code == HTTPStatus.UNPROCESSABLE_ENTITY and (
        message == _PATCH_FAILED or _UID_DIFFERS in message
    ):
        # A step of a patch did not fit, or the name now belongs to another object.
        return Outcome.CONFLICT
    if code == HTTPStatus.TOO_MANY_REQUESTS and _is_budget(status):
        return Outcome.BLOCKED
    if code == HTTPStatus.INTERNAL_SERVER_ERROR and _TWO_BUDGETS in message:
        return Outcome.BLOCKED
    if _ETCD_TOO_LARGE in message or _TOO_LARGE in message:
        return Outcome.TOO_LARGE
    known = _BY_STATUS.get(HTTPStatus(code)) if code in _BY_STATUS else None
    if known is not None:
        return known
    return Outcome.UNREACHABLE if code >= HTTPStatus.INTERNAL_SERVER_ERROR else Outcome.INVALID


def _is_budget(status: wire.Status) -> bool:
    causes = status.details.causes if status.details else None
    return any(cause.get("reason") == "DisruptionBudget" for cause in causes or ())


def _done(body: bytes) -> Answer:
    try:
        meta = wire.read_header(body).metadata
    except msgspec.DecodeError:
        # A deletion may be answered with a Status, which has no version to wait for.
        return Answer(Outcome.DONE)
    return Answer(Outcome.DONE, version=meta.resource_version, uid=meta.uid)
