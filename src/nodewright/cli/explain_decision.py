"""`nodewright explain D-…`: what was decided, on what, why, and what came of it."""

import msgspec

from nodewright.app.explaining import pod_document
from nodewright.cli.cluster import SourceOption, open_decisions
from nodewright.cli.errors import EXIT_FINE
from nodewright.cli.explain_view import pod_screen
from nodewright.cli.output import Format, emit
from nodewright.core.explain.pod import PodStory, explain_pod
from nodewright.journal.documents import DecisionDocument, LookDocument, write_found
from nodewright.journal.reading import Found
from nodewright.model.resource import PODS
from nodewright.model.wording import Language

_PLANNING = "provisioning"


class ExplainedDecision(msgspec.Struct, frozen=True):
    """What `explain D-… -o json` prints; pods are explained as they were at that moment."""

    decision: DecisionDocument
    look: LookDocument
    pod: object | None = None


def explain_decision(name: str, source: SourceOption, output: Format, language: Language) -> int:
    """Show one decision of a journal."""
    found = open_decisions(source).find(name)
    written = write_found(found)
    story = _pod_story(found)
    document = ExplainedDecision(
        written.decision, written.look, None if story is None else pod_document(story, language)
    )

    def show() -> object:
        from rich.console import Group

        parts = [_text(written.decision, written.look)]
        return Group(*parts) if story is None else Group(*parts, "", pod_screen(story, language))

    emit(document, output, show)  # type: ignore[arg-type]
    return EXIT_FINE


def _pod_story(found: Found) -> PodStory | None:
    """Explain the pod that a plan was about, on the World that it was about."""
    one = found.entry.decision
    kind, _, key = one.subject.partition("/")
    if one.controller != _PLANNING or kind != PODS.name:
        return None
    return explain_pod(found.open().world, key)


def _text(one: DecisionDocument, look: LookDocument) -> str:
    rows = [
        ("decision", f"{one.id}: {one.kind} {one.subject}"),
        ("reason", one.reason),
        ("note", one.note),
        ("decided", f"{one.at} by {one.controller}, woken by {one.cause or 'nothing'}"),
        ("together", f"one of {look.count} decisions, taken in {look.duration_ms} ms"),
        ("rests on", ", ".join(f"{name} at version {version}" for name, version in one.basis)),
        ("came of it", _outcome(one)),
        ("again", f"nodewright replay {one.id}"),
    ]
    return "\n".join(f"{title:<11} {said}" for title, said in rows if said)


def _outcome(one: DecisionDocument) -> str:
    if one.outcome is None:
        return ""
    said = f"{one.outcome.outcome} after {one.outcome.duration_ms} ms, at {one.outcome.at}"
    return f"{said}: {one.outcome.message}" if one.outcome.message else said
