"""What a run came to: findings in the order of the sections, what is unknown, and what was in order.

`publish` gives the form that programs read; its shape is a promise.
"""

import msgspec

from nodewright.doctor.check import SECTIONS, Section
from nodewright.doctor.finding import Finding, Text
from nodewright.lint.codes import SEVERITIES, Severity
from nodewright.model.wording import Language


class Found(msgspec.Struct, frozen=True):
    """A finding with what its check says of it."""

    code: str
    section: Section
    severity: Severity
    why: Text
    finding: Finding


class Unknown(msgspec.Struct, frozen=True):
    """A check that could not be made."""

    code: str
    section: Section
    why: Text


class Passed(msgspec.Struct, frozen=True):
    """A check that found nothing."""

    code: str
    section: Section
    title: Text


class Report(msgspec.Struct, frozen=True):
    """Everything that a run came to."""

    cluster: str
    found: tuple[Found, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    passed: tuple[Passed, ...] = ()

    def count(self, severity: Severity) -> int:
        """Count the findings of a severity."""
        return sum(one.severity == severity for one in self.found)

    def sign(self, section: Section) -> str:
        """Give the sign of a section: its gravest finding, else unknown, else fine."""
        grave = {one.severity for one in self.found if one.section == section}
        if "error" in grave:
            return "✗"
        if grave:
            return "!"
        return "?" if any(one.section == section for one in self.unknown) else "✓"

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections that were looked at."""
        seen = {one.section for one in self.found}
        seen |= {one.section for one in self.unknown} | {one.section for one in self.passed}
        return tuple(one for one in SECTIONS if one in seen)


def in_order(found: list[Found]) -> tuple[Found, ...]:
    """Put findings into the order in which people read them: the gravest first."""
    return tuple(
        sorted(
            found,
            key=lambda one: (SEVERITIES.index(one.severity), one.code, one.finding.objects),
        )
    )


class PublishedFinding(msgspec.Struct, frozen=True):
    """A finding as programs read it."""

    code: str
    severity: Severity
    objects: tuple[str, ...]
    facts: tuple[str, ...]
    message: str
    cause: str
    fix: tuple[str, ...]
    fixable: bool


class PublishedUnknown(msgspec.Struct, frozen=True):
    """What could not be looked at, as programs read it."""

    code: str
    why: str


class Published(msgspec.Struct, frozen=True):
    """A report as programs read it."""

    findings: tuple[PublishedFinding, ...]
    unknown: tuple[PublishedUnknown, ...]
    passed: tuple[str, ...]


def publish(report: Report, language: Language = "en") -> Published:
    """Write a report in its published form."""
    return Published(
        findings=tuple(_publish(one, language) for one in report.found),
        unknown=tuple(PublishedUnknown(one.code, one.why.into(language)) for one in report.unknown),
        passed=tuple(one.code for one in report.passed),
    )


def _publish(one: Found, language: Language) -> PublishedFinding:
    return PublishedFinding(
        code=one.code,
        severity=one.severity,
        objects=one.finding.objects,
        facts=tuple(each.into(language) for each in one.finding.facts),
        message=one.finding.message.into(language),
        cause=one.finding.cause.into(language),
        fix=one.finding.commands,
        fixable=one.finding.is_fixable,
    )
