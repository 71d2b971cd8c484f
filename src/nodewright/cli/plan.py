"""`nodewright plan`: which nodes the pending pods would get, at what price, and who stays behind."""

from typing import Annotated

from cyclopts import Parameter

from nodewright.app.planning import plan_document, plan_world, with_bound
from nodewright.app.sources import open_snapshot
from nodewright.cli.errors import EXIT_FINE, EXIT_FOUND
from nodewright.cli.files import check_files
from nodewright.cli.language import LanguageOption, choose_language
from nodewright.cli.output import OutputOption, emit, say
from nodewright.cli.plan_view import plan_screen
from nodewright.core.scheduling.solve import Effort
from nodewright.model.errors import UserError


def plan(
    snapshot: Annotated[
        str, Parameter(help="A snapshot file, or - for standard input.", allow_leading_hyphen=True)
    ] = "",
    *,
    effort: Annotated[
        Effort, Parameter(help="How hard to look for a cheaper plan: fast, normal or best.")
    ] = Effort.NORMAL,
    bound: Annotated[
        bool, Parameter(negative=(), help="Also say below which price no plan can go.")
    ] = False,
    output: OutputOption = "table",
    lang: LanguageOption = None,
) -> int:
    """Say where every pending pod goes and which nodes to make for the rest.

    Nothing is changed anywhere. Status 0: every pod has a place. Status 1: some pods cannot be
    placed; each has its reason.

    $ nodewright plan cluster.json
    $ nodewright plan cluster.json.gz -o json
    $ nodewright plan cluster.json --effort best --bound
    $ nodewright plan cluster.json --lang ko
    $ gunzip -c cluster.json.gz | nodewright plan -
    """
    check_files((snapshot,), "plan")
    if not snapshot:
        raise UserError(
            "planning needs a snapshot file",
            code="NW-9014",
            advice="nodewright plan FILE, or - for standard input",
        )
    taken = open_snapshot(snapshot)
    for warning in taken.warnings:
        say(f"warning: {warning}")
    planned = plan_world(taken.world, effort)
    if bound:
        planned = with_bound(taken.world, planned)
    language = choose_language(lang, output)
    source = "" if snapshot == "-" else snapshot
    emit(
        plan_document(planned, language),
        output,
        lambda: plan_screen(taken, planned, language, source),
    )
    return EXIT_FOUND if planned.plan.unschedulable else EXIT_FINE
