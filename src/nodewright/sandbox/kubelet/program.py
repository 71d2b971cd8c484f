"""The kubelets as a program of their own, beside a stand-in and a control plane.

It looks around twice a second, less often where a look takes long, so that it is never most of what the
others have to answer. Where the cloud or the cluster does not answer it says so once and looks again:
both are restarted under it.
"""

import argparse
import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import httpx2
from botocore.exceptions import BotoCoreError, ClientError

from nodewright.kube.client import Client, Unreachable
from nodewright.kube.kubeconfig import read_kubeconfig
from nodewright.kube.machine import Machine, MachineClock, MachineRandom
from nodewright.sandbox.kubelet.api import Api
from nodewright.sandbox.kubelet.cloud import INSIDER_KEY, Cloud, Keys
from nodewright.sandbox.kubelet.play import Play

_LOOK_S: Final = 0.5
_REST_S_MAX: Final = 5.0
_ASK_S: Final = 10.0


async def play(url: str, region: str, kubeconfig: Path) -> None:
    """Play the kubelets until cancelled."""
    machine = Machine(MachineClock(), MachineRandom())
    client = Client(read_kubeconfig((kubeconfig,)), machine)
    with httpx2.Client(base_url=url, timeout=_ASK_S) as doors:

        def say(instance_id: str, text: str) -> None:
            told = {"instanceId": instance_id, "text": text}
            doors.post("/_standin/console", json=told).raise_for_status()

        cloud = Cloud(Keys(url, region, INSIDER_KEY))
        run = Play(cloud, Api(client), say)
        problem = ""
        try:
            while True:
                begun_ms = machine.clock.ticks_ms()
                problem = await _look(run, machine, problem)
                took_s = (machine.clock.ticks_ms() - begun_ms) / 1000
                await asyncio.sleep(min(max(_LOOK_S, took_s), _REST_S_MAX))
        finally:
            await client.close()


async def _look(run: Play, machine: Machine, before: str) -> str:
    try:
        await run.step(machine.clock.ticks_ms(), _now())
    except (BotoCoreError, ClientError, Unreachable, httpx2.HTTPError) as error:
        problem = f"{type(error).__name__}: {error}"
        if problem != before:
            sys.stderr.write(f"{_now()} {problem}\n")
            sys.stderr.flush()
        return problem
    return ""


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def main() -> None:
    """Run the kubelets as a program."""
    parser = argparse.ArgumentParser(prog="nodewright-kubelet", description=__doc__)
    parser.add_argument("--url", required=True, help="where the AWS stand-in answers")
    parser.add_argument("--region", required=True)
    parser.add_argument("--kubeconfig", type=Path, required=True)
    asked = parser.parse_args()
    asyncio.run(play(asked.url, asked.region, asked.kubeconfig))


if __name__ == "__main__":
    main()
