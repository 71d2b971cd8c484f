"""Copies of the journal in S3, while a controller runs and for a moment after.

They have a door to AWS of their own: they begin before a cluster is known, and the last of them is made
when the lease is given back already, so nobody who takes over waits for it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from nodewright.app.settings import Order
from nodewright.journal.copying import Copier
from nodewright.kube.machine import Machine

if TYPE_CHECKING:
    from nodewright.aws.calls import Call

type Note = Callable[[str, str, str, int], None]
"""Told of each try: service, operation, error's code (nothing where it succeeded), milliseconds."""


class CopyMeter:
    """Passes on what the copies ask of AWS, once there is somebody who counts it."""

    def __init__(self) -> None:
        self.note: Note | None = None

    def __call__(self, call: "Call", code: str, duration_ms: int) -> None:
        """Take note of a try."""
        if self.note is not None:
            self.note(call.service, call.operation, code, duration_ms)


@asynccontextmanager
async def open_copies(
    order: Order, folder: Path, machine: Machine, meter: CopyMeter
) -> AsyncIterator[Copier | None]:
    """Have whoever copies the journal, where that is wanted; who only looks writes nothing elsewhere."""
    place = order.aws.journal
    if place is None or order.written.cloud != "aws" or order.written.dry_run:
        yield None
        return
    # boto3 takes longer to import than everything else together.
    from nodewright.app.aws import connect
    from nodewright.aws.archive import S3Archive
    from nodewright.aws.gateway import Gateway

    clients = await asyncio.to_thread(connect, order)
    gateway = Gateway(clients, machine.clock, machine.rng, meter)
    try:
        copier = Copier(folder, S3Archive(gateway, place), machine.clock)
        yield copier
        await copier.farewell()
    finally:
        gateway.close()
