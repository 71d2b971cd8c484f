"""`nodewright doctor node NAME` and `doctor pod NAMESPACE/NAME`: one thing, walked through."""

from typing import TYPE_CHECKING, Final

from rich.console import Group, RenderableType
from rich.text import Text as Shown

from nodewright.cli.doctor_view import finding_lines
from nodewright.cli.errors import EXIT_FINE, EXIT_FOUND
from nodewright.cli.explain_view import pod_screen
from nodewright.cli.output import Format, emit
from nodewright.doctor.finding import Text
from nodewright.doctor.report import Report, publish
from nodewright.doctor.walk import Walk
from nodewright.model.wording import Language

if TYPE_CHECKING:
    from nodewright.app.doctoring import Doctor
    from nodewright.doctor.pod_walk import PodWalk

_STEPS: Final = {
    "launched": Text("launched", "시작됨"),
    "registered": Text("registered", "등록됨"),
    "initialized": Text("initialized", "초기화됨"),
}
_WORDS: Final = {
    "seen": Text("seen", "확인"),
    "aws": Text("AWS", "AWS"),
    "unknown": Text("not seen", "확인 불가"),
    "fine": Text("the node has come all the way", "노드가 끝까지 도달했습니다"),
    "stopped": Text("stopped before: {step}", "멈춘 단계: {step}"),
    "no-cause": Text(
        "no check knows why; what is to be seen stands above",
        "원인을 아는 점검이 없습니다. 위의 사실을 확인하십시오",
    ),
}


def show_node(one: "Doctor", name: str, output: Format, language: Language) -> int:
    """Walk through the way of one node, and say where it stopped and why."""
    walk, report = one.walk_node(name)
    document = {
        "node": walk.node or None,
        "nodeClaim": walk.claim or None,
        "steps": [
            {
                "name": step.name,
                "reached": step.reached,
                "since": step.since,
                "message": step.message,
            }
            for step in walk.steps
        ],
        "stoppedAt": walk.stopped_at,
        "evidence": [each.into(language) for each in walk.evidence],
        "unseen": [each.into(language) for each in walk.unseen],
        **_published(report, language),
    }
    emit(document, output, lambda: _node_screen(walk, report, language))
    return EXIT_FINE if walk.stopped_at is None else EXIT_FOUND


def _published(report: Report, language: Language) -> dict[str, object]:
    found = publish(report, language)
    return {"findings": found.findings, "unknown": found.unknown}


def _node_screen(walk: Walk, report: Report, language: Language) -> RenderableType:
    title = f"Node/{walk.node}" if walk.node else f"NodeClaim/{walk.claim}"
    lines: list[RenderableType] = [Shown(f" {title}", style="bold")]
    for step in walk.steps:
        sign, style = ("✓", "green") if step.reached else ("✗", "red")
        said = f"{step.since}  {step.message}".strip()
        lines.append(Shown(f"   {sign} {_STEPS[step.name].into(language):<14}{said}", style=style))
    lines += [_fact("seen", each, language) for each in walk.evidence]
    lines += [_fact("unknown", each, language) for each in walk.unseen]
    if walk.stopped_at is None:
        lines.append(Shown(f" {_WORDS['fine'].into(language)}", style="green"))
        return Group(*lines)
    last = _STEPS[walk.stopped_at].into(language)
    lines.append(Shown(f" {_WORDS['stopped'].into(language).format(step=last)}", style="bold red"))
    for one in report.found:
        lines += [Shown(""), *finding_lines(one, language)]
    if not report.found:
        lines.append(Shown(f" {_WORDS['no-cause'].into(language)}", style="yellow"))
    lines += [_fact("unknown", one.why, language) for one in report.unknown]
    return Group(*lines)


def show_pod(one: "Doctor", key: str, output: Format, language: Language) -> int:
    """Explain a pod of the live cluster, with what AWS knows of it."""
    from nodewright.app.explaining import pod_document

    walk = one.walk_pod(key)
    document = {
        **pod_document(walk.story, language),
        "aws": [each.into(language) for each in walk.evidence],
        "unseen": [each.into(language) for each in walk.unseen],
    }
    emit(document, output, lambda: _pod_screen(walk, language))
    return EXIT_FINE if walk.story.placeable else EXIT_FOUND


def _pod_screen(walk: "PodWalk", language: Language) -> RenderableType:
    return Group(
        pod_screen(walk.story, language),
        *(_fact("aws", each, language) for each in walk.evidence),
        *(_fact("unknown", each, language) for each in walk.unseen),
    )


def _fact(word: str, said: Text, language: Language) -> Shown:
    return Shown(
        f"   {_WORDS[word].into(language):<10}{said.into(language)}",
        style="dim" if word == "unknown" else "",
    )
