"""`nodewright tune`: the settings that cost least on a workload, within limits on waiting and moving."""

from typing import Annotated

from cyclopts import Parameter, validators

from nodewright.cli.errors import EXIT_FINE, EXIT_FOUND
from nodewright.cli.output import Column, Row, Table, emit
from nodewright.cli.simulate import CloudOption, RunOption, WorkloadOption, read_order


def tune(
    *,
    workload: WorkloadOption = WorkloadOption(),  # noqa: B008 - frozen: sharing the default is safe
    wait_p95: Annotated[
        float | None,
        Parameter(
            help="How many seconds 95 % of pods may wait at most.",
            validator=validators.Number(gt=0),
        ),
    ] = None,
    moves: Annotated[
        float | None,
        Parameter(help="How many moves there may be in a day.", validator=validators.Number(gte=0)),
    ] = None,
    cloud: CloudOption = CloudOption(),  # noqa: B008 - likewise
    running: RunOption = RunOption(),  # noqa: B008 - likewise
) -> int:
    """Find the settings of NodePools that cost least on a workload, and say what they save.

    It tries how long nodes are kept, budgets, ways to buy and families, one after the other, and
    keeps what is cheaper by more than chance. Nothing is changed anywhere. Status 1: nothing that was
    tried keeps the limits.

    $ nodewright tune --workload day.jsonl --pools pools.yaml --wait-p95 90 --moves 500
    $ nodewright tune --workload ci-bursts --days 0.5 --seeds 3 -o json
    """
    from nodewright.app.tuning import Wanted
    from nodewright.app.tuning import tune as search
    from nodewright.cli.progress import counting
    from nodewright.forecast.tuning import Limits

    order = read_order(workload, cloud, running)
    limits = Limits(wait_p95, moves)
    wanted = Wanted(order.workload, order.setup, limits, order.seeds, order.processes, order.keep)
    with counting("runs") as told:
        found = search(wanted, told)

    def table() -> Table:
        rows: list[Row] = [
            (
                one.knob,
                one.value,
                f"${one.cost.mean:,.2f}",
                f"${one.saving.mean:+,.2f} ± ${one.saving.half or 0:,.2f}",
                f"{one.wait_p95_s:.1f} s",
                f"{one.moves_per_day:,.0f}",
                "taken" if one.is_taken else "" if one.keeps_limits else "beyond the limits",
            )
            for one in found.tried
        ]
        columns = (
            Column("KNOB"), Column("SETTING"), Column("COST", right=True),
            Column("SAVES", right=True), Column("WAIT P95", right=True),
            Column("MOVES/DAY", right=True), Column(""),
        )  # fmt: skip
        notes = ["", *found.diff.splitlines(), ""] if found.diff else [""]
        sure = f" ± ${found.saving.half:,.2f}" if found.saving.half is not None else ""
        verdict = (
            f"saves ${found.saving.mean:,.2f}{sure} ({found.saving_share:.1%}) of what "
            f"{found.days:.2f} days of {found.workload} cost now"
        )
        notes.append(verdict if found.diff else "nothing that was tried is surely cheaper")
        return Table(columns, tuple(rows), tuple(notes))

    emit(found, running.output, table)
    return EXIT_FINE if found.keeps_limits else EXIT_FOUND
