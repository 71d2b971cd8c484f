"""The queue of messages about machines: read with a long poll, each message kept until it is settled."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from nodewright.aws.calls import DELETE_MESSAGE, GET_QUEUE_URL, RECEIVE_MESSAGE
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.notices import Message, read_message

MESSAGES_MAX: Final = 10
WAIT_S: Final = 20
HIDDEN_S: Final = 20


class Received(msgspec.Struct, frozen=True):
    """A message, and the receipt by which it is deleted."""

    receipt: str
    message: Message


class Queue:
    """A queue of SQS, by its name."""

    def __init__(self, gateway: Gateway, name: str) -> None:
        self._gateway = gateway
        self._name = name
        self._url = ""

    async def receive(self, wait_s: int = WAIT_S) -> tuple[Received, ...] | Fault:
        """Wait for messages; they come again after a while unless they are deleted."""
        if not self._url:
            found = await self._gateway.ask(GET_QUEUE_URL, {"QueueName": self._name})
            if isinstance(found, Fault):
                return found
            self._url = str(found["QueueUrl"])
        answer = await self._gateway.ask(
            RECEIVE_MESSAGE,
            {
                "QueueUrl": self._url,
                "MaxNumberOfMessages": MESSAGES_MAX,
                "WaitTimeSeconds": wait_s,
                "VisibilityTimeout": HIDDEN_S,
                "AttributeNames": ["SentTimestamp"],
            },
        )
        if isinstance(answer, Fault):
            if answer.is_gone:
                self._url = ""
            return answer
        return tuple(_read(one) for one in answer.get("Messages") or ())

    async def delete(self, receipt: str) -> Fault | None:
        """Say that a message was dealt with."""
        params = {"QueueUrl": self._url, "ReceiptHandle": receipt}
        answer = await self._gateway.ask(DELETE_MESSAGE, params)
        return answer if isinstance(answer, Fault) else None


def _read(message: Mapping[str, Any]) -> Received:
    found = read_message(str(message.get("Body", "")))
    if not found.sent_ms:
        sent = str((message.get("Attributes") or {}).get("SentTimestamp", "0"))
        found = msgspec.structs.replace(found, sent_ms=int(sent) if sent.isdecimal() else 0)
    return Received(str(message["ReceiptHandle"]), found)
