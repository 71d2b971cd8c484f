"""How the API server says no: a status, a reason in Kubernetes' word, and a sentence."""

import msgspec


class Refused(Exception):  # noqa: N818 - it reads as what it is where it is caught
    """A request that the API server does not grant."""

    def __init__(
        self, status: int, reason: str, message: str, retry_after_ms: int | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason
        self.message = message
        self.retry_after_ms = retry_after_ms


class Preconditions(msgspec.Struct, frozen=True):
    """What must hold of an object for it to be deleted."""

    uid: str = ""
    version: str = ""


def not_found(subject: str) -> Refused:
    """Say that there is no such object."""
    return Refused(404, "NotFound", f"{subject} not found")


def exists(subject: str) -> Refused:
    """Say that the name is taken."""
    return Refused(409, "AlreadyExists", f"{subject} already exists")


def conflict(subject: str, why: str = "the object has been modified") -> Refused:
    """Say that the request rests on something that has changed."""
    return Refused(409, "Conflict", f"{subject}: {why}")


def invalid(subject: str, why: str) -> Refused:
    """Say that the object may not be so."""
    return Refused(422, "Invalid", f"{subject} is invalid: {why}")


def expired(since: int, oldest: int) -> Refused:
    """Say that the history before a version is gone."""
    return Refused(410, "Expired", f"too old resource version: {since} ({oldest})")


def too_many(message: str, retry_after_ms: int | None = None) -> Refused:
    """Say that a budget or a rate does not allow it now."""
    return Refused(429, "TooManyRequests", message, retry_after_ms)
