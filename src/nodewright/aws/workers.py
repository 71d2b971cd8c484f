"""Threads that make the calls of boto3, and that do not keep the process from ending.

A long poll takes twenty seconds, and Python waits at its end for the threads of its own pools. Nobody
waits for these: what they would have been told no longer matters to a process that stops.
"""

import asyncio
import sys
import threading
from collections.abc import Callable
from typing import Any, Final

_NAME: Final = "aws"


class Workers:
    """A bounded number of threads at a time; who comes when all are busy waits."""

    def __init__(self, count_max: int) -> None:
        self._room = asyncio.Semaphore(count_max)

    async def run[T](self, work: Callable[[], T]) -> T:
        """Do some work on a thread, and wait for what comes of it."""
        async with self._room:
            loop = asyncio.get_running_loop()
            future: asyncio.Future[T] = loop.create_future()
            threading.Thread(
                target=_serve, args=(work, loop, future), name=_NAME, daemon=True
            ).start()
            return await future


def _serve(
    work: Callable[[], Any], loop: asyncio.AbstractEventLoop, future: "asyncio.Future[Any]"
) -> None:
    answer: Any = None
    try:
        answer = work()
    finally:
        trouble = sys.exception()
        # A loop that is closed belongs to a process that stops.
        if not loop.is_closed():
            loop.call_soon_threadsafe(_settle, future, answer, trouble)


def _settle(future: "asyncio.Future[Any]", answer: Any, trouble: BaseException | None) -> None:
    if future.done():
        return
    if trouble is not None:
        future.set_exception(trouble)
    else:
        future.set_result(answer)
