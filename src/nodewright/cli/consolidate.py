"""`nodewright consolidate`: which nodes could go, what would replace them, and why the others stay."""

from typing import Annotated

from cyclopts import Parameter

from nodewright.app.consolidating import consolidate_world, consolidated_document
from nodewright.cli.cluster import PlaceOption, open_world
from nodewright.cli.consolidate_view import consolidate_screen
from nodewright.cli.errors import EXIT_FINE, EXIT_FOUND
from nodewright.cli.files import SnapshotArgument, check_files
from nodewright.cli.language import LanguageOption, choose_language
from nodewright.cli.output import OutputOption, emit


def consolidate(
    snapshot: SnapshotArgument = "",
    *,
    to_end: Annotated[
        bool,
        Parameter(
            negative=(), help="Go on until nothing is left to gain; waits and budgets do not count."
        ),
    ] = False,
    place: PlaceOption = PlaceOption(),  # noqa: B008 - frozen: sharing the default is safe
    output: OutputOption = "table",
    lang: LanguageOption = None,
) -> int:
    """Say which nodes could go now, within budgets, where their pods would go, and what is saved.

    Without a snapshot it looks at the live cluster. Nothing is changed anywhere. Status 0: nothing is
    to be done. Status 1: there are actions; every node that stays has its reason.

    $ nodewright consolidate cluster.json
    $ nodewright consolidate cluster.json --to-end -o json
    $ nodewright consolidate --context prod --region eu-west-1
    $ nodewright consolidate cluster.json --lang ko
    """
    check_files((snapshot,), "consolidate")
    taken = open_world(snapshot, place)
    done = consolidate_world(taken.world, to_end=to_end)
    language = choose_language(lang, output)
    source = "" if snapshot == "-" else snapshot
    emit(
        consolidated_document(done, language),
        output,
        lambda: consolidate_screen(taken, done, language, source),
    )
    return EXIT_FOUND if done.decided.commands or done.decided.forceful else EXIT_FINE
