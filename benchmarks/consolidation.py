"""Consolidation measured: how fast one answer is, what the end costs, and the peer on the same clusters.

The peer is Karpenter's own disruption controller, asked for its next command again and again, each time on
the cluster that the last one leaves, without its waits; what it finds is carried out by the same code as
ours. `--peer N` runs it on clusters of up to N nodes: it takes minutes for 100. `--most N` leaves out
clusters that are larger.
"""

import argparse
import gc
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import msgspec
from fragmented import fragmented
from msgspec.structs import replace

from nodewright.core.disruption.aftermath import carry_out
from nodewright.core.disruption.candidates import Census
from nodewright.core.disruption.decide import decide
from nodewright.core.disruption.endgame import decide_to_end
from nodewright.core.disruption.loosening import loosen
from nodewright.core.disruption.protection import has_to_move
from nodewright.core.scheduling.bound import lower_bound
from nodewright.core.scheduling.solve import Effort, solve
from nodewright.model.disruption import Command, Leaving, Memory, Method, Settings
from nodewright.model.instance import NANO, NanoUSD
from nodewright.model.metadata import Condition, NodeSelectorRequirement
from nodewright.model.plan import ChosenOffering, PlannedNode
from nodewright.model.requirements import Requirements
from nodewright.model.world import World
from nodewright.state.snapshot import read_snapshot
from nodewright.state.writing import SnapshotMetadata, write_snapshot

PEER = Path(__file__).parent / "karpenter" / "bin" / "karpenter-peer"
STEPS_MAX = 400
CLUSTERS: tuple[tuple[int, dict[str, Any]], ...] = (
    (50, {}),
    (50, {"seed": 2}),
    (50, {"seed": 5, "guarded": 0.4}),
    (50, {"seed": 6, "spot": 0.5}),
    (50, {"seed": 13, "spot": 0.7}),
    (60, {"seed": 7, "kept": 0.3}),
    (60, {"seed": 11, "spot": 0.2}),
    (70, {"seed": 12, "guarded": 0.3, "kept": 0.5}),
    (75, {"seed": 8, "spot": 0.3, "guarded": 0.3}),
    (80, {"seed": 9, "kept": 0.7}),
    (100, {}),
    (100, {"guarded": 0.4}),
    (100, {"spot": 0.5}),
    (200, {"seed": 3}),
    (300, {}),
    (300, {"guarded": 0.4}),
    (500, {}),
    (1000, {}),
)


def read(nodes: int, traits: dict[str, Any]) -> World:
    """Make a cluster and read it as a World."""
    document = json.dumps(fragmented(nodes, **traits)).encode()
    return read_snapshot(document, "fragmented").world


def measure(world: World) -> tuple[float, float]:
    """Give the seconds of processor time for one answer, and of the clock."""
    gc.collect()
    gc.disable()
    clock, busy = time.perf_counter(), time.process_time()
    decide(world, world.now_ms, Settings(), Memory())
    found = time.process_time() - busy, time.perf_counter() - clock
    gc.enable()
    return found


def bound_of(world: World) -> float:
    """Give a price below which no set of nodes could hold the same pods."""
    loose = loosen(world, [[pod for pod in world.pods if has_to_move(pod)]]).world
    waiting = tuple(pod for pod in loose.pods if not pod.spec.node_name)
    bare = replace(loose, nodes=(), node_claims=(), pods=waiting)
    return lower_bound(bare, solve(bare, Effort.FAST)) / NANO


def ours(world: World) -> dict[str, float]:
    """Go to the end with our own methods."""
    gc.disable()
    busy = time.process_time()
    done = decide_to_end(world, Settings(), Memory())
    seconds = time.process_time() - busy
    gc.enable()
    return {
        "seconds": round(seconds, 2),
        "price": done.price_after / NANO,
        "moves": sum(len(one.moves) for one in done.commands),
        "commands": len(done.commands),
    }


