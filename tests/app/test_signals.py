"""Whoever is told to end hears of it, by either signal."""

import asyncio
import os
import signal

import pytest

from nodewright.app.signals import hear_signals


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_is_an_event(number):
    told = asyncio.Event()
    hear_signals(told)
    try:
        os.kill(os.getpid(), number)
        await asyncio.wait_for(told.wait(), 10)
    finally:
        for one in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().remove_signal_handler(one)
