"""Being told to end: by Ctrl-C, or by SIGTERM as a shell's background job and a container are."""

import asyncio
import signal


def hear_signals(told: asyncio.Event) -> None:
    """Set an event when this process is told to end: background jobs of a shell ignore SIGINT."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, told.set)
        except NotImplementedError:  # On Windows; there Ctrl-C cancels the task instead.
            return
