"""The head of every screen: the cluster at a glance, in as many lines as its width takes."""

from collections.abc import Callable
from typing import Final

from rich.text import Text

from nodewright.tui.columns import FREE, FULL, share_style
from nodewright.view import words
from nodewright.view.values import Amount, PoolRow, View

_BAR_NARROW: Final = 16
_BAR_WIDE: Final = 27
_WIDE: Final = 110
_POOLS_BESIDE: Final = 2
_POOL_WIDTH: Final = 40


class Clock:
    """What the head says about time: how old the view is, and whether it is held."""

    def __init__(self, age_ms: int = 0, *, is_held: bool = False) -> None:
        self.age_ms = age_ms
        self.is_held = is_held


def head_lines(view: View, width: int, clock: Clock) -> list[Text]:
    """Write the head for a width."""
    is_wide = width >= _WIDE
    lines = [_title(view, width, clock), *_glance(view, is_wide)]
    bars = _BAR_WIDE if is_wide else _BAR_NARROW
    head = view.head
    cpu = _meter("cpu", head.cpu, bars, (words.cores, " cores"))
    memory = _meter("mem", head.memory, bars, (words.memory, ""))
    if is_wide:
        beside = [_pool(one, view.now_ms) for one in view.pools[:_POOLS_BESIDE]]
        for line, pool in zip((cpu, memory), beside, strict=False):
            line.append(" " * max(3, width - _POOL_WIDTH - line.cell_len))
            line.append_text(pool)
    lines += [cpu, memory]
    lines += [Text(f" ! {one}", style="yellow") for one in view.problems[:2]]
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    return lines


def _title(view: View, width: int, clock: Clock) -> Text:
    origin = view.origin
    kubernetes = f"k8s {origin.kubernetes.removeprefix('v')}" if origin.kubernetes else ""
    kind = "" if origin.kind == "live" else origin.kind
    named = [part for part in ("nodewright", kind, origin.name, origin.region, kubernetes) if part]
    left = Text().append(" " + " · ".join(named), style="bold")
    said = [f"leader {origin.leader}"] if origin.leader and width >= _WIDE else []
    if clock.is_held:
        said.append("held")
    elif origin.kind == "live":
        said.append(f"state {clock.age_ms / 1000:.1f} s old")
    said.append(words.clock(view.now_ms) if view.now_ms else "")
    right = " · ".join(part for part in said if part)
    left.truncate(max(10, width - len(right) - 2), overflow="ellipsis")
    left.append(" " * max(1, width - left.cell_len - len(right) - 1))
    return left.append(right, style="yellow" if clock.is_held else "dim")


def _glance(view: View, is_wide: bool) -> list[Text]:
    """Write counts and money: in one line where there is room, else in two."""
    head, money = view.head, view.money
    counts = Text().append(" NODES ", style="dim").append(str(head.nodes), style="bold")
    counts.append(f"  {head.spot} spot {head.on_demand} od")
    counts.append(f" {head.reserved} rsv" if head.reserved else "")
    counts.append(f" {head.claims} coming" if head.claims else "")
    if head.faults:
        counts.append(f" {head.faults} fault{'s' if head.faults > 1 else ''}", style="red")
    counts.append("   PODS ", style="dim").append(str(head.pods), style="bold")
    refused = f" ({head.pods_refused} refused)" if head.pods_refused else ""
    counts.append(f"  {head.pods_pending} pending{refused}", style="red" if refused else "")
    mark = money.estimated > 0
    spent = Text().append(f" {words.dollars(money.total_nanousd_hour, mark=mark)}/h", style="bold")
    spent.append(f"  {words.per_month(money.total_nanousd_hour, mark=mark)}/mo")
    if money.unpriced:
        spent.append(f" + {money.unpriced} nodes ?", style="yellow")
    saved = words.dollars(money.saved_today_nanousd, mark=money.saved_today_nanousd is not None)
    spent.append(f"   saved today {saved}")
    idle = words.dollars(money.infra_idle_nanousd_hour, mark=True)
    spent.append(f"   idle {idle}/h")
    unused = words.dollars(money.workload_idle_nanousd_hour, mark=True)
    if money.workload_idle_nanousd_hour is not None:
        spent.append(f" + {unused}/h unused")
    return [counts.append("  ").append_text(spent)] if is_wide else [counts, spent]


def _meter(name: str, amount: Amount, width: int, how: tuple[Callable[[int], str], str]) -> Text:
    write, unit = how
    share = amount.share
    filled = min(width, max(0, round((share or 0) * width)))
    line = Text().append(f" {name} ", style="dim")
    line.append(FULL * filled, style=share_style(share))
    line.append(FREE * (width - filled), style="dim")
    line.append(f" {words.percent(share)} %", style="bold")
    line.append(f"  {write(amount.requested)}/{write(amount.allocatable)}{unit}")
    used = words.percent(amount.used_share)
    return line.append(f"   used {used}{' %' if used != words.UNKNOWN else ''}")


def _pool(pool: PoolRow, now_ms: int) -> Text:
    line = Text().append(pool.name[:12].ljust(13), style="bold")
    return line.append(f"{pool.nodes} nodes  {words.budget(pool, now_ms)}")
