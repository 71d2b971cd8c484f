"""Client tokens: the same token with the same words gives the same answer, with other words an error."""

from typing import Any

import msgspec

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call


def remembered(account: Account, call: Call) -> dict[str, Any] | None:
    """Give the answer that a call with this token got before."""
    token = call.params.get("ClientToken")
    known = _answers(account).get((call.region, call.operation, str(token))) if token else None
    if known is None:
        return None
    words, answer = known
    if words != _words(call):
        raise AwsError(
            "IdempotentParameterMismatch",
            "The client token you have provided is associated with a resource that has already been "
            "deleted or with different launch parameters. Please use a different client token.",
        )
    return answer


def remember(account: Account, call: Call, answer: dict[str, Any]) -> dict[str, Any]:
    """Keep an answer for the next call with the same token, and give it."""
    token = call.params.get("ClientToken")
    if token:
        key = (call.region, call.operation, str(token))
        _answers(account)[key] = (_words(call), answer)
    return answer


def _answers(account: Account) -> dict[tuple[str, str, str], tuple[bytes, dict[str, Any]]]:
    return account.store("tokens", dict[tuple[str, str, str], tuple[bytes, dict[str, Any]]])


def _words(call: Call) -> bytes:
    asked = {name: value for name, value in call.params.items() if name != "ClientToken"}
    return msgspec.json.encode(asked, enc_hook=str, order="deterministic")
