"""Where `:` leads, and what is explained of a row."""

from typing import Any, Final

import msgspec

from nodewright.tui.pages import MONEY_BY, Page
from nodewright.view.values import View

_KINDS: Final = {
    "nodes": Page(),
    "no": Page(),
    "pools": Page("pools"),
    "nodepools": Page("pools"),
    "pending": Page("pending"),
    "waiting": Page("pending"),
    "decisions": Page("decisions"),
    "money": Page("money", MONEY_BY[0]),
    "namespaces": Page("money", "namespaces"),
    "workloads": Page("money", "workloads"),
    "faults": Page(only_faults=True),
}
_TARGETS: Final = ("pod/", "node/", "nodepool/")
_END: Final = ("q", "quit", "exit")


class GoTo(msgspec.Struct, frozen=True):
    """A page, something to explain, the end, or nothing."""

    page: Page | None = None
    target: str = ""
    is_end: bool = False


def read_goal(value: str, view: View) -> GoTo:
    """Read where somebody wants to go: a table, a target, a code, or the name of a node, pool or pod."""
    word = value.lower()
    if word in _END:
        return GoTo(is_end=True)
    if word in _KINDS:
        return GoTo(_KINDS[word])
    if word.startswith("nw-"):
        return GoTo(target=value.upper())
    if word == "budgets" or value.startswith(_TARGETS):
        return GoTo(target=value)
    if value.startswith("D-"):
        return GoTo(Page("decisions", filter=value))
    if any(one.name == value for one in view.pools):
        return GoTo(Page("nodes", value))
    named = [
        one for one in view.nodes if value in (one.name, one.claim, one.name.partition(".")[0])
    ]
    if named:
        return GoTo(Page("pods", named[0].name))
    if any(word in one.name for one in view.nodes):
        return GoTo(Page(filter=value))
    return GoTo(target=f"pod/{value}") if value.count("/") == 1 else GoTo()


def target_of(page: Page, row: Any) -> str:
    """Give what is explained of a row; nothing where there is nothing."""
    match page.kind:
        case "nodes":
            return f"node/{row.name}"
        case "pods":
            return f"pod/{row.key}"
        case "pools":
            return f"nodepool/{row.name}"
        case "pending":
            return f"pod/{row.pods[0].key}" if row.pods else ""
        case "decisions":
            return _target_of_decision(row.code, row.subject)
        case "money" if page.subject == "pools":
            return f"nodepool/{row.name}"
        case _:
            return ""


def _target_of_decision(code: str, subject: str) -> str:
    """Give what is explained of a decision: its pod or node, as they are now, else its code."""
    plural, _, name = subject.partition("/")
    if plural == "pods":
        return f"pod/{name}"
    if plural == "nodes" or plural.startswith("nodeclaims"):
        return f"node/{name}"
    return code
