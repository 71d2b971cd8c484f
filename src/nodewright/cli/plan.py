"""`nodewright plan`: which nodes the pending pods would get, at what price, and who stays behind."""

from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from nodewright.app.planning import plan_document, plan_world, with_bound
from nodewright.cli.cluster import PlaceOption, open_world
from nodewright.cli.errors import EXIT_FINE, EXIT_FOUND
from nodewright.cli.files import SnapshotArgument, check_files
from nodewright.cli.language import LanguageOption, choose_language
from nodewright.cli.output import OutputOption, emit, say
from nodewright.cli.plan_view import plan_screen
from nodewright.core.scheduling.overlays import find_contradictions
from nodewright.core.scheduling.solve import Effort


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Search:
    """How hard to think."""

    effort: Annotated[
        Effort, Parameter(help="How hard to look for a cheaper plan: fast, normal or best.")
    ] = Effort.NORMAL
    bound: Annotated[
        bool, Parameter(negative=(), help="Also say below which price no plan can go.")
    ] = False


def plan(
    snapshot: SnapshotArgument = "",
    *,
    search: Search = Search(),  # noqa: B008 - frozen: sharing the default is safe
    place: PlaceOption = PlaceOption(),  # noqa: B008 - frozen: sharing the default is safe
    output: OutputOption = "table",
    lang: LanguageOption = None,
) -> int:
    """Say where every pending pod goes and which nodes to make for the rest.

    Without a snapshot it looks at the live cluster. Nothing is changed anywhere. Status 0: every pod
    has a place. Status 1: some pods cannot be placed; each has its reason.

    $ nodewright plan cluster.json
    $ nodewright plan --context prod --region eu-west-1
    $ nodewright plan cluster.json.gz -o json
    $ nodewright plan cluster.json --effort best --bound
    $ nodewright plan cluster.json --lang ko
    $ gunzip -c cluster.json.gz | nodewright plan -
    """
    check_files((snapshot,), "plan")
    taken = open_world(snapshot, place)
    for name, other in find_contradictions(taken.world):
        say(f"warning: NodeOverlay {name} is not used: it contradicts {other} of the same weight")
    planned = plan_world(taken.world, search.effort)
    if search.bound:
        planned = with_bound(taken.world, planned)
    language = choose_language(lang, output)
    source = "" if snapshot == "-" else snapshot
    emit(
        plan_document(planned, language),
        output,
        lambda: plan_screen(taken, planned, language, source),
    )
    return EXIT_FOUND if planned.plan.unschedulable else EXIT_FINE
