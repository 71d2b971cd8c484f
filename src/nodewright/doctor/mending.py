"""A fix is a plan like that of an installation: shown, agreed to, carried out, and looked at again."""

from collections.abc import Collection
from typing import Final

import msgspec

from nodewright.doctor.report import Report
from nodewright.install.steps import Merge, Plan, Step
from nodewright.install.wish import Wish
from nodewright.model.errors import UserError

NO_ANSWER: Final = "NW-9732"


class Sorted(msgspec.Struct, frozen=True):
    """What can be done now, and what waits until that is done: codes with the titles of their steps."""

    steps: tuple[Step, ...] = ()
    later: tuple[tuple[str, str], ...] = ()


def sort_mends(report: Report) -> Sorted:
    """Give every change that mends what was found, each once.

    A patch was made from the object as it stands, so that of two on one object the second waits for the
    next plan: it would take the first one back.
    """
    steps: list[Step] = []
    later: list[tuple[str, str]] = []
    patched: set[str] = set()
    for one in report.found:
        for mend in one.finding.mends:
            paths = {deed.path for deed in mend.step.deeds if isinstance(deed, Merge)}
            if mend.step in steps:
                continue
            if paths & patched:
                later.append((one.code, mend.step.title))
                continue
            patched |= paths
            steps.append(mend.step)
    return Sorted(tuple(steps), tuple(later))


def plan_mending(report: Report, account_id: str, region: str) -> Plan:
    """Plan what can be done now; the notes say what comes later, and what a person must choose."""
    mends = sort_mends(report)
    notes = [
        f"{one.code} has no single right answer; its commands are in the report"
        for one in report.found
        if not one.finding.is_fixable
    ]
    notes += [f"{code} changes {title}, too: its plan comes next" for code, title in mends.later]
    wish = Wish(cluster=report.cluster)
    return Plan("mend", wish, account_id, region, mends.steps, tuple(dict.fromkeys(notes)))


def undo_lines(report: Report, applied: Collection[Step]) -> tuple[str, ...]:
    """Give the commands that take back what was applied, last change first."""
    mends = [mend for one in report.found for mend in one.finding.mends if mend.step in applied]
    lines = [line for mend in reversed(mends) for line in mend.undo_commands]
    return tuple(dict.fromkeys(lines))


def check_wanted(report: Report, words: tuple[str, ...]) -> None:
    """Refuse to mend by a code for which there is no single right answer."""
    mended = {one.code for one in report.found if one.finding.is_fixable}
    stuck = [one.code for one in report.found if one.code in words and one.code not in mended]
    if stuck:
        raise UserError(
            f"{', '.join(dict.fromkeys(stuck))} has no single right answer",
            code=NO_ANSWER,
            advice="choose among the commands of the report, and run what suits you",
        )
