"""All checks side by side, within a time: what has not answered by then is unknown, and the rest is told."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from nodewright.doctor.check import Check
from nodewright.doctor.finding import Finding, Text
from nodewright.doctor.look import Look, Unseen
from nodewright.doctor.report import Found, Passed, Report, Unknown, in_order

LIMIT_S: Final = 22.0
"""The whole of a run: with the start of the program and the printing it stays below half a minute."""

type Outcome = tuple[Finding, ...] | Unknown


async def run(checks: Sequence[Check[Any]], look: Look, limit_s: float = LIMIT_S) -> Report:
    """Make every check and give what came of all of them."""
    tasks = {one.code: asyncio.create_task(_make(one, look)) for one in checks}
    try:
        if tasks:
            await asyncio.wait(tasks.values(), timeout=limit_s)
        return _collect(checks, {code: _outcome(task) for code, task in tasks.items()}, look)
    finally:
        for task in tasks.values():
            task.cancel()
        look.close()


async def _make(check: Check[Any], look: Look) -> Outcome:
    try:
        facts = await check.probe(look)
    except Unseen as unseen:
        return Unknown(check.code, check.section, unseen.why)
    return tuple(check.judge(facts))


def _outcome(task: "asyncio.Task[Outcome]") -> Outcome | None:
    return task.result() if task.done() else None


def _collect(
    checks: Sequence[Check[Any]], outcomes: dict[str, Outcome | None], look: Look
) -> Report:
    found: list[Found] = []
    unknown: list[Unknown] = []
    passed: list[Passed] = []
    told = {code for code, one in outcomes.items() if isinstance(one, tuple) and one}
    for check in checks:
        outcome = outcomes[check.code]
        if outcome is None:
            unknown.append(Unknown(check.code, check.section, _LATE))
        elif isinstance(outcome, Unknown):
            unknown.append(outcome)
        elif not outcome:
            passed.append(Passed(check.code, check.section, check.title))
        elif told.isdisjoint(check.yields_to):
            found += [
                Found(check.code, check.section, one.lowered_to or check.severity, check.why, one)
                for one in outcome
            ]
    return Report(look.subject.cluster, in_order(found), tuple(unknown), tuple(passed))


_LATE: Final = Text(
    f"no answer within {LIMIT_S:.0f} s (throttled, or cut off); what was seen of the rest is told",
    f"{LIMIT_S:.0f}초 안에 응답이 없음(요청 제한 또는 연결 끊김), 확인된 나머지만 보고함",
)
