"""Values in few words: ages, prices, shares, amounts, and what becomes of a node.

What is estimated is marked `~`, and what nobody knows is `?`, never nothing.
"""

from datetime import UTC, datetime, tzinfo
from typing import Final

from nodewright.model.instance import NANO
from nodewright.model.quantity import MILLI, Milli
from nodewright.view.values import BudgetRow, Nano, Next, NodeRow, PoolRow, Verb

UNKNOWN: Final = "?"
HOURS_A_MONTH: Final = 730
_SECOND_MS: Final = 1_000
_STEPS: Final = ((86_400, "d"), (3_600, "h"), (60, "m"), (1, "s"))
_UNITS: Final = (("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10))
_DAY_MS: Final = 86_400_000
_CAPACITY: Final = {"on-demand": "od", "reserved": "rsv"}


def age(since_ms: int | None, now_ms: int) -> str:
    """Write how long ago something was, in its largest unit: `3d`, `9h`, `38s`."""
    if since_ms is None:
        return UNKNOWN
    return length(now_ms - since_ms)


def length(duration_ms: int) -> str:
    """Write a length of time in its largest unit."""
    seconds = max(0, duration_ms) // _SECOND_MS
    for unit, letter in _STEPS:
        if seconds >= unit:
            return f"{seconds // unit}{letter}"
    return "0s"


def wait(until_ms: int, now_ms: int) -> str:
    """Write how long something still takes, as a clock counts down: `0:42`, `3:05:00`, `2d`."""
    left = max(0, until_ms - now_ms) // _SECOND_MS
    if left >= 2 * _DAY_MS // _SECOND_MS:
        return f"{left * _SECOND_MS // _DAY_MS}d"
    minutes, seconds = divmod(left, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


def clock(instant_ms: int | None, zone: tzinfo | None = None) -> str:
    """Write the time of day, in the zone of whoever looks unless told."""
    if instant_ms is None:
        return UNKNOWN
    return f"{datetime.fromtimestamp(instant_ms / 1000, UTC).astimezone(zone):%H:%M:%S}"


def moment(instant_ms: int | None, now_ms: int, zone: tzinfo | None = None) -> str:
    """Write when something is: the time of day, with its day where that is another one."""
    if instant_ms is None:
        return UNKNOWN
    then = datetime.fromtimestamp(instant_ms / 1000, UTC).astimezone(zone)
    today = datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(zone)
    return f"{then:%H:%M}" if then.date() == today.date() else f"{then:%a %d %b %H:%M}"


def dollars(amount: Nano | None, *, mark: bool = False) -> str:
    """Write an amount of money: whole cents from a dollar on, finer below; marked where estimated."""
    if amount is None:
        return UNKNOWN
    value = abs(amount) / NANO
    written = f"${value:,.2f}" if value >= 1 or not amount else f"${value:.3f}"
    return f"{'~' if mark else ''}{'-' if amount < 0 else ''}{written}"


def per_month(amount: Nano, *, mark: bool = False) -> str:
    """Write what a price an hour comes to in a month of 730 hours."""
    return f"{'~' if mark else ''}${amount / NANO * HOURS_A_MONTH:,.0f}"


def price(row: NodeRow) -> str:
    """Write what a node costs an hour, without its sign of money."""
    if row.price_nanousd_hour is None:
        return UNKNOWN
    return f"{'~' if row.price_is_estimate else ''}{row.price_nanousd_hour / NANO:.3f}"


def several(count: int, thing: str) -> str:
    """Count things in words: one node, two nodes."""
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def percent(share: float | None) -> str:
    """Write a share in whole percent, without the sign."""
    return UNKNOWN if share is None else f"{share * 100:.0f}"


def cores(amount: Milli) -> str:
    """Write cores: whole ones where there are many, hundredths where there is less than one."""
    value = amount / MILLI
    if value >= 10 or amount % MILLI == 0:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def memory(amount: Milli) -> str:
    """Write memory in its largest unit."""
    size = amount / MILLI
    for unit, shift in _UNITS:
        if size >= 1 << shift:
            value = size / (1 << shift)
            return f"{value:.0f}{unit}" if value >= 10 else f"{value:.1f}{unit}"
    return f"{size:.0f}"


def capacity(row: NodeRow) -> str:
    """Write how a node was bought in few letters."""
    return _CAPACITY.get(row.capacity_type, row.capacity_type) or UNKNOWN


def count_pods(row: NodeRow) -> str:
    """Write how many pods a node has of how many it takes, or how many are on their way to it."""
    if not row.is_node:
        return f"{row.pods_expected} →" if row.pods_expected else "·"
    most = UNKNOWN if row.pods_max is None else str(row.pods_max)
    coming = f"+{row.pods_expected}" if row.pods_expected else ""
    return f"{row.pods}{coming}/{most}"


def state(row: NodeRow, now_ms: int) -> str:
    """Write a node's state and how long it has been so, unless it is simply well."""
    if row.state == "Ready" or row.state_since_ms is None:
        return row.state
    return f"{row.state} {age(row.state_since_ms, now_ms)}"


def following(row: NodeRow, now_ms: int) -> str:
    """Write what becomes of a node: the verb, when that may change, and why in few words."""
    one = row.next
    if row.state in ("Created", "Launched", "Registered", "NotReady", "Draining", "Terminating"):
        return f"waits: {(row.state_detail or one.text).removeprefix('waiting for ')}"
    if one.verb is Verb.UNKNOWN:
        return UNKNOWN
    until = ""
    if one.until_ms is not None:
        until = f" in {wait(one.until_ms, now_ms)}" if one.verb is Verb.GO else ""
        if one.verb is Verb.KEEP:
            until = f" {wait(one.until_ms, now_ms)}"
    return f"{one.verb.value}{until}: {in_short(one)}"


def in_short(one: Next) -> str:
    """Write why in few words: the first blocker where there is one, else the reason's own name."""
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in one.reason)
    blocker = next((each for each in one.blockers if each.startswith("pdb/")), "")
    if not blocker and one.blockers:
        blocker = one.blockers[0]
    return f"{blocker or words.strip() or one.text} {one.code}".strip()


def budget(pool: PoolRow, now_ms: int) -> str:
    """Write what a pool's tightest budget leaves now."""
    if pool.paused_until_ms is not None and pool.paused_until_ms > now_ms:
        return f"paused: {pool.pause_reason}".rstrip(": ")
    one = pool.tightest
    if one is None:
        return "no budget"
    return budget_room(one, now_ms)


def budget_room(one: BudgetRow, now_ms: int) -> str:
    """Write what one budget leaves now: how many may still go, or until when none may."""
    if one.broken:
        return f"broken: {one.broken}"
    if one.free is None:
        return "no limit"
    if one.closed_by and one.free == 0:
        if one.opens_ms is None:
            return f"closed by {one.closed_by}"
        return f"closed until {moment(one.opens_ms, now_ms)}"
    return f"{one.free} of {UNKNOWN if one.allowed is None else one.allowed} left"
