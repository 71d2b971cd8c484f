"""Recording: a workload from somewhere, written down as a trace in the order of time.

From a live cluster by watching its pods for a while; from audit logs; from Prometheus, as answers in files
or by asking it window after window; from tables and traces that are out of order. What is read is sorted
in pieces, so that only what is alive is kept in memory.
"""

import asyncio
import itertools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Final

import httpx2
import msgspec

from nodewright.app.signals import hear_signals
from nodewright.app.workloads import Source, is_random, is_table, open_lines, open_workload
from nodewright.kube.access import Access, find_access
from nodewright.kube.machine import Machine, this_machine
from nodewright.kube.session import Plan, open_session
from nodewright.model.errors import UserError
from nodewright.model.instant import read_instant
from nodewright.model.pod import DaemonSet, Pod
from nodewright.model.resource import DAEMON_SETS, PODS, key_of
from nodewright.state.mirror import Change
from nodewright.trace.audit import read_audit
from nodewright.trace.entry import CODE, Entry, Scaling, Trace
from nodewright.trace.lines import write_entry, write_head
from nodewright.trace.prometheus import QUERY, read_answers
from nodewright.trace.recording import ENDED, Recorder, size_of
from nodewright.trace.sorting import read_back, sort_trace

_SYNC_MS: Final = 60_000
_INSTANCE: Final = "nodewright-record"
_WINDOW_S: Final = 6 * 3_600
_ASK_S: Final = 60.0


class Written(msgspec.Struct, frozen=True, rename="camel"):
    """What came of a recording."""

    file: str
    entries: int
    seconds: float
    notes: tuple[str, ...] = ()


class Watch(msgspec.Struct, frozen=True):
    """Which cluster to watch, and for how long."""

    kubeconfig: str = ""
    context: str = ""
    for_ms: int = 3_600_000


class Asking(msgspec.Struct, frozen=True):
    """What to ask Prometheus for: instants in seconds, and the step between samples."""

    url: str
    from_s: float
    until_s: float
    step_s: float = 60.0
    query: str = QUERY


def record_audit(names: tuple[str, ...]) -> Trace:
    """Read audit logs, oldest first."""
    lines = itertools.chain.from_iterable(map(open_lines, names))
    return sort_trace(read_audit(lines, ", ".join(names)))


def record_answers(names: tuple[str, ...], step_s: float | None) -> Trace:
    """Read answers of Prometheus from files, oldest first."""
    return sort_trace(read_answers(((_read(name), name) for name in names), step_s))


def record_prometheus(asking: Asking) -> Trace:
    """Ask Prometheus, a few hours at a time."""
    return sort_trace(read_answers(_ask(asking), asking.step_s))


def ask_until_now(url: str, for_ms: int, step_ms: int, query: str) -> Trace:
    """Ask Prometheus for what was until now."""
    now_s = this_machine().clock.now_ms() / 1000
    return record_prometheus(Asking(url, now_s - for_ms / 1000, now_s, step_ms / 1000, query))


def record_source(source: Source, origin: str) -> Trace:
    """Read a table or a trace whatever its order, or make up a workload."""
    fitting = {
        "csv": is_table(source.name),
        "synthetic": is_random(source.name),
        "trace": not is_table(source.name) and not is_random(source.name),
    }
    if not fitting[origin]:
        raise UserError(f"{source.name} is nothing that --from {origin} reads", code=CODE)
    return sort_trace(open_workload(source, is_sorted=False))


def write_trace(trace: Trace, path: Path) -> Written:
    """Write a trace down; the file appears when it is complete."""
    count, last_ms = 0, 0
    partial = path.with_name(f"{path.name}.part")
    try:
        with partial.open("wb") as file:
            file.write(write_head(Path(trace.name).stem, trace.length_ms))
            for entry in trace.entries:
                file.write(write_entry(entry))
                count, last_ms = count + 1, entry.at_ms
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return Written(str(path), count, (trace.length_ms or last_ms) / 1000, trace.notes)


def watch_cluster(
    watch: Watch, environment: Mapping[str, str], path: Path, begun: Callable[[int], None]
) -> Written:
    """Watch the pods of a live cluster for a while, and write down what came and went.

    Once all pods are known it is told how many there are.
    """
    access = find_access(environment, watch.kubeconfig or None, watch.context or None)
    return asyncio.run(_watch(access, watch, path, begun))


