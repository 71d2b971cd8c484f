"""The stand-in's own door, beside AWS's: faults, the call log, time, and what AWS does by itself.

All of it is JSON under `/_standin/`, so that a test in another process can do what a test in this one
does on the `Account` itself.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec
from moto.core.request import Request

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.faults import Switch
from nodewright.sandbox.aws.wire import Answer

PREFIX: Final = "/_standin/"

type Door = Callable[[Account, dict[str, Any]], Any]


def is_for(path: str) -> bool:
    """Tell whether a request is for this door."""
    return path.startswith(PREFIX)


def answer(account: Account, request: Request) -> Answer:
    """Answer a request to the stand-in itself."""
    door = _DOORS.get(request.path.removeprefix(PREFIX).strip("/"))
    if door is None:
        return _json(404, {"error": f"there is no {request.path}", "doors": sorted(_DOORS)})
    try:
        asked = msgspec.json.decode(request.data or b"{}", type=dict[str, Any])
        with account.lock:
            account.advance()
            return _json(200, door(account, asked))
    except (msgspec.MsgspecError, KeyError, ValueError) as error:
        return _json(400, {"error": str(error)})


def _json(status: int, value: object) -> Answer:
    body = msgspec.json.encode(value, enc_hook=str, order="sorted")
    return Answer(status, {"Content-Type": "application/json"}, body)


def _health(account: Account, _: dict[str, Any]) -> Any:
    return {"ready": True, "account": account.account_id, "region": account.region}


def _calls(account: Account, asked: dict[str, Any]) -> Any:
    return account.calls.named(str(asked.get("name", "")))


def _set_fault(account: Account, asked: dict[str, Any]) -> Any:
    name = str(asked.pop("name"))
    account.faults.set(name, msgspec.convert(asked, Switch))
    return {}


def _clear_faults(account: Account, asked: dict[str, Any]) -> Any:
    account.faults.clear(str(asked.get("name", "")))
    return {}


def _skip(account: Account, asked: dict[str, Any]) -> Any:
    account.clock.skip(int(asked["ms"]))
    account.advance()
    return {"nowMs": account.clock.now_ms()}


_DOORS: Final[dict[str, Door]] = {
    "calls": _calls,
    "clear-faults": _clear_faults,
    "fault": _set_fault,
    "health": _health,
    "skip": _skip,
}
