"""WebSocket frames (RFC 6455), as far as a client of the API server needs them.

Bytes go in and messages come out; nothing here waits. A client masks what it sends, a server does
not. Pieces of a message are put together, and what comes in between them (a ping, a close) is given
at once.
"""

import base64
import hashlib
from enum import IntEnum
from typing import Final, NamedTuple

VERSION: Final = "13"
MESSAGE_MAX_BYTES: Final = 256 << 20
_MAGIC: Final = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_FINAL: Final = 0x80
_MASKED: Final = 0x80
_SHORT_MAX: Final = 125
_TWO_BYTES: Final = 126
_EIGHT_BYTES: Final = 127
_CONTROL: Final = 0x8


class Opcode(IntEnum):
    """What a frame is."""

    MORE = 0x0
    TEXT = 0x1
    BINARY = 0x2
    CLOSE = 0x8
    PING = 0x9
    PONG = 0xA


class BadFrame(ValueError):  # noqa: N818 - it reads as what it is where it is caught.
    """The other side does not speak this protocol."""


class Message(NamedTuple):
    """A whole message."""

    opcode: Opcode
    payload: bytes


def accept_of(key: str) -> str:
    """Give what a server that understood answers to a key."""
    digest = hashlib.sha1(f"{key}{_MAGIC}".encode(), usedforsecurity=False).digest()
    return base64.b64encode(digest).decode()


def write_frame(opcode: Opcode, payload: bytes, mask: bytes) -> bytes:
    """Write a whole message as one frame of a client, under a mask of four bytes."""
    size = len(payload)
    if size <= _SHORT_MAX:
        head = bytes((_FINAL | opcode, _MASKED | size))
    elif size < 1 << 16:
        head = bytes((_FINAL | opcode, _MASKED | _TWO_BYTES)) + size.to_bytes(2)
    else:
        head = bytes((_FINAL | opcode, _MASKED | _EIGHT_BYTES)) + size.to_bytes(8)
    return head + mask + apply_mask(payload, mask)


def apply_mask(payload: bytes, mask: bytes) -> bytes:
    """Mask a payload, or take the mask off again."""
    size = len(payload)
    repeated = (mask * (size // 4 + 1))[:size]
    return (int.from_bytes(payload) ^ int.from_bytes(repeated)).to_bytes(size)


class Frames:
    """Puts messages together from the bytes of a server."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._opcode: Opcode | None = None
        self._parts = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """Give the messages that these bytes complete; what is no frame is a `BadFrame`."""
        self._held += data
        found: list[Message] = []
        while (frame := self._take()) is not None:
            is_final, opcode, payload = frame
            if opcode & _CONTROL:
                found.append(Message(opcode, payload))
                continue
            if (opcode is Opcode.MORE) == (self._opcode is None):
                raise BadFrame("a message begins before the last one has ended")
            self._opcode = opcode if self._opcode is None else self._opcode
            self._parts += payload
            if len(self._parts) > MESSAGE_MAX_BYTES:
                raise BadFrame(f"a message is longer than {MESSAGE_MAX_BYTES} bytes")
            if is_final:
                found.append(Message(self._opcode, bytes(self._parts)))
                self._opcode = None
                self._parts.clear()
        return found

    def _take(self) -> tuple[bool, Opcode, bytes] | None:
        """Cut off one frame where all of it is there."""
        held = self._held
        if len(held) < 2:
            return None
        first, second = held[0], held[1]
        try:
            opcode = Opcode(first & 0xF)
        except ValueError:
            raise BadFrame(f"there is no frame of kind {first & 0xF}") from None
        if first & 0x70 or second & _MASKED:
            raise BadFrame("a frame is marked as only others may mark it")
        start, size = 2, second
        if second in (_TWO_BYTES, _EIGHT_BYTES):
            start = 4 if second == _TWO_BYTES else 10
            if len(held) < start:
                return None
            size = int.from_bytes(held[2:start])
        if size > MESSAGE_MAX_BYTES:
            raise BadFrame(f"a message is longer than {MESSAGE_MAX_BYTES} bytes")
        if len(held) < start + size:
            return None
        payload = bytes(held[start : start + size])
        del held[: start + size]
        return bool(first & _FINAL), opcode, payload
