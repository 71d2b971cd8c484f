"""`nodewright explain`: why a pod waits or goes where it goes, and what would help.

A code needs no snapshot: its page is the one of the documentation.
"""

import gc
from collections.abc import Callable
from typing import Annotated, Final

from cyclopts import Parameter
from rich.console import Group, RenderableType
from rich.text import Text

from nodewright.app.codes import find_page
from nodewright.app.explaining import node_document, pod_document, pool_document
from nodewright.app.staying import calendar_document, staying_document
from nodewright.cli.cluster import SourceOption, open_world
from nodewright.cli.errors import EXIT_FINE, EXIT_FOUND
from nodewright.cli.explain_view import code_screen, node_screen, pod_screen, pool_screen
from nodewright.cli.files import SnapshotArgument, check_files
from nodewright.cli.language import LanguageOption, choose_language
from nodewright.cli.output import Format, OutputOption, emit
from nodewright.cli.staying_view import calendar_screen, staying_part
from nodewright.core.explain.calendar import explain_budgets
from nodewright.core.explain.node import NodeStory, explain_node
from nodewright.core.explain.pod import PodStory, explain_pod
from nodewright.core.explain.pool import NodePoolStory, explain_pool
from nodewright.core.explain.staying import Staying, explain_staying
from nodewright.model.errors import UserError
from nodewright.model.wording import Language, Page
from nodewright.model.world import World

_TARGETS: Final = "pod/NAMESPACE/NAME, node/NAME, nodepool/NAME, budgets, a decision D-0123456789ab or a code such as NW-1204"


_BUDGETS: Final = "budgets"


def explain(
    target: Annotated[str, Parameter(help=f"What to explain: {_TARGETS}.")],
    snapshot: SnapshotArgument = "",
    *,
    source: SourceOption = SourceOption(),  # noqa: B008 - frozen: sharing the default is safe
    output: OutputOption = "table",
    lang: LanguageOption = None,
) -> int:
    """Say why: for a pod, a node or a NodePool, for a decision of a journal, or for a code.

    A pod that cannot be placed gets the smallest change with which it can be, as a patch that was
    tried. A node is told why it stays or goes; budgets are a calendar of the next seven days.
    Status 0: it is placed, or usable. Status 1: it is not, and the reason is there.

    $ nodewright explain pod/shop/checkout-6d9f cluster.json
    $ nodewright explain nodepool/general cluster.json -o json
    $ nodewright explain node/ip-10-0-1-23 cluster.json
    $ nodewright explain budgets cluster.json
    $ nodewright explain pod/shop/checkout-6d9f --context prod
    $ nodewright explain D-0123456789ab --context prod
    $ nodewright explain D-0123456789ab --journal journal
    $ nodewright explain NW-1204 --lang ko
    """
    check_files((snapshot,), "explain")
    language = choose_language(lang, output)
    if target.upper().startswith("NW-"):
        return _explain_code(target.upper(), output, language)
    if target.startswith("D-"):
        return _explain_decision(target, source, output, language)
    kind, _, name = target.partition("/")
    if kind not in _EXPLAINERS or bool(name) is (kind == _BUDGETS):
        raise _unknown(target)
    taken = open_world(snapshot, source)
    # Deciding makes many small values and no cycles: looking for cycles would only cost time.
    gc.disable()
    try:
        return _EXPLAINERS[kind](taken.world, name, output, language)
    finally:
        gc.enable()


def explain_screen(world: World, target: str, language: Language) -> RenderableType:
    """Draw what is to be said of a pod, a node, a NodePool, the budgets or a code, for other screens."""
    if target.upper().startswith("NW-"):
        return code_screen(_find_code(target.upper(), language), language)
    kind, _, name = target.partition("/")
    match kind:
        case "pod":
            return pod_screen(_pod_story(world, name), language)
        case "node":
            return _node_screen(world, name, language)
        case "nodepool":
            return pool_screen(_pool_story(world, name), language)
        case "budgets":
            return calendar_screen(explain_budgets(world), language)
    raise _unknown(target)


def _explain_decision(name: str, source: SourceOption, output: Format, language: Language) -> int:
    # A journal brings the client of HTTP with it: only those who read one wait for that.
    from nodewright.cli.explain_decision import explain_decision

    return explain_decision(name, source, output, language)


def _explain_code(code: str, output: Format, language: Language) -> int:
    page = _find_code(code, language)
    emit(page, output, lambda: code_screen(page, language))
    return EXIT_FINE


def _find_code(code: str, language: Language) -> Page:
    page = find_page(code, language)
    if page is None:
        raise UserError(
            f"there is no page for {code}",
            code="NW-9501",
            advice="codes of pods are NW-1xxx, of nodes NW-4xxx, of manifests NW-2xxx and NW-30nn",
        )
    return page


def _explain_pod(world: World, name: str, output: Format, language: Language) -> int:
    story = _pod_story(world, name)
    emit(pod_document(story, language), output, lambda: pod_screen(story, language))
    return EXIT_FINE if story.placeable else EXIT_FOUND


def _pod_story(world: World, name: str) -> PodStory:
    key = name if "/" in name else f"default/{name}"
    story = explain_pod(world, key)
    if story is None:
        raise _missing("pod", key, sorted(pod.key for pod in world.pods))
    return story


def _explain_node(world: World, name: str, output: Format, language: Language) -> int:
    story = _node_story(world, name)
    staying = explain_staying(world, name)
    document = {
        **node_document(story, language),
        "disruption": staying_document(staying, name, language),
    }
    emit(document, output, lambda: _draw_node(story, staying, language))
    return EXIT_FINE


def _node_story(world: World, name: str) -> NodeStory:
    story = explain_node(world, name)
    if story is None:
        raise _missing("node", name, sorted(node.metadata.name for node in world.nodes))
    return story


def _node_screen(world: World, name: str, language: Language) -> RenderableType:
    return _draw_node(_node_story(world, name), explain_staying(world, name), language)


def _draw_node(story: NodeStory, staying: Staying, language: Language) -> RenderableType:
    return Group(node_screen(story, language), Text(""), staying_part(staying, language))


def _explain_budgets(world: World, name: str, output: Format, language: Language) -> int:
    del name
    pools = explain_budgets(world)
    emit(calendar_document(pools), output, lambda: calendar_screen(pools, language))
    return EXIT_FINE


def _explain_pool(world: World, name: str, output: Format, language: Language) -> int:
    story = _pool_story(world, name)
    emit(pool_document(story, language), output, lambda: pool_screen(story, language))
    return EXIT_FINE if story.made is not None else EXIT_FOUND


def _pool_story(world: World, name: str) -> NodePoolStory:
    story = explain_pool(world, name)
    if story is None:
        raise _missing("NodePool", name, sorted(one.metadata.name for one in world.node_pools))
    return story


_EXPLAINERS: Final[dict[str, Callable[[World, str, Format, Language], int]]] = {
    "pod": _explain_pod,
    "node": _explain_node,
    "nodepool": _explain_pool,
    _BUDGETS: _explain_budgets,
}


def _unknown(target: str) -> UserError:
    return UserError(
        f"{target!r} is nothing that can be explained", code="NW-9501", advice=_TARGETS
    )


def _missing(kind: str, name: str, known: list[str]) -> UserError:
    near = [one for one in known if one.rpartition("/")[2] == name.rpartition("/")[2]] or known
    shown = ", ".join(near[:3])
    return UserError(
        f"the snapshot has no {kind} {name}",
        code="NW-9502",
        advice=f"it has {len(known)}, such as {shown}" if near else "",
    )
