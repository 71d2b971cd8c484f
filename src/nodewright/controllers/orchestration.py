"""Orchestration: commands that were begun are carried through, or undone."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from nodewright.controllers.loop import Controller, Pace, is_heartbeat
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.controllers.remembering import recall, save
from nodewright.core.chronicle import note_failed, note_replaced
from nodewright.core.orchestration import FAILURES, UNBEGUN, drive
from nodewright.model.beside import Beside
from nodewright.model.command import Record, read_record
from nodewright.model.decision import Change as Write
from nodewright.model.decision import Decision, Delete, Keep
from nodewright.model.disruption import Memory as Known
from nodewright.model.disruption import Running
from nodewright.model.labels import NODEPOOL
from nodewright.model.resource import NODE_CLAIMS, NODE_POLICIES, NODES
from nodewright.model.world import World
from nodewright.ports.kube import Answer
from nodewright.state.live import take_snapshot
from nodewright.state.mirror import BY_MARK, Change

_LOOK_MS: Final = 10_000
_IDLE_MS: Final = 60_000
_FAILED_MAX: Final = 100


class Orchestration(Controller):
    """Waits for replacements, deletes what they replace, and takes back what came to nothing."""

    name = "orchestration"
    wakes_on = (NODE_CLAIMS, NODES, NODE_POLICIES)
    pace = Pace(at_most_every_ms=200, at_least_every_ms=_LOOK_MS)

    def __init__(self, ports: Ports, memory: Memory, settings: Settings) -> None:
        super().__init__(ports, memory, settings)
        self._next_ms = _LOOK_MS
        self._failed: dict[str, None] = {}

    def hears(self, change: Change) -> bool:
        """Wake for all but heartbeats, while any node is marked."""
        return self._is_any_marked() and not is_heartbeat(change)

    async def gather(self) -> bool:
        """Tell whether any node is marked: most of the time none is."""
        is_any = self._is_any_marked()
        if not is_any:
            self._next_ms = _IDLE_MS
        return is_any

    def _is_any_marked(self) -> bool:
        mirror = self.ports.mirror
        return any(mirror.count_values(kind, BY_MARK) for kind in (NODE_CLAIMS, NODES))

    def look(self) -> World:
        """Give the World with claims that were made and are not to be seen yet."""
        now_ms = self.ports.clock.now_ms()
        world = take_snapshot(self.ports.mirror, now_ms, options=self.settings.options)
        names = [claim.metadata.name for claim in world.node_claims]
        unseen = self.memory.expectations.unseen(names, now_ms)
        return msgspec.structs.replace(world, node_claims=(*world.node_claims, *unseen))

    def beside(self, world: World) -> Beside:
        """Give the commands that this process is just beginning, and those that it could not begin."""
        del world
        begun = [Running(name, "", ()) for name in sorted(self.memory.being_begun)]
        failed = [Running(name, UNBEGUN, ()) for name in sorted(self.memory.abandoned)]
        return Beside(disruption=Known(running=(*begun, *failed)))

    def decide(self, world: World) -> Iterable[Decision]:
        """Give the next step of every command."""
        return drive(world)

    def note(self, decisions: Sequence[Decision]) -> None:
        """Look again soon while something is awaited."""
        waits = [one.look_again_ms for one in decisions if isinstance(one, Keep)]
        self._next_ms = min(waits, default=_LOOK_MS)

    async def act(self, decision: Decision) -> Answer:
        """Act, and remember what it says about the pool: a failure before its record goes."""
        claim = None
        if decision.subject.resource is NODE_CLAIMS:
            claim = self.ports.mirror.get(NODE_CLAIMS, decision.subject.name)
        record = read_record(claim) if claim is not None else None
        if claim is None or record is None:
            return await super().act(decision)
        memory, pool = self.memory, claim.metadata.labels.get(NODEPOOL, "")
        recall(self.ports, memory)
        if isinstance(decision, Write) and decision.reason in FAILURES and not decision.on_status:
            self._note_failed(pool, record)
            answer = await save(self.ports, memory, (pool,))
            if not answer.is_done:
                return answer
        answer = await super().act(decision)
        if answer.is_done and isinstance(decision, Delete) and record.replacements:
            memory.disruption = note_replaced(memory.disruption, pool)
            await save(self.ports, memory, (pool,))
        return answer

    def _note_failed(self, pool: str, record: Record) -> None:
        """Take note of a failure; a command of many nodes fails once."""
        if record.id not in self._failed:
            self._failed = dict.fromkeys((*list(self._failed)[-_FAILED_MAX:], record.id))
            now_ms = self.ports.clock.now_ms()
            self.memory.disruption = note_failed(self.memory.disruption, pool, record, now_ms)

    def next_look_ms(self) -> int:
        """Look when what is awaited may have come."""
        return self._next_ms
