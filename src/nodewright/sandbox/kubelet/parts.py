"""User data cut into the parts that cloud-init would act on.

EC2 hands it over in base64, perhaps compressed. It is either a MIME multipart document or a single
thing that its first line names: a script, a cloud-config, or a document for the image's own agent.
"""

import base64
import binascii
import email
import gzip
import zlib
from collections.abc import Iterator
from email.message import Message
from typing import Final

import msgspec

from nodewright.sandbox.kubelet.boot import BootError

SHELL: Final = "text/x-shellscript"
CLOUD_CONFIG: Final = "text/cloud-config"
NODE_CONFIG: Final = "application/node.eks.aws"
PLAIN: Final = "text/plain"
_DECODED_BYTES_MAX: Final = 16_384
_UNPACKED_BYTES_MAX: Final = 1 << 20
_GZIP: Final = b"\x1f\x8b"


class Part(msgspec.Struct, frozen=True):
    """One part: of which kind, and its text."""

    kind: str
    text: str


def decode(user_data: str) -> str:
    """Give the text behind what EC2 stores."""
    try:
        raw = base64.b64decode(user_data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BootError(f"cloud-init: user data is not base64: {error}") from error
    assert len(raw) <= _DECODED_BYTES_MAX, "EC2 takes no more user data than this"
    if raw.startswith(_GZIP):
        try:
            raw = gzip.decompress(raw)[:_UNPACKED_BYTES_MAX]
        except (OSError, EOFError, zlib.error) as error:
            raise BootError(f"cloud-init: user data cannot be decompressed: {error}") from error
    return raw.decode(errors="replace")


def is_mime(text: str) -> bool:
    """Tell whether a text is a MIME document by its first header, as cloud-init does."""
    head = text.lstrip()[:20].lower()
    return head.startswith(("content-type:", "mime-version:"))


def read_parts(text: str) -> tuple[Part, ...]:
    """Give the parts of decoded user data in their order; nothing comes of empty data."""
    if not text.strip():
        return ()
    if not is_mime(text):
        return (Part(_kind_of(text), text),)
    message = email.message_from_string(text.lstrip())
    if message.get_content_maintype() == "multipart" and not message.is_multipart():
        said = ", ".join(type(defect).__name__ for defect in message.defects) or "no parts"
        raise BootError(
            "cloud-init: WARNING: Unhandled multipart userdata: "
            f"boundary {message.get_boundary()!r} finds no part ({said})"
        )
    return tuple(_walk(message))


def _walk(message: Message) -> Iterator[Part]:
    for part in message.walk():
        if part.is_multipart():
            continue
        payload = part.get_payload(decode=True)
        body = payload.decode(errors="replace") if isinstance(payload, bytes) else ""
        kind = part.get_content_type()
        yield Part(_kind_of(body) if kind == PLAIN else kind, body)


def _kind_of(text: str) -> str:
    head = text.lstrip()
    if head.startswith("#!"):
        return SHELL
    if head.startswith("#cloud-config"):
        return CLOUD_CONFIG
    return PLAIN
