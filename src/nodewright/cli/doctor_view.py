"""A report of doctor, for people: the sums, each finding with its facts and its fix, and the areas."""

from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text as Shown

from nodewright.cli.install_view import show_steps
from nodewright.doctor.check import SECTION_NAMES
from nodewright.doctor.finding import Text
from nodewright.doctor.report import Found, Report
from nodewright.install.printing import print_deeds
from nodewright.install.steps import Plan
from nodewright.model.wording import Count, Language

_SIGNS: Final = {"error": ("✗", "red"), "warning": ("!", "yellow"), "info": ("i", "cyan")}
_COLOURS: Final = {"✗": "red", "!": "yellow", "✓": "green", "?": "magenta"}
_HANG: Final = 15
_OBJECTS_MAX: Final = 6
"""So many objects of a finding are named on the screen; a fault may concern a thousand nodes."""
_SUMS: Final = Text(
    "✓ {passed:check} passed   ✗ {errors:problem}   ! {warnings:warning}   i {notes:note}   ? {unknown} unknown",
    "✓ 점검 {passed}개 통과   ✗ 문제 {errors}개   ! 경고 {warnings}개   i 참고 {notes}개   ? 확인 불가 {unknown}개",
)
_WORDS: Final = {
    "object": Text("object", "대상"),
    "fact": Text("fact", "사실"),
    "cause": Text("cause", "원인"),
    "why": Text("why", "영향"),
    "fix": Text("fix", "해결"),
    "choose": Text("choose", "선택"),
    "changes": Text("shows the plan first: {plan}", "먼저 계획을 보여 줌: {plan}"),
    "areas": Text("areas", "영역"),
    "more": Text("and {count} more (-o json names all)", "외 {count}개 (-o json에 모두 나옴)"),
    "also": Text("so with {codes}", "{codes}도 같음"),
    "clean": Text("nothing is wrong", "문제가 없습니다"),
}


def report_screen(report: Report, language: Language, *, everything: bool) -> RenderableType:
    """Draw a report."""
    parts: list[RenderableType] = [_sums(report, language)]
    for one in report.found:
        parts += [Shown(""), *finding_lines(one, language)]
    if report.found or report.unknown:
        parts.append(Shown(""))
    parts += _unknown_lines(report, language)
    if everything:
        parts += [
            _hanging(f"✓ {one.code}", one.title.into(language), "dim") for one in report.passed
        ]
    if not report.found and not report.unknown:
        parts.append(Shown(_WORDS["clean"].into(language), style="green"))
    parts.append(_areas(report, language))
    return Group(*parts)


def _unknown_lines(report: Report, language: Language) -> list[RenderableType]:
    """Say each reason once, with every check that it keeps from an answer."""
    reasons: dict[str, list[str]] = {}
    for one in report.unknown:
        reasons.setdefault(one.why.into(language), []).append(one.code)
    lines: list[RenderableType] = []
    for why, (code, *others) in reasons.items():
        also = _WORDS["also"].into(language).format(codes=", ".join(others)) if others else ""
        lines.append(_hanging(f"? {code}", f"{why}; {also}" if also else why, "magenta"))
    return lines


def _sums(report: Report, language: Language) -> Shown:
    line = _SUMS.into(language).format(
        passed=Count(len(report.passed)),
        errors=Count(report.count("error")),
        warnings=Count(report.count("warning")),
        notes=Count(report.count("info")),
        unknown=len(report.unknown),
    )
    shown = [part for part in line.split("   ") if not _is_none(part)]
    return Shown("   ".join(shown), style="bold")


def _is_none(part: str) -> bool:
    return not part.startswith("✓") and any(word in ("0", "0개") for word in part.split())


def finding_lines(one: Found, language: Language) -> list[RenderableType]:
    """Draw one finding."""
    sign, colour = _SIGNS[one.severity]
    finding = one.finding
    lines = [_hanging(f"{sign} {one.code}", finding.message.into(language), f"bold {colour}")]
    lines.append(_line("object", _named(finding.objects, language), language))
    lines += [_line("fact", each.into(language), language) for each in finding.facts]
    lines.append(_line("cause", finding.cause.into(language), language))
    lines.append(_line("why", one.why.into(language), language))
    if finding.is_fixable:
        plan = "; ".join(f"{each.step.sign} {each.step.title}" for each in finding.mends)
        said = _WORDS["changes"].into(language).format(plan=plan)
        lines.append(_line("fix", f"nodewright doctor --fix {one.code}     {said}", language))
    lines += [
        _line("choose", command, language, style="cyan")
        for command in (() if finding.is_fixable else finding.commands)
    ]
    return lines


def _named(objects: tuple[str, ...], language: Language) -> str:
    shown = ", ".join(objects[:_OBJECTS_MAX])
    rest = len(objects) - _OBJECTS_MAX
    return f"{shown} {_WORDS['more'].into(language).format(count=rest)}" if rest > 0 else shown


def _line(word: str, said: str, language: Language, style: str = "") -> RenderableType:
    return _hanging(f"    {_WORDS[word].into(language)}", said, style)


def _hanging(head: str, said: str, style: str) -> RenderableType:
    """Put a head before a text whose further lines stand under its first word."""
    from rich.table import Table

    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=_HANG - 1, no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(
        Shown(head, style=style if style.startswith("bold") or head.lstrip()[0] in "?✓" else "dim"),
        Shown(said, style=style),
    )
    return Padding(grid, (0, 0, 0, 1), expand=False)


def _areas(report: Report, language: Language) -> Shown:
    text = Shown(f" {_WORDS['areas'].into(language)}: ")
    for section in report.sections:
        sign = report.sign(section)
        text.append(f"{SECTION_NAMES[section].into(language)} ")
        text.append(sign, style=_COLOURS[sign])
        text.append("  ")
    return text.append("    --all · -o json", style="dim")


def mending_screen(plan: Plan) -> RenderableType:
    """Draw a plan of changes."""
    parts: list[RenderableType] = [
        Shown("plan    + create   ~ change   - remove"),
        show_steps(plan.steps),
        Shown("calls"),
        *(
            Shown(f"  {line}", style="dim")
            for step in plan.steps
            for line in print_deeds(step.deeds)
        ),
        *(Shown(f"note    {note}", style="yellow") for note in plan.notes),
        Shown(f"{Count(len(plan.changes)):change} · plan {plan.digest}", style="bold"),
    ]
    return Group(*parts)
