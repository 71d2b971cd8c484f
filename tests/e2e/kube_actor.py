"""A process that changes one claim for as long as it leads, and writes down what came of it."""

import asyncio
import sys
from pathlib import Path

import msgspec

from nodewright.kube.access import Access
from nodewright.kube.election import Terms
from nodewright.kube.machine import this_machine
from nodewright.kube.session import Plan, open_session
from nodewright.model.resource import NODE_CLAIMS, Ref
from nodewright.ports.kube import Options


async def act(access, terms, log):
    plan = Plan(instance=terms.identity, terms=terms, resources=(NODE_CLAIMS,))
    async with open_session(access, this_machine(), plan) as session:
        await session.wait_synced(60_000)
        number = 0
        with log.open("a") as lines:
            while True:
                number += 1
                claim = session.mirror.get(NODE_CLAIMS, terms.name)
                version = claim.metadata.resource_version if claim else "1"
                annotations = {"example.org/actor": terms.identity, "example.org/n": str(number)}
                answer = await session.kube.patch(
                    Ref(NODE_CLAIMS, terms.name),
                    {"metadata": {"annotations": annotations}},
                    Options(if_version=version),
                )
                lines.write(answer.outcome.value + "\n")
                lines.flush()
                await asyncio.sleep(0.05)


def main():
    access_file, identity, namespace, lease, times, log = sys.argv[1:]
    access = msgspec.msgpack.decode(Path(access_file).read_bytes(), type=Access)
    lease_ms, renew_ms, retry_ms = map(int, times.split(","))
    asyncio.run(
        act(access, Terms(identity, namespace, lease, lease_ms, renew_ms, retry_ms), Path(log))
    )


main()
