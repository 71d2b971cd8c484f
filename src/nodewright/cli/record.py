"""`nodewright record`: a workload written down, so that it can be played again in virtual time."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from nodewright.cli.cluster import ClusterOption
from nodewright.cli.errors import EXIT_FINE
from nodewright.cli.output import say
from nodewright.model.errors import UserError
from nodewright.trace.columns import OPENB
from nodewright.trace.entry import CODE
from nodewright.trace.prometheus import QUERY

if TYPE_CHECKING:
    from nodewright.app.recording import Written

type Origin = Literal["cluster", "audit", "prometheus", "csv", "trace", "synthetic"]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Span:
    """How much of it."""

    for_: Annotated[
        str, Parameter(name="--for", help="How long to watch, or how far back to ask Prometheus.")
    ] = "1h"
    step: Annotated[str, Parameter(help="The time between samples of Prometheus.")] = "1m"
    days: Annotated[float, Parameter(help="How many days to make up.")] = 1.0
    seed: Annotated[int, Parameter(help="From which seed to make them up.")] = 0


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Reading:
    """How to read it."""

    columns: Annotated[
        str, Parameter(help="Which column of a table holds what, as field=column*unit pairs.")
    ] = OPENB
    query: Annotated[str, Parameter(help="What to ask Prometheus for.")] = QUERY


def record(
    *sources: Annotated[str, Parameter(help="Files, an address of Prometheus, or a name.")],
    out: Annotated[Path, Parameter(name=["--out", "-o"], help="The trace to write.")],
    from_: Annotated[
        Origin, Parameter(name="--from", help="Where the workload comes from.")
    ] = "cluster",
    span: Span = Span(),  # noqa: B008 - frozen: sharing the default is safe
    reading: Reading = Reading(),  # noqa: B008 - frozen: sharing the default is safe
    cluster: ClusterOption = ClusterOption(),  # noqa: B008 - frozen: sharing the default is safe
) -> int:
    """Write a workload down as a trace, for `nodewright simulate`.

    From a live cluster it watches pods for a while, and changes nothing; Ctrl-C ends it early. A
    table may be in any order, and `--from trace` sorts a trace of ours.

    $ nodewright record --for 24h --out day.jsonl
    $ nodewright record --from audit audit.log --out audit.jsonl
    $ nodewright record --from prometheus http://127.0.0.1:9090 --for 168h --out week.jsonl
    $ nodewright record --from prometheus answer-1.json answer-2.json --out week.jsonl
    $ nodewright record --from csv pods.csv --columns name=pod,cpu=cores,arrives=t --out pods.jsonl
    $ nodewright record --from trace unsorted.jsonl --out sorted.jsonl
    $ nodewright record --from synthetic diurnal-web --days 7 --seed 1 --out web.jsonl
    """
    written = _write(from_, sources, out, (span, reading, cluster))
    for note in written.notes:
        say(f"note: {note}")
    say(f"written: {written.file}, {written.entries} entries over {written.seconds:.0f} s")
    return EXIT_FINE


def _write(
    origin: Origin,
    sources: tuple[str, ...],
    out: Path,
    options: tuple[Span, Reading, ClusterOption],
) -> "Written":
    # The clients of HTTP and of Kubernetes take a moment to load.
    from nodewright.app import recording
    from nodewright.app.durations import read_duration
    from nodewright.app.workloads import Source

    span, reading, cluster = options
    if origin == "cluster":
        for_ms = read_duration("--for", span.for_)
        watch = recording.Watch(cluster.kubeconfig, cluster.context, for_ms)

        def begun(count: int) -> None:
            say(f"watching {count} pods for {span.for_}; Ctrl-C ends it and writes what was seen")

        return recording.watch_cluster(watch, os.environ, out, begun)
    if not sources:
        raise UserError(f"--from {origin} needs something to read", code=CODE)
    if origin == "audit":
        return recording.write_trace(recording.record_audit(sources), out)
    if origin == "prometheus":
        step_ms = read_duration("--step", span.step)
        if sources[0].startswith(("http://", "https://")):
            for_ms = read_duration("--for", span.for_)
            trace = recording.ask_until_now(sources[0], for_ms, step_ms, reading.query)
        else:
            trace = recording.record_answers(sources, None)
        return recording.write_trace(trace, out)
    if len(sources) > 1:
        raise UserError(f"--from {origin} reads one thing at a time", code=CODE)
    source = Source(sources[0], reading.columns, span.days, seed=span.seed)
    return recording.write_trace(recording.record_source(source, origin), out)
