"""A report as a page: Markdown for tickets, HTML for people who were sent a link. Same words, same order."""

from collections.abc import Iterator
from html import escape
from typing import Final

from nodewright.doctor.check import SECTION_NAMES
from nodewright.doctor.finding import Text
from nodewright.doctor.report import Found, Report
from nodewright.model.wording import Language

HEADS: Final = {
    "title": Text("Nodewright doctor: {cluster}", "Nodewright 진단: {cluster}"),
    "sums": Text(
        "{passed} checks passed, {errors} problems, {warnings} warnings, {notes} notes, {unknown} unknown",
        "점검 {passed}개 통과, 문제 {errors}개, 경고 {warnings}개, 참고 {notes}개, 확인 불가 {unknown}개",
    ),
    "fact": Text("Seen", "확인한 사실"),
    "cause": Text("Cause", "원인"),
    "why": Text("Why it matters", "왜 중요한가"),
    "fix": Text("Fix", "해결"),
    "choose": Text("Choose among", "다음 중 선택"),
    "undo": Text("Undo", "되돌리기"),
    "unknown": Text("Could not be checked", "확인하지 못한 점검"),
    "passed": Text("In order", "정상"),
}
_STYLE: Final = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "h2{border-left:.4rem solid #999;padding-left:.6rem}h2.error{border-color:#c0392b}"
    "h2.warning{border-color:#d68910}pre{background:#f4f4f4;padding:.7rem;overflow:auto}"
    "@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}pre{background:#242424}}"
)


def sums(report: Report, language: Language) -> str:
    """Say in one line what the run came to."""
    return (
        HEADS["sums"]
        .into(language)
        .format(
            passed=len(report.passed),
            errors=report.count("error"),
            warnings=report.count("warning"),
            notes=report.count("info"),
            unknown=len(report.unknown),
        )
    )


def as_markdown(report: Report, language: Language = "en") -> str:
    """Write a report as Markdown."""
    lines = [
        f"# {_head('title', language).format(cluster=report.cluster)}",
        "",
        sums(report, language),
    ]
    for one in report.found:
        lines += ["", *_markdown(one, language)]
    if report.unknown:
        lines += ["", f"## {_head('unknown', language)}", ""]
        lines += [f"- **{one.code}** {one.why.into(language)}" for one in report.unknown]
    if report.passed:
        lines += ["", f"## {_head('passed', language)}", ""]
        lines += [f"- {one.code} {one.title.into(language)}" for one in report.passed]
    return "\n".join(lines) + "\n"


def _markdown(one: Found, language: Language) -> Iterator[str]:
    finding = one.finding
    section = SECTION_NAMES[one.section].into(language)
    yield f"## {one.code} ({one.severity}, {section}): {finding.message.into(language)}"
    yield ""
    yield ", ".join(f"`{each}`" for each in finding.objects)
    yield ""
    yield from (f"- {_head('fact', language)}: {each.into(language)}" for each in finding.facts)
    yield f"- {_head('cause', language)}: {finding.cause.into(language)}"
    yield f"- {_head('why', language)}: {one.why.into(language)}"
    if finding.commands:
        name = "fix" if finding.is_fixable else "choose"
        yield from ("", f"{_head(name, language)}:", "", "```sh", *finding.commands, "```")
    if finding.undo_commands:
        yield from ("", f"{_head('undo', language)}:", "", "```sh", *finding.undo_commands, "```")


def as_html(report: Report, language: Language = "en") -> str:
    """Write a report as one page of HTML that needs nothing else."""
    title = escape(_head("title", language).format(cluster=report.cluster))
    parts = [
        (
            f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>'
            f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>'
        ),
        f"<h1>{title}</h1><p>{escape(sums(report, language))}</p>",
    ]
    parts += [_html(one, language) for one in report.found]
    if report.unknown:
        items = [(one.code, one.why.into(language)) for one in report.unknown]
        parts.append(_html_list(_head("unknown", language), items))
    if report.passed:
        items = [(one.code, one.title.into(language)) for one in report.passed]
        parts.append(_html_list(_head("passed", language), items))
    return "\n".join([*parts, "</body></html>"]) + "\n"


def _html(one: Found, language: Language) -> str:
    finding = one.finding
    lines = [
        f'<h2 class="{one.severity}">{one.code} · {escape(finding.message.into(language))}</h2>',
        f"<p><code>{escape(', '.join(finding.objects))}</code></p><ul>",
        *(
            f"<li>{_head('fact', language)}: {escape(each.into(language))}</li>"
            for each in finding.facts
        ),
        f"<li>{_head('cause', language)}: {escape(finding.cause.into(language))}</li>",
        f"<li>{_head('why', language)}: {escape(one.why.into(language))}</li></ul>",
    ]
    if finding.commands:
        name = "fix" if finding.is_fixable else "choose"
        said = escape("\n".join(finding.commands))
        lines.append(f"<p>{_head(name, language)}</p><pre>{said}</pre>")
    if finding.undo_commands:
        said = escape("\n".join(finding.undo_commands))
        lines.append(f"<p>{_head('undo', language)}</p><pre>{said}</pre>")
    return "\n".join(lines)


def _html_list(title: str, items: list[tuple[str, str]]) -> str:
    rows = "".join(f"<li><b>{escape(code)}</b> {escape(text)}</li>" for code, text in items)
    return f"<h2>{escape(title)}</h2><ul>{rows}</ul>"


def _head(name: str, language: Language) -> str:
    return HEADS[name].into(language)
