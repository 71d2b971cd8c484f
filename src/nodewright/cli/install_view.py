"""A plan of an installation, for people: what was found, each step with its sign, and the sums."""

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.console import Group, RenderableType
from rich.text import Text

from nodewright.cli.narrow import Narrowing
from nodewright.install.found import Found
from nodewright.install.resources.identity import AGENT
from nodewright.install.resources.scalers import KINDS
from nodewright.install.steps import Drain, Merge, Plan, Remove, Step

STYLES: Final = {"+": "green", "~": "yellow", "-": "red", "=": "dim"}
_LEGEND: Final = "+ create   ~ change   - remove   = already right"


def plan_screen(plan: Plan, found: Found) -> RenderableType:
    """Draw a plan."""
    parts: list[RenderableType] = [
        _line("found", describe(found)),
        _line("plan", _LEGEND),
        show_steps(plan.steps),
    ]
    parts += [Text(f"note    {note}", style="yellow") for note in plan.notes]
    parts.append(Text(sums(plan), style="bold"))
    return Group(*parts)


def show_steps(steps: Sequence[Step]) -> RenderableType:
    """Draw the steps of a plan, in columns where there is room for them."""
    return Narrowing(_wide(steps), _narrow(steps))


def describe(found: Found) -> str:
    """Say in one line what is there."""
    account, cluster = found.account, found.account.cluster
    agent = "on" if AGENT in cluster.addons else "off"
    count = len(cluster.node_groups)
    parts = [
        f"EKS {cluster.version} {account.region}",
        f"pod identity agent {agent}",
        f"{count} node group{'s' if count != 1 else ''}",
    ]
    parts += [
        f"{KINDS[one.kind]} {one.version}".strip() for one in found.kube.scalers if one.replicas
    ]
    return " · ".join(parts)


def sums(plan: Plan) -> str:
    """Say how much there is to do."""
    if not plan.changes:
        return "nothing to do: everything is as it should be"
    return (
        f"{plan.count('+')} to create, {plan.count('~')} to change, {plan.count('-')} to remove"
        f" · {disturbance(plan)} · plan {plan.digest}"
    )


def disturbance(plan: Plan) -> str:
    """Say which pods a plan moves or restarts."""
    deeds = [deed for step in plan.changes for deed in step.deeds]
    emptied = any(isinstance(deed, Drain) for deed in deeds) or any(
        isinstance(deed, Remove) and deed.until_none and step.detail
        for step in plan.changes
        for deed in step.deeds
    )
    pinned = sum(
        isinstance(deed, Merge) and "template" in deed.patch.get("spec", {}) for deed in deeds
    )
    if emptied:
        return "pods move to other nodes"
    if pinned:
        return f"{pinned} workload{'s' if pinned > 1 else ''} of the system restart"
    return "no workload restarts"


def _line(title: str, said: str) -> Text:
    return Text(f"{title:<8}{said}")


def _wide(steps: Sequence[Step]) -> RenderableType:
    kinds = max((cell_len(step.kind) for step in steps), default=0)
    names = max((cell_len(step.name) for step in steps), default=0)
    return Group(*(_row(step, kinds, names) for step in steps))


def _row(step: Step, kinds: int, names: int) -> Text:
    text = Text("  ", no_wrap=True)
    text.append(f"{step.sign} {set_cell_size(step.kind, kinds)}", style=STYLES[step.sign])
    if not step.detail:
        return text.append(f"  {step.name}")
    text.append(f"  {set_cell_size(step.name, names)}")
    return text.append(f"  {step.detail}", style="dim")


def _narrow(steps: Sequence[Step]) -> RenderableType:
    lines = []
    for step in steps:
        lines.append(Text(f"  {step.sign} {step.kind} {step.name}", style=STYLES[step.sign]))
        if step.detail and step.sign != "=":
            lines.append(Text(f"      {step.detail}", style="dim"))
    return Group(*lines)
