"""Threads for calls: answers, errors, a bound, and an end that waits for nobody."""

import asyncio
import subprocess
import sys
import threading
import time

import pytest

from nodewright.aws.workers import Workers


async def test_what_the_work_gives_comes_back():
    assert await Workers(1).run(lambda: 2 + 2) == 4


async def test_what_the_work_raises_is_raised_where_it_was_asked_for(monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    with pytest.raises(ZeroDivisionError):
        await Workers(1).run(lambda: 1 // 0)
    for one in threading.enumerate():
        if one.name == "aws":
            one.join()


async def test_no_more_run_at_once_than_there_is_room_for():
    lock, most, now = threading.Lock(), 0, 0

    def work():
        nonlocal most, now
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.01)
        with lock:
            now -= 1

    workers = Workers(3)
    await asyncio.gather(*(workers.run(work) for _ in range(12)))

    assert most == 3


def test_a_process_ends_while_a_call_is_on_its_way():
    program = (
        "import asyncio, time\n"
        "from nodewright.aws.workers import Workers\n"
        "async def main():\n"
        "    asyncio.create_task(Workers(1).run(lambda: time.sleep(60)))\n"
        "    await asyncio.sleep(0.05)\n"
        "asyncio.run(main())\n"
    )

    assert subprocess.run([sys.executable, "-c", program], timeout=30, check=False).returncode == 0
