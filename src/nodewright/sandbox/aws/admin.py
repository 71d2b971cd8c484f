"""The stand-in's own door, beside AWS's: faults, the call log, time, and what AWS does by itself.

All of it is JSON under `/_standin/`, so that a test in another process can do what a test in this one
does on the `Account` itself.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec
from moto.core.request import Request

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError
from nodewright.sandbox.aws.cloudformation import add_stack
from nodewright.sandbox.aws.dump import dump
from nodewright.sandbox.aws.ec2 import happenings
from nodewright.sandbox.aws.ec2.reservations import add
from nodewright.sandbox.aws.eks.clusters import extras
from nodewright.sandbox.aws.eks.podidentity import credentials_for
from nodewright.sandbox.aws.faults import Switch
from nodewright.sandbox.aws.moment import moment, text
from nodewright.sandbox.aws.quotas import set_quota
from nodewright.sandbox.aws.wire import Answer

PREFIX: Final = "/_standin/"
# Where AWS_CONTAINER_CREDENTIALS_FULL_URI leads, with the cluster's name behind it.
AGENT: Final = "/v1/credentials/"

type Door = Callable[[Account, dict[str, Any]], Any]


def is_for(path: str) -> bool:
    """Tell whether a request is for this door, or for the agent of pod identity."""
    return path.startswith((PREFIX, AGENT))


def answer(account: Account, request: Request) -> Answer:
    """Answer a request to the stand-in itself."""
    if request.path.startswith(AGENT):
        return _pod_credentials(account, request)
    door = _DOORS.get(request.path.removeprefix(PREFIX).strip("/"))
    if door is None:
        return _json(404, {"error": f"there is no {request.path}", "doors": sorted(_DOORS)})
    try:
        asked = msgspec.json.decode(request.data or b"{}", type=dict[str, Any])
        with account.lock:
            account.advance()
            return _json(200, door(account, asked))
    except (AwsError, msgspec.MsgspecError, KeyError, ValueError) as error:
        return _json(400, {"error": str(error)})


def _pod_credentials(account: Account, request: Request) -> Answer:
    """Answer as the pod identity agent on a node does: the token is all that a pod shows."""
    name = request.path.removeprefix(AGENT)
    token = request.headers.get("Authorization", "")
    try:
        with account.lock:
            _, session = credentials_for(account, account.region, name, token)
    except AwsError as error:
        return _json(error.status, {"error": error.message})
    return _json(
        200,
        {
            "AccessKeyId": session.access_key,
            "SecretAccessKey": session.secret,
            "Token": session.token,
            "Expiration": text(session.expires_ms),
            "AccountId": account.account_id,
        },
    )


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


def _happen(account: Account, asked: dict[str, Any]) -> Any:
    what, number = str(asked["what"]), str(asked["instanceId"])
    if what in _WITH_WORD:
        _WITH_WORD[what](account, number, str(asked["word"]))
    else:
        _ALONE[what](account, number)
    return {}


def _console(account: Account, asked: dict[str, Any]) -> Any:
    happenings.print_console(account, str(asked["instanceId"]), str(asked["text"]))
    return {}


def _cluster(account: Account, asked: dict[str, Any]) -> Any:
    region = str(asked.get("region") or account.region)
    more = extras(account, region, str(asked["name"]))
    more.endpoint = str(asked.get("endpoint") or more.endpoint)
    more.issuer = str(asked.get("issuer") or more.issuer)
    more.certificate = str(asked.get("certificateAuthority") or more.certificate)
    return {"endpoint": more.endpoint, "issuer": more.issuer}


def _depth(account: Account, asked: dict[str, Any]) -> Any:
    region = str(asked.get("region") or account.region)
    count = happenings.set_depth(account, region, str(asked["pattern"]), int(asked["depth"]))
    return {"offerings": count}


def _quota(account: Account, asked: dict[str, Any]) -> Any:
    region = str(asked.get("region") or account.region)
    set_quota(account, region, str(asked["code"]), int(asked["value"]))
    return {}


def _capacity_block(account: Account, asked: dict[str, Any]) -> Any:
    region = str(asked.get("region") or account.region)
    end_ms = account.clock.now_ms() + int(asked["lastsMs"])
    wanted = {
        "InstanceType": str(asked["instanceType"]),
        "AvailabilityZone": str(asked["zone"]),
        "TotalInstanceCount": int(asked["count"]),
        "InstanceMatchCriteria": "targeted",
        "ReservationType": "capacity-block",
        "EndDate": moment(end_ms),
    }
    return {"id": add(account, region, wanted)["CapacityReservationId"]}


def _stack(account: Account, asked: dict[str, Any]) -> Any:
    region = str(asked.get("region") or account.region)
    tags = msgspec.convert(asked.get("tags") or {}, dict[str, str])
    return {"arn": add_stack(account, region, str(asked["name"]), tags)}


def _dump(account: Account, asked: dict[str, Any]) -> Any:
    return dump(account, str(asked.get("region") or ""))


_ALONE: Final = {
    "interrupt": happenings.interrupt,
    "rebalance": happenings.rebalance,
    "recover": happenings.recover,
    "vanish": happenings.vanish,
}
_WITH_WORD: Final[dict[str, Callable[[Account, str, str], object]]] = {
    "impair": happenings.impair,
    "schedule": happenings.schedule,
}
_DOORS: Final[dict[str, Door]] = {
    "calls": _calls,
    "capacity-block": _capacity_block,
    "clear-faults": _clear_faults,
    "cluster": _cluster,
    "console": _console,
    "depth": _depth,
    "dump": _dump,
    "fault": _set_fault,
    "happen": _happen,
    "health": _health,
    "quota": _quota,
    "skip": _skip,
    "stack": _stack,
}
