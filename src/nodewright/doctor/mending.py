"""A fix is a plan like that of an installation: shown, agreed to, carried out, and looked at again."""

from collections.abc import Iterable
from typing import Final

from nodewright.doctor.report import Report
from nodewright.install.steps import Plan, Step
from nodewright.install.wish import Wish
from nodewright.model.errors import UserError

NO_ANSWER: Final = "NW-9721"


def plan_mending(report: Report, account_id: str, region: str) -> Plan:
    """Plan every change that mends what was found, each once."""
    steps: list[Step] = []
    for one in report.found:
        for mend in one.finding.mends:
            if mend.step not in steps:
                steps.append(mend.step)
    notes = tuple(
        f"{one.code} has no single right answer; its commands are in the report"
        for one in report.found
        if not one.finding.is_fixable
    )
    wish = Wish(cluster=report.cluster)
    return Plan("mend", wish, account_id, region, tuple(steps), tuple(dict.fromkeys(notes)))


def undo_lines(report: Report, applied: Iterable[Step]) -> tuple[str, ...]:
    """Give the commands that take back what was applied, last change first."""
    done = set(map(id, applied))
    lines: list[str] = []
    for one in reversed(report.found):
        if any(id(mend.step) in done or mend.step in list(applied) for mend in one.finding.mends):
            lines += [line for line in one.finding.undo_commands if line not in lines]
    return tuple(lines)


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
