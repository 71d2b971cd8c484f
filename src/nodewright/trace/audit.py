"""Traces from Kubernetes audit logs: who created pods, who bound them, and when they ended.

The audit policy must log pods at the level `Request` or `RequestResponse`, or their sizes are not in it.
A log begins in the middle of things: pods that it does not see created are not in the trace.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from nodewright.model.errors import UserError
from nodewright.model.instant import BadInstant, parse_instant
from nodewright.model.pod import Pod
from nodewright.trace.entry import CODE, Entry, Trace
from nodewright.trace.recording import ENDED, Recorder

_DONE: Final = "ResponseComplete"
_OK: Final = range(200, 300)


class _Ref(msgspec.Struct, frozen=True):
    resource: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    subresource: str = ""


class _Status(msgspec.Struct, frozen=True):
    code: int = 0


class _Event(msgspec.Struct, frozen=True, rename="camel"):
    """What is read of a line of the log."""

    verb: str = ""
    stage: str = ""
    object_ref: _Ref | None = None
    response_status: _Status | None = None
    request_received_timestamp: str = ""
    request_object: msgspec.Raw = msgspec.Raw(b"null")
    response_object: msgspec.Raw = msgspec.Raw(b"null")


_EVENT: Final = msgspec.json.Decoder(_Event)
_POD: Final = msgspec.json.Decoder(Pod)


def read_audit(lines: Iterable[bytes], where: str) -> Trace:
    """Read an audit log of one JSON object a line; sort what comes of it."""
    return Trace(where, _entries(lines, where))


def _entries(lines: Iterable[bytes], where: str) -> Iterator[Entry]:
    log: _Log | None = None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{where}:{number}"
        try:
            event = _EVENT.decode(line)
            at_ms = parse_instant(event.request_received_timestamp)
        except (msgspec.MsgspecError, BadInstant) as error:
            raise UserError(f"is no audit event: {error}", code=CODE, where=place) from None
        log = log or _Log(at_ms, where)
        if _is_about_pods(event):
            yield from log.take(event, at_ms)
    if log is None or not log.pod_count:
        raise UserError(
            "has no pod that was created with its size",
            code=CODE,
            where=where,
            advice="the audit policy must log pods at the level Request or RequestResponse",
        )
    yield from log.recorder.rest()


def _is_about_pods(event: _Event) -> bool:
    ref, status = event.object_ref, event.response_status
    is_done = event.stage == _DONE and status is not None and status.code in _OK
    return is_done and ref is not None and ref.resource == "pods"


class _Log:
    """The pods of a log; audit events name pods, not their uids."""

    def __init__(self, start_ms: int, where: str) -> None:
        self.recorder = Recorder(start_ms)
        self.pod_count = 0
        self._where = where

    def take(self, event: _Event, at_ms: int) -> Iterator[Entry]:
        """Give the entries of pods that end with this event."""
        ref = event.object_ref
        assert ref is not None, "it was looked at before"
        match (event.verb, ref.subresource):
            case ("create", ""):
                self._create(event, at_ms)
            case ("create", "binding"):
                self.recorder.ran(f"{ref.namespace}/{ref.name}", at_ms)
            case ("delete", ""):
                key = f"{ref.namespace}/{ref.name}"
                yield from self.recorder.ended(key, at_ms, by_itself=False)
            case ("patch" | "update", "status"):
                pod = self._pod(event.response_object) or self._pod(event.request_object)
                if pod is not None and pod.status.phase in ENDED:
                    key = f"{ref.namespace}/{ref.name}"
                    yield from self.recorder.ended(key, at_ms, by_itself=True)

    def _create(self, event: _Event, at_ms: int) -> None:
        pod = self._pod(event.response_object) or self._pod(event.request_object)
        ref = event.object_ref
        assert ref is not None, "it was looked at before"
        name = ref.name or (pod.metadata.name if pod is not None else "")
        if pod is None or not pod.spec.containers or not name:
            return
        self.pod_count += 1
        space = ref.namespace or pod.metadata.namespace
        meta = msgspec.structs.replace(pod.metadata, name=name, namespace=space)
        named = msgspec.structs.replace(meta, uid=f"{space}/{name}")
        self.recorder.came(msgspec.structs.replace(pod, metadata=named), at_ms)

    def _pod(self, raw: msgspec.Raw) -> Pod | None:
        """Give the pod of an event; a patch has only parts of one, and a small log has none."""
        data = bytes(raw)
        if data == b"null":
            return None
        try:
            return _POD.decode(data)
        except msgspec.ValidationError:
            return None
