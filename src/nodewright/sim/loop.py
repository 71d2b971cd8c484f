"""An event loop in virtual time: it never waits, it jumps to the next event.

It is asyncio's own loop with another clock and no sockets, so production code runs on it unchanged.
Nothing runs beside it: what asks for a thread is run at once, in its place. Two runs that schedule
the same things in the same order see the same times in the same order. For a demonstration the loop
can be slowed down to a multiple of real time.
"""

import asyncio
import heapq
import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextvars import Context
from typing import Any, Final

_TICK_S: Final = 1e-6

type _Call = tuple[Callable[..., object], tuple[Any, ...], Context | None]


class Stalled(RuntimeError):  # noqa: N818 - it reads as what it is where it is caught
    """Every task waits for something that can never come."""


class _Jump:
    """What asyncio asks for sockets: there are none, so it moves the clock instead."""

    def __init__(self, loop: "VirtualLoop") -> None:
        self._loop = loop

    def select(self, timeout: float | None) -> list[object]:
        """Move to the next event when nothing is ready now."""
        if timeout is None:
            raise Stalled("nothing is left that could happen")
        if timeout > 0:
            self._loop.jump()
        return []

    def close(self) -> None:
        """Nothing is held."""


class _Timer(asyncio.TimerHandle):
    """What is due at an instant; of several that are due at once, the oldest comes first.

    A heap alone gives these in an order that depends on every other timer, so that a look at the
    world between two events would change its history.
    """

    __slots__ = ("due", "number")

    def __init__(self, due_s: float, number: int, call: _Call, loop: asyncio.BaseEventLoop) -> None:
        action, arguments, context = call
        super().__init__(due_s, action, arguments, loop, context)
        self.due = (due_s, number)

    def __lt__(self, other: object) -> bool:
        assert isinstance(other, _Timer)
        return self.due < other.due


class VirtualLoop(asyncio.BaseEventLoop):
    """An asyncio loop whose clock jumps; `speed` is virtual seconds per real one, 0 for no wait."""

    _scheduled: list[asyncio.TimerHandle]

    def __init__(self, start_ms: int, speed: float = 0.0) -> None:
        super().__init__()
        self._start_ms = start_ms
        self._now_s = 0.0
        self._speed = speed
        self._selector = _Jump(self)
        self._clock_resolution = _TICK_S
        self.failure: BaseException | None = None
        self._timer_count = 0

    def __del__(self) -> None:
        # It holds nothing of the machine, so to forget it is to close it.
        if not self.is_closed():
            self.close()

    def time(self) -> float:
        """Give the virtual seconds since the start."""
        return self._now_s

    def now_ms(self) -> int:
        """Give the virtual instant in milliseconds since the epoch."""
        return self._start_ms + round(self._now_s * 1000)

    def at_ms(
        self, instant_ms: int, action: Callable[..., object], *arguments: Any
    ) -> asyncio.TimerHandle:
        """Have something done at an instant; in the past means as soon as possible."""
        due_s = max((instant_ms - self._start_ms) / 1000, self._now_s)
        return self.call_at(due_s, action, *arguments)

    def call_at(  # type: ignore[override]
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Have something done at a virtual time."""
        self._timer_count += 1
        timer = _Timer(when, self._timer_count, (callback, args, context), self)
        heapq.heappush(self._scheduled, timer)
        timer._scheduled = True  # type: ignore[attr-defined]  # noqa: SLF001 - the loop reads it
        return timer

    def after_ms(
        self, delay_ms: int, action: Callable[..., object], *arguments: Any
    ) -> asyncio.TimerHandle:
        """Have something done after a while."""
        return self.at_ms(self.now_ms() + delay_ms, action, *arguments)

    async def sleep_ms(self, duration_ms: int) -> None:
        """Wait in virtual time."""
        await asyncio.sleep(duration_ms / 1000)

    def jump(self) -> None:
        """Move the clock to the next event, slowly where a speed was asked for."""
        next_s = self._scheduled[0].when()
        if self._speed > 0:
            time.sleep(max(0.0, next_s - self._now_s) / self._speed)
        self._now_s = max(self._now_s, next_s)

    def run_until_complete(self, future: Any) -> Any:
        """Run until something is done; an error in an event ends the run and is raised here."""
        try:
            return super().run_until_complete(future)
        except RuntimeError:
            if self.failure is not None:
                raise self.failure from None
            raise

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Stop at an error that nobody took: a world in which an event failed is not to be believed."""
        error = context.get("exception")
        if self.failure is None and isinstance(error, BaseException):
            self.failure = error
            self.stop()

    def run_in_executor(  # type: ignore[override]
        self, executor: Executor | None, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """Run a function at once: threads would bring back the chance that this loop removes."""
        del executor
        done = self.create_future()
        done.set_result(func(*args))
        return done

    def _process_events(self, event_list: list[object]) -> None:
        """Take no events: there are no sockets."""

    def _write_to_self(self) -> None:
        """Need no waking: nobody else runs."""