async def _watch(access: Access, watch: Watch, path: Path, begun: Callable[[int], None]) -> Written:
    machine = this_machine()
    start_ms = machine.clock.now_ms()
    spill = path.with_name(f"{path.name}.seen")
    with spill.open("w+b") as file:
        try:
            recorder = Recorder(start_ms)
            hear = _listener(recorder, machine.clock.now_ms, file)
            plan = Plan(instance=_INSTANCE, resources=(PODS, DAEMON_SETS), hear=hear)
            async with open_session(access, machine, plan) as session:
                await session.wait_synced(_SYNC_MS)
                begun(session.mirror.count(PODS))
                daemons = tuple(_daemon(one) for one in session.mirror.all(DAEMON_SETS))
                await _wait(machine, start_ms + watch.for_ms)
            length_ms = machine.clock.now_ms() - start_ms
            file.writelines(map(write_entry, recorder.rest()))
            file.seek(0)
            entries = itertools.chain(daemons, read_back(file))
            notes = tuple(f"{key} is left out: {why}" for key, why in recorder.skipped.items())
            trace = Trace(access.context or path.stem, entries, length_ms, notes)
            return write_trace(sort_trace(trace), path)
        finally:
            spill.unlink()


async def _wait(machine: Machine, end_ms: int) -> None:
    """Wait until an instant; whoever interrupts or ends it has what was seen until then."""
    told = asyncio.Event()
    hear_signals(told)
    waits = (
        asyncio.create_task(machine.clock.sleep_ms(max(0, end_ms - machine.clock.now_ms()))),
        asyncio.create_task(told.wait()),
    )
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        assert task is not None, "this runs in one"
        task.uncancel()
    finally:
        for one in waits:
            one.cancel()


def _listener(
    recorder: Recorder, now_ms: Callable[[], int], file: IO[bytes]
) -> Callable[[tuple[Change, ...]], None]:
    def hear(changes: tuple[Change, ...]) -> None:
        for change in changes:
            if change.resource is PODS:
                file.writelines(map(write_entry, take_change(recorder, change, now_ms())))
        file.flush()

    return hear


def take_change(recorder: Recorder, change: Change, now_ms: int) -> Iterator[Entry]:
    """Tell a recorder of a change of a pod; give the entry where it has ended."""
    old, new = change.old, change.new
    if isinstance(new, Pod):
        uid = new.metadata.uid or key_of(new.metadata)
        if new.status.phase in ENDED:
            yield from recorder.ended(uid, now_ms, by_itself=True)
            return
        recorder.came(new, read_instant(new.metadata.creation_timestamp) or now_ms)
        if new.spec.node_name:
            recorder.ran(uid, now_ms)
    elif isinstance(old, Pod):
        uid = old.metadata.uid or key_of(old.metadata)
        yield from recorder.ended(uid, now_ms, by_itself=False)


def _daemon(one: DaemonSet) -> Scaling:
    template = one.spec.template
    size = size_of(Pod(template.metadata, template.spec))
    return Scaling(0, key_of(one.metadata), 0, size, "DaemonSet")


def _read(name: str) -> bytes:
    return b"".join(open_lines(name))


def _ask(asking: Asking) -> Iterator[tuple[bytes, str]]:
    if asking.until_s <= asking.from_s:
        raise UserError("the end of what is asked for is not after its begin", code=CODE)
    address = f"{asking.url.rstrip('/')}/api/v1/query_range"
    begin_s = asking.from_s
    while begin_s <= asking.until_s:
        end_s = min(begin_s + _WINDOW_S - asking.step_s, asking.until_s)
        wanted: dict[str, str | float] = {
            "query": asking.query,
            "start": begin_s,
            "end": end_s,
            "step": asking.step_s,
        }
        try:
            reply = httpx2.get(address, params=wanted, timeout=_ASK_S)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise UserError(
                f"Prometheus does not answer: {error}", code=CODE, where=address
            ) from None
        yield reply.content, address
        begin_s = end_s + asking.step_s
