"""`nodewright doctor`: find what is wrong with a cluster, explain it, and mend it where one answer is right."""

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from cyclopts import Parameter

from nodewright.app.writing import write_whole
from nodewright.cli.errors import EXIT_FAILED, EXIT_FINE, EXIT_FOUND
from nodewright.cli.install import AccountOption
from nodewright.cli.language import LanguageOption, choose_language
from nodewright.cli.output import Format, as_json, emit, say
from nodewright.model.errors import UserError
from nodewright.model.wording import Language

if TYPE_CHECKING:
    from nodewright.app.doctoring import Doctor, Examined
    from nodewright.doctor.report import Report
    from nodewright.install.steps import Step

_WALKS: Final = (("node",), ("pod",))
_WALK_WORDS: Final = 2

type ReportFormat = Literal["table", "json", "yaml", "markdown", "html"]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class MendOption:
    """What is done about what was found."""

    fix: Annotated[
        bool,
        Parameter(negative=(), help="Mend what was found: shows the plan, asks, checks again."),
    ] = False
    yes: Annotated[bool, Parameter(negative=(), help="Mend without asking, for CI.")] = False
    watch: Annotated[
        bool, Parameter(negative=(), help="Look again and again, and tell what changes.")
    ] = False
    every: Annotated[int, Parameter(help="Seconds between two looks of --watch.")] = 30
    bundle: Annotated[
        str, Parameter(help="Write a snapshot and the report to this zip file, for a ticket.")
    ] = ""
    all: Annotated[bool, Parameter(negative=(), help="List what is in order, too.")] = False


def doctor(
    *words: Annotated[
        str,
        Parameter(help="Codes or sections to look at; or `node NAME`, or `pod NAMESPACE/NAME`."),
    ],
    cluster: Annotated[str, Parameter(help="The name of the EKS cluster; else it is found.")] = "",
    account: AccountOption = AccountOption(),  # noqa: B008 - frozen: sharing the default is safe
    mending: MendOption = MendOption(),  # noqa: B008
    output: Annotated[
        ReportFormat, Parameter(name=["--output", "-o"], help="How to print the report.")
    ] = "table",
    lang: LanguageOption = None,
) -> int:
    """Find what is wrong with a cluster and its account, and say why and what to do.

    Reads Kubernetes and AWS and changes nothing. With --fix it shows a plan of changes, applies it when
    you agree, and looks again; every change is told together with what takes it back.
    Status 0: nothing was found. Status 1: something was. Status 2: it, or most of it, could not be looked at.

    $ nodewright doctor
    $ nodewright doctor --cluster prod-eu network NW-3025
    $ nodewright doctor --fix NW-3025
    $ nodewright doctor -o markdown --lang ko
    $ nodewright doctor node ip-10-0-1-23.ec2.internal
    $ nodewright doctor pod shop/checkout-6d9f-x2kqp
    $ nodewright doctor --bundle ticket.zip
    $ nodewright doctor --watch
    """
    # boto3 and the Kubernetes client take a moment to load: `--help` does not wait for them.
    from nodewright.app.doctoring import Doctor
    from nodewright.app.installing import Place
    from nodewright.doctor.registry import choose

    place = Place(account.kubeconfig, account.context, account.region, account.profile)
    language = choose_language(lang, "table" if output == "table" else "json")
    one = Doctor(place, os.environ, cluster)
    if words[:1] in _WALKS:
        return _walk(one, words, output, language)
    checks = choose(words)
    if mending.watch:
        return _watch(one, words, mending, output, language)
    examined = one.examine(checks)
    if mending.bundle:
        return _bundle(examined.report, account, mending.bundle, language)
    show(examined.report, output, language, everything=mending.all)
    if mending.fix and examined.report.found:
        return _mend(one, examined, words, mending, language)
    return status_of(examined.report)


def _walk(one: "Doctor", words: tuple[str, ...], output: ReportFormat, language: Language) -> int:
    from nodewright.cli.doctor_walk import show_node, show_pod

    forms: dict[str, Format] = {"table": "table", "json": "json", "yaml": "yaml"}
    if len(words) != _WALK_WORDS or output not in forms:
        raise UserError(
            "one node or one pod is walked through, as a table, JSON or YAML",
            code="NW-9001",
            advice="nodewright doctor node NAME, or nodewright doctor pod NAMESPACE/NAME",
        )
    kind, name = words
    if kind == "node":
        return show_node(one, name, forms[output], language)
    return show_pod(one, name if "/" in name else f"default/{name}", forms[output], language)


