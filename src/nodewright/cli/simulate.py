"""`nodewright simulate`: a workload or a scenario in virtual time, the same for the same seed."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from nodewright.app.simulate import OURS, Order, Outcome
from nodewright.app.simulate import simulate as run
from nodewright.cli.errors import CODE_USAGE, EXIT_FINE, EXIT_FOUND
from nodewright.cli.output import Column, OutputOption, Row, Table, emit, say
from nodewright.model.errors import UserError
from nodewright.trace.columns import OPENB

if TYPE_CHECKING:
    from nodewright.app.forecasting import Order as ForecastOrder


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ScenarioOption:
    """A scenario, with promises that are checked."""

    scenario: Annotated[Path | None, Parameter(help="The scenario, a YAML file.")] = None
    autoscaler: Annotated[
        str,
        Parameter(
            help="What scales the nodes: another autoscaler as module:function, or none at all."
        ),
    ] = OURS
    speed: Annotated[
        float,
        Parameter(
            help="Virtual seconds per real one; 0 does not wait.",
            validator=validators.Number(gte=0),
        ),
    ] = 0.0


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class WorkloadOption:
    """A workload, with what it would cost."""

    workload: Annotated[
        str, Parameter(help="A trace, a table of pods, or the name of a made-up workload.")
    ] = ""
    columns: Annotated[
        str, Parameter(help="Which column of a table holds what, as field=column*unit pairs.")
    ] = OPENB
    days: Annotated[
        float | None,
        Parameter(help="How many days of it; else all.", validator=validators.Number(gt=0)),
    ] = None
    skip: Annotated[
        float,
        Parameter(help="How many days of it to leave out.", validator=validators.Number(gte=0)),
    ] = 0.0
    pools: Annotated[
        list[str] | None,
        Parameter(
            help="Manifests of NodePools and node classes, or a snapshot.",
            consume_multiple=True,
            negative=(),
        ),
    ] = None
    set_: Annotated[
        list[str] | None,
        Parameter(name="--set", help="A change of them, as kind/name.path=value.", negative=()),
    ] = None


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class CompareOption:
    """Who scales the nodes of a workload."""

    compare: Annotated[
        list[str] | None,
        Parameter(
            help="Policies: nodewright, karpenter, cluster-autoscaler, fixed, bound; "
            "each may have a :FILE and +path=value changes.",
            consume_multiple=True,
            negative=(),
        ),
    ] = None


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class CloudOption:
    """How the cloud behaves in it."""

    region: Annotated[str, Parameter(help="Whose types and prices.")] = "us-east-1"
    interruptions: Annotated[
        float,
        Parameter(
            help="How often a spot machine is taken back, per hour.",
            validator=validators.Number(gte=0),
        ),
    ] = 0.002
    sold_out: Annotated[
        float,
        Parameter(
            help="The share of offerings that is sold out.",
            validator=validators.Number(gte=0, lt=1),
        ),
    ] = 0.02
    spot_price: Annotated[
        float,
        Parameter(
            help="What spot costs of on-demand, where no price list knows.",
            validator=validators.Number(gt=0, lte=1),
        ),
    ] = 0.4


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class RunOption:
    """How it is run and shown."""

    seed: Annotated[int, Parameter(help="Whose chance: the same seed is the same run.")] = 0
    seeds: Annotated[
        int,
        Parameter(
            help="How many seeds of a workload, from that on.", validator=validators.Number(gte=1)
        ),
    ] = 5
    processes: Annotated[
        int | None,
        Parameter(
            help="How many runs at once; else one for each core.",
            validator=validators.Number(gte=1),
        ),
    ] = None
    keep: Annotated[
        Path | None, Parameter(help="A folder for what was run, to go on from there.")
    ] = None
    html: Annotated[Path | None, Parameter(help="A report with charts to write.")] = None
    output: OutputOption = "table"


def simulate(
    *,
    scenario: ScenarioOption = ScenarioOption(),  # noqa: B008 - frozen: sharing the default is safe
    workload: WorkloadOption = WorkloadOption(),  # noqa: B008 - likewise
    policies: CompareOption = CompareOption(),  # noqa: B008 - likewise
    cloud: CloudOption = CloudOption(),  # noqa: B008 - likewise
    running: RunOption = RunOption(),  # noqa: B008 - likewise
) -> int:
    """Run a workload or a scenario in virtual time.

    A workload is run under one policy or several, with several seeds, and comes out as cost, waiting
    and moves. A scenario comes out as promises that were kept or broken.

    $ nodewright simulate --workload diurnal-web
    $ nodewright simulate --workload week.jsonl --pools pools.yaml --compare nodewright karpenter bound
    $ nodewright simulate --workload pods.csv --days 1 --skip 147 --html report.html
    $ nodewright simulate --workload ci-bursts --set "nodepool/*.spec.disruption.consolidateAfter=5m"
    $ nodewright simulate --workload ci-bursts --compare nodewright cluster-autoscaler:groups.yaml
    $ nodewright simulate --scenario rush-hour.yaml --seed 7
    """
    if (scenario.scenario is None) == (not workload.workload):
        raise UserError(
            "one of --workload and --scenario says what to run",
            code=CODE_USAGE,
            advice="see nodewright simulate --help",
        )
    if scenario.scenario is not None:
        order = Order(scenario.scenario, running.seed, scenario.autoscaler, scenario.speed)
        outcome = run(order)
        emit(outcome, running.output, lambda: _table(outcome))
        return EXIT_FOUND if outcome.violations else EXIT_FINE
    asked = read_order(workload, cloud, running, tuple(policies.compare or ()))
    return _foresee(asked, running)


def read_order(
    workload: WorkloadOption, cloud: CloudOption, running: RunOption, compare: tuple[str, ...] = ()
) -> "ForecastOrder":
    """Give what is asked for by the options of a workload."""
    if not workload.workload:
        advice = "give --workload a trace, a table of pods, or the name of a made-up one"
        raise UserError("no workload was named", code=CODE_USAGE, advice=advice)
    # It brings the controllers and the solver with it.
    from nodewright.app.forecast_policies import parse_policy, read_objects
    from nodewright.app.forecasting import Order as Wanted
    from nodewright.app.workloads import Source, is_random
    from nodewright.forecast.edits import edit
    from nodewright.forecast.setup import CloudModel, Setup, default_objects, zones_of

    objects = read_objects(tuple(workload.pools)) if workload.pools else default_objects()
    setup = Setup(
        edit(objects, workload.set_ or ()),
        cloud.region,
        zones_of(cloud.region),
        CloudModel(cloud.interruptions, cloud.sold_out, cloud.spot_price),
    )
    days = workload.days or (1.0 if is_random(workload.workload) else None)
    source = Source(workload.workload, workload.columns, days, workload.skip)
    policies = tuple(map(parse_policy, compare or ("nodewright",)))
    seeds = tuple(range(running.seed, running.seed + running.seeds))
    return Wanted(source, setup, policies, seeds, running.processes, running.keep)


def _foresee(order: "ForecastOrder", running: RunOption) -> int:
    from nodewright.app.forecasting import forecast
    from nodewright.cli.progress import counting
    from nodewright.cli.simulate_view import forecast_table

    with counting("runs") as told:
        found = forecast(order, told)
    if running.html is not None:
        from nodewright.app.writing import write_whole
        from nodewright.forecast.page import write_page

        write_whole(running.html, write_page(found).encode())
        say(f"written: {running.html}")
    emit(found, running.output, lambda: forecast_table(found))
    return EXIT_FOUND if any(one.values["unstarted"].mean for one in found.policies) else EXIT_FINE


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
