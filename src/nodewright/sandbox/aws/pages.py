"""Pages of a long answer: a token is the number of the first thing that was not given yet."""

import base64
import binascii
from collections.abc import Sequence
from typing import Any

from nodewright.sandbox.aws.call import AwsError


def page[T](
    things: Sequence[T], token: str | None, size: int, error: str = "InvalidNextToken"
) -> tuple[list[T], str | None]:
    """Give one page and the token of the next, or none after the last."""
    start = 0
    if token:
        try:
            start = int(base64.b64decode(token, validate=True))
        except (binascii.Error, ValueError) as problem:
            raise AwsError(error, "The token is not valid.") from problem
    end = start + size
    more = base64.b64encode(str(end).encode()).decode() if end < len(things) else None
    return list(things[start:end]), more


def with_token(answer: dict[str, Any], name: str, token: str | None) -> dict[str, Any]:
    """Put the token of the next page into an answer, if there is one."""
    return {**answer, name: token} if token else answer
