"""What-if, by a process of its own: it takes seconds and memory that others must not be held up by.

The process is handed the snapshot and the question, has a limit of time, and answers with JSON or with one
sentence. It has no client of any cluster: it cannot change anything.
"""

import asyncio
import contextlib
import sys
from typing import Final

import msgspec

from nodewright.model.errors import UserError
from nodewright.web.answers.shared import Problem
from nodewright.web.answers.whatif import WhatIfRequest

LIMIT_S: Final = 300.0
FOUND_WRONG: Final = 3
"""The status with which the process says that the question is wrong."""

FAILED: Final = "NW-9608"


async def foretell(snapshot: bytes, request: WhatIfRequest) -> bytes:
    """Have another process work out what a change would do."""
    asked = msgspec.json.encode(request)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "nodewright.web.foretold",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(LIMIT_S):
            said, trouble = await process.communicate(asked + b"\n" + snapshot)
    except TimeoutError:
        raise UserError(
            f"it takes longer than {LIMIT_S:g} s to work out",
            code=FAILED,
            advice="ask for fewer hours, or use `nodewright diff` and `nodewright simulate`",
        ) from None
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode == FOUND_WRONG:
        wrong = msgspec.json.decode(said, type=Problem)
        raise UserError(wrong.message, code=wrong.code, advice=wrong.advice)
    if process.returncode != 0:
        last = trouble.decode(errors="replace").strip().splitlines()[-1:] or ["no reason given"]
        raise UserError(f"it could not be worked out: {last[0][:300]}", code=FAILED)
    return said
