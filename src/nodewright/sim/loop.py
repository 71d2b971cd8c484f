"""An event loop in virtual time: it never waits, it jumps to the next event.

It is asyncio's own loop with another clock and no sockets, so production code runs on it unchanged.
Nothing runs beside it: what asks for a thread is run at once, in its place. Two runs that schedule
the same things in the same order see the same times in the same order. For a demonstration the loop
can be slowed down to a multiple of real time.
"""

import asyncio
import heapq
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from contextvars import Context, copy_context
from typing import Any, Final

_TICK_S: Final = 1e-6
_CANCELLED_MIN: Final = 100


class Stalled(RuntimeError):  # noqa: N818 - it reads as what it is where it is caught
    """Every task waits for something that can never come."""


class Event:
    """Something that is to happen at an instant; what it raises ends the run."""

    __slots__ = ("_action", "_arguments", "_cancelled")

    def __init__(self, action: Callable[..., object], arguments: tuple[Any, ...]) -> None:
        self._action = action
        self._arguments = arguments
        self._cancelled = False

    def cancel(self) -> None:
        """Have it not happen."""
        self._cancelled = True

    def cancelled(self) -> bool:
        """Tell whether it does not happen any more."""
        return self._cancelled

    def _run(self) -> None:
        self._action(*self._arguments)


class _Soon:
    """Something that is to happen now, as asyncio asks for it; what it raises ends the run."""

    __slots__ = ("_action", "_arguments", "_cancelled", "_context")

    def __init__(
        self, action: Callable[..., object], arguments: tuple[Any, ...], context: Context
    ) -> None:
        self._action = action
        self._arguments = arguments
        self._context = context
        self._cancelled = False

    def cancel(self) -> None:
        """Have it not happen."""
        self._cancelled = True

    def cancelled(self) -> bool:
        """Tell whether it does not happen any more."""
        return self._cancelled

    def _run(self) -> None:
        self._context.run(self._action, *self._arguments)


def _wake(sleeper: "asyncio.Future[None]") -> None:
    if not sleeper.done():
        sleeper.set_result(None)


type _Due = tuple[float, int, Event | asyncio.TimerHandle]


class VirtualLoop(asyncio.BaseEventLoop):
    """An asyncio loop whose clock jumps; `speed` is virtual seconds per real one, 0 for no wait.

    Of several events that are due at once, the oldest comes first: each has a number. A heap without
    them gives these in an order that depends on every other one, so that a look at the world between
    two events would change its history.
    """

    _ready: deque[Any]

    def __init__(self, start_ms: int, speed: float = 0.0) -> None:
        super().__init__()
        self._start_ms = start_ms
        self._now_s = 0.0
        self._now_ms = start_ms
        self._speed = speed
        self.failure: BaseException | None = None
        self._due: list[_Due] = []
        self._timer_count = 0
        self._cancelled_count = 0

    def __del__(self) -> None:
        # It holds nothing of the machine, so to forget it is to close it.
        if not self.is_closed():
            self.close()

    def time(self) -> float:
        """Give the virtual seconds since the start."""
        return self._now_s

    def now_ms(self) -> int:
        """Give the virtual instant in milliseconds since the epoch."""
        return self._now_ms

    def at_ms(self, instant_ms: int, action: Callable[..., object], *arguments: Any) -> Event:
        """Have something done at an instant; in the past means as soon as possible."""
        due_s = (instant_ms - self._start_ms) / 1000
        due_s = max(due_s, self._now_s)
        event = Event(action, arguments)
        self._timer_count += 1
        heapq.heappush(self._due, (due_s, self._timer_count, event))
        return event

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> _Soon:
        """Have something done now, after everything else that is."""
        soon = _Soon(callback, args, copy_context() if context is None else context)
        self._ready.append(soon)
        return soon

    def call_at(  # type: ignore[override]
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Have something done at a virtual time."""
        timer = asyncio.TimerHandle(when, callback, args, self, context)
        self._timer_count += 1
        heapq.heappush(self._due, (when, self._timer_count, timer))
        timer._scheduled = True  # type: ignore[attr-defined]  # noqa: SLF001 - it tells us then
        return timer

    def after_ms(self, delay_ms: int, action: Callable[..., object], *arguments: Any) -> Event:
        """Have something done after a while."""
        return self.at_ms(self._now_ms + delay_ms, action, *arguments)

    async def sleep_ms(self, duration_ms: int) -> None:
        """Wait in virtual time."""
        if duration_ms <= 0:
            await asyncio.sleep(0)
            return
        # What asyncio's own sleep does, without a timer that could be asked about.
        woken = self.create_future()
        self._timer_count += 1
        due_s = self._now_s + duration_ms / 1000
        heapq.heappush(self._due, (due_s, self._timer_count, Event(_wake, (woken,))))
        await woken

    def _run_once(self) -> None:
        """Take everything that is ready now; where nothing is, move to the next event first."""
        due, ready = self._due, self._ready
        if self._cancelled_count > max(_CANCELLED_MIN, len(due) // 2):
            self._cancelled_count = 0
            due[:] = [one for one in due if not one[2].cancelled()]
            heapq.heapify(due)
        while due and due[0][2]._cancelled:  # noqa: SLF001 - asked of each event
            heapq.heappop(due)
        if not ready and not self._stopping:  # type: ignore[attr-defined]
            self._jump()
        end_s = self._now_s + _TICK_S
        while due and due[0][0] < end_s:
            ready.append(heapq.heappop(due)[2])
        for _ in range(len(ready)):
            one = ready.popleft()
            if not one._cancelled:  # noqa: SLF001 - as asyncio's own loop does it
                one._run()  # noqa: SLF001

    def _jump(self) -> None:
        """Move the clock to the next event, slowly where a speed was asked for."""
        if not self._due:
            raise Stalled("nothing is left that could happen")
        next_s = self._due[0][0]
        if self._speed > 0:
            time.sleep(max(0.0, next_s - self._now_s) / self._speed)
        if next_s > self._now_s:
            self._now_s = next_s
            self._now_ms = self._start_ms + round(next_s * 1000)

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        del handle
        self._cancelled_count += 1

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

    def _write_to_self(self) -> None:
        """Need no waking: nobody else runs."""
