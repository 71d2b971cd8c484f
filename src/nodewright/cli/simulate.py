"""`nodewright simulate`: a scenario in virtual time, the same for the same seed."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from nodewright.app.simulate import OURS, Order, Outcome
from nodewright.app.simulate import simulate as run
from nodewright.cli.errors import EXIT_FINE, EXIT_FOUND
from nodewright.cli.output import Column, OutputOption, Row, Table, emit


def simulate(
    *,
    scenario: Annotated[Path, Parameter(help="The scenario, a YAML file.")],
    seed: Annotated[int, Parameter(help="Whose chance: the same seed is the same run.")] = 0,
    autoscaler: Annotated[
        str,
        Parameter(
            help="What scales the nodes: another autoscaler as module:function, or none at all."
        ),
    ] = OURS,
    speed: Annotated[
        float,
        Parameter(
            help="Virtual seconds per real one; 0 does not wait.",
            validator=validators.Number(gte=0),
        ),
    ] = 0.0,
    output: OutputOption = "table",
) -> int:
    """Run a scenario in virtual time, and say which promises were broken.

    $ nodewright simulate --scenario rush-hour.yaml --seed 7
    $ nodewright simulate --scenario rush-hour.yaml --seed 7 -o json
    """
    outcome = run(Order(scenario, seed, autoscaler, speed))
    emit(outcome, output, lambda: _table(outcome))
    return EXIT_FOUND if outcome.violations else EXIT_FINE


def _table(outcome: Outcome) -> Table:
    rows: list[Row] = [
        ("scenario", outcome.scenario),
        ("seed", str(outcome.seed)),
        ("ended at", outcome.ended_at),
        ("steps", str(outcome.steps)),
        ("controller processes", str(outcome.processes)),
        *((name, str(count)) for name, count in outcome.counts.items()),
        ("history", outcome.digest),
    ]
    notes = [
        f"broken: {broken.checker} at {broken.at}: {broken.sentence}"
        for broken in outcome.violations
    ]
    if outcome.violations:
        needed = ", ".join(outcome.needed_faults) or "none"
        notes += ["", f"faults that it takes: {needed}", "", *outcome.story, ""]
        notes.append(f"to see it again: {outcome.replay}")
    else:
        notes.append("every promise was kept")
    return Table((Column("RUN"), Column("")), tuple(rows), tuple(notes))
