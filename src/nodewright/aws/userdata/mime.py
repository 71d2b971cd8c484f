"""MIME multipart documents: the form in which cloud-init takes several things at once.

What a user wrote keeps its own headers and bytes; documents inside documents are laid flat, in their
order. Carriage returns are taken out, because no shell bears them.
"""

import email
from collections.abc import Iterable, Iterator
from email.message import Message
from typing import Final

import msgspec

from nodewright.aws.userdata.draft import BadUserData

BOUNDARY: Final = "//"
SHELL: Final = 'text/x-shellscript; charset="us-ascii"'
NODE_CONFIG: Final = "application/node.eks.aws"
_HEADS: Final = ("mime-version:", "content-type:")


class Entry(msgspec.Struct, frozen=True):
    """One part: its headers as they are written, and its text."""

    headers: tuple[tuple[str, str], ...]
    text: str


def entry(kind: str, text: str) -> Entry:
    """Make a part of a kind."""
    return Entry((("Content-Type", kind),), text)


def is_mime(text: str) -> bool:
    """Tell by its first header whether a text is such a document."""
    return text.lstrip().lower().startswith(_HEADS)


def read_mime(text: str) -> tuple[Entry, ...]:
    """Give the parts of a document; one without parts is the user's mistake."""
    message = email.message_from_string(text.replace("\r", "").lstrip())
    if message.get_content_maintype() == "multipart" and not message.is_multipart():
        raise BadUserData(
            f"the MIME document has no part that begins with its boundary "
            f"{message.get_boundary()!r}",
            advice="begin each part with a line of two dashes and the boundary",
        )
    return tuple(_walk(message))


def write_mime(entries: Iterable[Entry]) -> str:
    """Write a document with one boundary."""
    lines = ["MIME-Version: 1.0", f'Content-Type: multipart/mixed; boundary="{BOUNDARY}"', ""]
    for one in entries:
        text = one.text.replace("\r", "")
        if any(line.startswith(f"--{BOUNDARY}") for line in text.splitlines()):
            raise BadUserData(
                f"a line begins with --{BOUNDARY}, which parts the document that we write",
                advice="begin the line with something else",
            )
        lines += [f"--{BOUNDARY}", *(f"{name}: {value}" for name, value in one.headers), ""]
        lines.append(text.removesuffix("\n"))
    return "\n".join([*lines, f"--{BOUNDARY}--", ""])


def _walk(message: Message) -> Iterator[Entry]:
    for part in message.walk():
        if part.is_multipart():
            continue
        headers = tuple(
            (name, " ".join(str(value).split()))
            for name, value in part.items()
            if name.lower() != "mime-version"
        )
        yield Entry(headers, str(part.get_payload()))
