"""User data of any family, within what EC2 takes."""

import base64
from collections.abc import Callable, Mapping
from typing import Final

from nodewright.aws.userdata.al2 import write_al2
from nodewright.aws.userdata.al2023 import write_al2023
from nodewright.aws.userdata.bottlerocket import write_bottlerocket
from nodewright.aws.userdata.draft import BadUserData, Draft
from nodewright.aws.userdata.windows import write_windows
from nodewright.catalog.settings import AL2, AL2023, BOTTLEROCKET, CUSTOM, WINDOWS_BUILDS

BYTES_MAX: Final = 16_384
BYTES_MANY: Final = BYTES_MAX * 9 // 10
_WRITERS: Final[Mapping[str, Callable[[Draft], str]]] = {
    AL2: write_al2,
    AL2023: write_al2023,
    BOTTLEROCKET: write_bottlerocket,
    CUSTOM: lambda draft: draft.written,
    **dict.fromkeys(WINDOWS_BUILDS, write_windows),
}


class TooLong(BadUserData):
    """There is more user data than EC2 takes."""


def write_user_data(family: str, draft: Draft) -> str:
    """Write the user data of a node; what EC2 would not take is refused."""
    writer = _WRITERS.get(family)
    assert writer is not None, f"the class's rules let no family {family!r} through"
    text = writer(draft)
    size = len(text.encode())
    if size > BYTES_MAX:
        raise TooLong(
            f"with ours it has {size} bytes, and EC2 takes {BYTES_MAX}",
            advice=f"shorten it by {size - BYTES_MAX} bytes, or fetch a part of it at boot",
        )
    return text


def encode(text: str) -> str:
    """Give user data as EC2 keeps it."""
    return base64.b64encode(text.encode()).decode()