def _bundle(report: "Report", account: AccountOption, path: str, language: Language) -> int:
    from nodewright.app.doctor_bundle import make_bundle
    from nodewright.cli.cluster import PlaceOption, take_place

    place = PlaceOption(
        kubeconfig=account.kubeconfig, context=account.context, region=account.region
    )
    write_whole(Path(path), make_bundle(take_place(place), report, language))
    say(f"written: {path} (snapshot and report; look through it before you send it)")
    return status_of(report)


def status_of(report: "Report") -> int:
    """Give the exit status of a report: a run that saw nothing wrong because it saw little has failed."""
    if report.found:
        return EXIT_FOUND
    return EXIT_FAILED if len(report.unknown) > len(report.passed) else EXIT_FINE


def show(
    report: "Report", output: ReportFormat, language: Language, *, everything: bool = False
) -> None:
    """Print a report."""
    from nodewright.cli.doctor_view import report_screen
    from nodewright.doctor.pages import as_html, as_markdown
    from nodewright.doctor.report import publish

    match output:
        case "markdown":
            sys.stdout.write(as_markdown(report, language))
        case "html":
            sys.stdout.write(as_html(report, language))
        case _:
            value = publish(report, language)
            emit(value, output, lambda: report_screen(report, language, everything=everything))


def _mend(
    one: "Doctor",
    examined: "Examined",
    words: tuple[str, ...],
    mending: MendOption,
    language: Language,
) -> int:
    from nodewright.cli.doctor_view import mending_screen
    from nodewright.cli.output import screen
    from nodewright.doctor.mending import check_wanted, plan_mending, sort_mends, undo_lines
    from nodewright.doctor.registry import choose

    check_wanted(examined.report, tuple(word.upper() for word in words))
    plan = plan_mending(examined.report, examined.account_id, examined.region)
    if not plan.changes:
        say("nothing that was found has a single right answer")
        return EXIT_FOUND
    screen().print(mending_screen(plan), crop=False)
    if not mending.yes and not _agrees():
        say("nothing was changed")
        return EXIT_FOUND
    done: list[Step] = []
    try:
        one.mend(plan, lambda step, what: _tell(step, what, done))
    finally:
        for line in undo_lines(examined.report, tuple(done)):
            say(f"undo: {line}")
    say("checking again")
    again = one.examine(choose(words))
    show(again.report, "table", language)
    # Every plan that was carried out leaves less to do, so that this ends.
    waits = bool(sort_mends(examined.report).later)
    if waits and len(again.report.found) < len(examined.report.found):
        return _mend(one, again, words, mending, language)
    return status_of(again.report)


def _agrees() -> bool:
    if not sys.stdin.isatty():
        say("nobody is there to be asked; --yes applies the plan")
        return False
    return input("Apply? [y/N] ").strip().lower() in ("y", "yes")


def _tell(step: "Step", what: str, done: "list[Step]") -> None:
    if what == "done":
        done.append(step)
        say(f"  {step.sign} {step.title}")


def _watch(
    one: "Doctor",
    words: tuple[str, ...],
    mending: MendOption,
    output: ReportFormat,
    language: Language,
) -> int:
    from nodewright.doctor.registry import choose
    from nodewright.doctor.report import publish

    if mending.every < 1 or output not in ("table", "json"):
        raise UserError(
            "--watch prints tables or JSON, and waits a second at least",
            code="NW-9001",
            advice="give -o table or -o json, and --every 1 or more",
        )
    before: Report | None = None
    while True:
        report = one.examine(choose(words)).report
        if output == "json":
            if before is None or publish(before) != publish(report):
                sys.stdout.write(as_json(publish(report, language)))
        elif before is None:
            show(report, output, language, everything=mending.all)
        else:
            _tell_changes(before, report, language)
        sys.stdout.flush()
        before = report
        time.sleep(mending.every)


def _tell_changes(before: "Report", now: "Report", language: Language) -> None:
    was = {(one.code, one.finding.objects): one for one in before.found}
    there = {(one.code, one.finding.objects): one for one in now.found}
    for key, one in there.items():
        if key not in was:
            sys.stdout.write(f"+ {one.code} {one.finding.message.into(language)}\n")
    for key, one in was.items():
        if key not in there:
            sys.stdout.write(f"- {one.code} {one.finding.message.into(language)}\n")
