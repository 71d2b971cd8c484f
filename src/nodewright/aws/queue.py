"""The queue of messages about machines: read with a long poll, each message kept until it is settled.

A message that was received is hidden from everybody for a while and comes again unless it is deleted, so
one that nobody dealt with is never lost before the queue's own time is over. The queue is looked up by
its name when it is first needed, and anew when it is gone.
"""

import logging
from collections.abc import Mapping
from itertools import batched
from typing import Any, Final

import msgspec

from nodewright.aws.calls import DELETE_MESSAGES, GET_QUEUE_URL, RECEIVE_MESSAGE
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.notices import Message, read_message
from nodewright.ports.cloud import Deaf, QueueFault

MESSAGES_MAX: Final = 10
WAIT_S: Final = 20
HIDDEN_S: Final = 20
LOOK_AGAIN_MS: Final = 5_000
_KEY: Final = "kms"
_log: Final = logging.getLogger("nodewright.aws")


class Received(msgspec.Struct, frozen=True):
    """A message, and the receipt by which it is deleted."""

    receipt: str
    message: Message


class Queue:
    """A queue of SQS, by its name."""

    def __init__(self, gateway: Gateway, name: str, wait_s: int = WAIT_S) -> None:
        self._gateway = gateway
        self._name = name
        self._wait_s = wait_s
        self._url = ""
        self._fault: QueueFault | None = None
        self._is_heard = False

    async def receive(self) -> tuple[Received, ...] | Deaf:
        """Wait for messages; they come again after a while unless they are deleted."""
        answer = await self._ask()
        if isinstance(answer, Fault):
            return self._deafen(answer)
        self._is_heard = True
        if self._fault is not None:
            self._fault = None
            _log.info("the interruption queue %s is heard again", self._name)
        return tuple(_read(one) for one in answer.get("Messages") or ())

    async def _ask(self) -> dict[str, Any] | Fault:
        if not self._url:
            found = await self._gateway.ask(GET_QUEUE_URL, {"QueueName": self._name})
            if isinstance(found, Fault):
                return found
            self._url = str(found["QueueUrl"])
        params = {
            "QueueUrl": self._url,
            "MaxNumberOfMessages": MESSAGES_MAX,
            # The first answer tells whether the queue can be heard: nobody should wait for that.
            "WaitTimeSeconds": self._wait_s if self._is_heard else 0,
            "VisibilityTimeout": HIDDEN_S,
            "AttributeNames": ["SentTimestamp"],
        }
        return await self._gateway.ask(RECEIVE_MESSAGE, params)

    def _deafen(self, fault: Fault) -> Deaf:
        """Say why nothing is heard, and write it into the log when it is news."""
        kind = classify(fault)
        self._is_heard = False
        if kind is QueueFault.MISSING:
            self._url = ""
        if kind is not self._fault:
            self._fault = kind
            _log.warning("the interruption queue %s is %s: %s", self._name, kind.value, fault)
        wait_ms = 0 if kind is QueueFault.UNREACHABLE else LOOK_AGAIN_MS
        return Deaf(kind, f"{self._name}: {fault}", wait_ms)

    async def delete(self, receipts: tuple[str, ...]) -> int:
        """Say that messages were dealt with; give how many are gone, the others come again."""
        count = 0
        for some in batched(receipts, MESSAGES_MAX):
            entries = [{"Id": str(number), "ReceiptHandle": one} for number, one in enumerate(some)]
            params = {"QueueUrl": self._url, "Entries": entries}
            answer = await self._gateway.ask(DELETE_MESSAGES, params)
            if isinstance(answer, Fault):
                _log.warning("%s messages will come again: %s", len(some), answer)
                continue
            count += len(answer.get("Successful") or ())
            for one in answer.get("Failed") or ():
                _log.warning("a message will come again: %s", one.get("Message", one.get("Code")))
        return count


def classify(fault: Fault) -> QueueFault:
    """Say what a fault means for a queue; a key that we may not use forbids it too."""
    if fault.is_gone:
        return QueueFault.MISSING
    if fault.is_unauthorized or fault.code.lower().startswith(_KEY):
        return QueueFault.FORBIDDEN
    return QueueFault.UNREACHABLE


def _read(message: Mapping[str, Any]) -> Received:
    body = str(message.get("Body", ""))
    found = read_message(body)
    if not found.is_readable:
        _log.warning("a message of the queue cannot be read, and is passed over: %.200r", body)
    if not found.sent_ms:
        sent = str((message.get("Attributes") or {}).get("SentTimestamp", "0"))
        found = msgspec.structs.replace(found, sent_ms=int(sent) if sent.isdecimal() else 0)
    return Received(str(message["ReceiptHandle"]), found)