def peers(world: World) -> dict[str, float]:
    """Go to the end with the peer's methods."""
    price = decide(world, world.now_ms, Settings(to_end=True), Memory()).price_before
    seconds, moves, commands = 0.0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cluster.json"
        for turn in range(STEPS_MAX):
            path.write_bytes(write_snapshot(_marked(world), SnapshotMetadata(name="fragmented")))
            said = _ask(path)
            seconds += said["seconds"]
            if not said["commands"]:
                break
            done = [_command(world, one) for one in said["commands"]]
            commands += len(done)
            moves += sum(len(one.moves) for one in done)
            price = NanoUSD(price - sum(one.savings for one in done))
            world = carry_out(world, done, f"peer-{turn}")
    return {
        "seconds": round(seconds, 2),
        "price": price / NANO,
        "moves": moves,
        "commands": commands,
    }


def _ask(path: Path) -> dict[str, Any]:
    line = [str(PEER), "-consolidate", str(path)]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def _marked(world: World) -> World:
    """Mark every claim as the peer's own controllers would once it is quiet."""
    mark = Condition(type="Consolidatable", status="True", reason="Consolidatable",
                     last_transition_time="2026-11-15T08:00:00Z")  # fmt: skip
    return replace(
        world,
        node_claims=tuple(
            replace(one, status=replace(one.status, conditions=(*one.status.conditions, mark)))
            for one in world.node_claims
        ),
    )


def _command(world: World, said: dict[str, Any]) -> Command:
    census = Census(world)
    going = set(said["nodes"])
    nodes = tuple(
        Leaving(one.node.metadata.name, one.claim.metadata.name, one.pool,
                price=census.price_of(one))
        for one in census.joined
        if one.node is not None and one.claim is not None and one.node.metadata.name in going
    )  # fmt: skip
    moves: dict[str, str | int] = {
        key: name for name, keys in said["existing"].items() for key in keys
    }
    made = []
    for index, one in enumerate(said["replacements"]):
        moves |= dict.fromkeys(one["pods"], index)
        made.append(_planned(one))
    savings = sum(one.price for one in nodes) - sum(one.offering.price for one in made)
    return Command("Underutilized", Method.MULTI, nodes, tuple(made), moves, NanoUSD(savings))


def _planned(one: dict[str, Any]) -> PlannedNode:
    offering = one["offering"]
    terms = msgspec.convert(one["requirements"], tuple[NodeSelectorRequirement, ...])
    return PlannedNode(
        node_pool=one["nodePool"],
        pods=tuple(one["pods"]),
        instance_types=tuple(one["instanceTypes"]),
        offering=ChosenOffering(
            offering["instanceType"],
            offering["zone"],
            offering["capacityType"],
            NanoUSD(round(offering["price"] * NANO)),
        ),
        requirements=Requirements.from_expressions(terms),
        requests={},
    )


def main() -> int:
    """Measure and print one line a cluster."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer", type=int, default=50 if PEER.exists() else 0, metavar="N")
    parser.add_argument("--most", type=int, default=1000, metavar="N")
    chosen = parser.parse_args()
    for size in (1000, 5000) if chosen.most >= 1000 else ():
        world = read(size, {})
        busy, clock = measure(world)
        print(f"one answer, {size} nodes, {len(world.pods)} pods: {busy:.2f} s cpu, {clock:.2f} s")
    for size, traits in CLUSTERS:
        if size > chosen.most:
            continue
        world = read(size, traits)
        mine, least = ours(world), bound_of(world)
        line = f"{size} nodes {traits or ''}: bound {least:.2f}, ours {mine['price']:.2f} "
        line += (
            f"(+{mine['price'] / least - 1:.1%}), {mine['moves']} moves of {len(world.pods)} pods, "
        )
        line += f"{mine['commands']} commands, {mine['seconds']} s cpu"
        if size <= chosen.peer:
            other = peers(world)
            line += f"; peer {other['price']:.2f} (+{other['price'] / least - 1:.1%}), "
            line += f"{other['moves']} moves, {other['commands']} commands, {other['seconds']} s"
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
