"""`nodewright lint`: mistakes in manifests, found before a cluster meets them."""

import codecs
import gc
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from nodewright.app.manifests import STANDARD_INPUT, Source, open_sources
from nodewright.catalog.resolve import regions
from nodewright.cli.errors import EXIT_FINE, EXIT_FOUND
from nodewright.cli.files import FilesArgument, check_files
from nodewright.cli.lint_view import show_findings
from nodewright.cli.output import emit
from nodewright.lint.codes import CODES
from nodewright.lint.engine import lint as run_lint
from nodewright.lint.finding import Finding, publish
from nodewright.lint.fix import fix_text
from nodewright.lint.sarif import sarif_document
from nodewright.lint.stream import Told
from nodewright.model.errors import UserError
from nodewright.state.manifests import read_manifests

type LintFormat = Literal["text", "json", "yaml", "sarif"]

_VERSION: Final = re.compile(r"v?1\.([0-9]{1,3})(?:[.+-].*)?")
_ENCODINGS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ROUNDS_MAX: Final = 5
"""A mended file may show what was hidden before; more rounds than this find nothing new."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Cluster:
    """What the manifests do not say about their cluster."""

    kubernetes_version: Annotated[
        str, Parameter(help="The cluster's version, such as 1.34.", show_default=False)
    ] = ""
    region: Annotated[
        str,
        Parameter(
            help="Whose instance types and zones; else that of the zones in the files, else "
            "$AWS_REGION.",
            show_default=False,
        ),
    ] = ""

    def told(self) -> Told:
        """Read both as the rules want them."""
        usual = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or ""
        known = usual if usual in regions() else ""
        return Told(self.region, known, read_minor(self.kubernetes_version))


_CLUSTER: Final = Cluster()


def lint(
    *files: FilesArgument,
    fix: Annotated[
        bool, Parameter(help="Mend what has one right answer, in the files.", negative="")
    ] = False,
    ignore: Annotated[
        tuple[str, ...],
        Parameter(
            help="A code that is not reported; may be repeated.",
            consume_multiple=False,
            negative="",
            show_default=False,
        ),
    ] = (),
    cluster: Cluster = _CLUSTER,
    output: Annotated[
        LintFormat, Parameter(name=["--output", "-o"], help="How to print the findings.")
    ] = "text",
) -> int:
    """Find mistakes in NodePools, node classes, workloads and Helm values.

    Files are YAML or JSON of any Kubernetes objects, and are looked at together: a pod is held
    against the pools beside it. Status 0: nothing was found. Status 1: something was.

    $ nodewright lint nodepool.yaml
    $ nodewright lint manifests/ --kubernetes-version 1.34 --region eu-west-1
    $ nodewright lint nodepool.yaml --fix
    $ helm template karpenter | nodewright lint - -o sarif
    """
    check_files(files, "lint")
    _check_codes(ignore)
    told = cluster.told()
    if fix and STANDARD_INPUT in files:
        raise UserError(
            "standard input cannot be mended in place",
            code="NW-9016",
            advice="write it to a file and name that",
        )
    mended = 0
    with _without_collection():
        sources = open_sources(files)
        if fix:
            sources, mended = _fix(sources, told, ignore)
        findings = run_lint([one for source in sources for one in source.manifests], told, ignore)
    match output:
        case "text":
            show_findings(findings, {source.name: source.text for source in sources}, mended)
        case "sarif":
            emit(sarif_document(findings), "json", _no_table)
        case _:
            emit({"findings": [publish(finding) for finding in findings]}, output, _no_table)
    return EXIT_FOUND if findings else EXIT_FINE


@contextmanager
def _without_collection() -> Iterator[None]:
    """Let nobody search thousands of manifests for garbage: all of them are needed to the end."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def read_minor(version: str) -> int | None:
    """Read a Kubernetes version (`1.34`, `v1.34.2-eks-…`); nothing means unknown."""
    if not version:
        return None
    form = _VERSION.fullmatch(version)
    if form is None:
        raise UserError(
            f"{version!r} is no Kubernetes version",
            code="NW-9016",
            advice="write it like 1.34",
        )
    return int(form[1])


def _check_codes(codes: tuple[str, ...]) -> None:
    for code in codes:
        if code not in CODES:
            raise UserError(
                f"there is no finding with the code {code!r}",
                code="NW-9016",
                advice="codes look like NW-2117 and stand in front of every finding",
            )


def _fix(sources: list[Source], told: Told, ignore: tuple[str, ...]) -> tuple[list[Source], int]:
    """Mend files until nothing changes any more, and write those that changed."""
    mended = 0
    before = {source.name: source.text for source in sources}
    for _ in range(_ROUNDS_MAX):
        findings = run_lint([one for source in sources for one in source.manifests], told, ignore)
        if not any(finding.edits for finding in findings):
            break
        after, count = zip(*(_fix_source(source, findings) for source in sources), strict=True)
        if not sum(count):
            break
        sources, mended = list(after), mended + sum(count)
    for source in sources:
        if source.text != before[source.name]:
            _write_back(source)
    return sources, mended


def _fix_source(source: Source, findings: list[Finding]) -> tuple[Source, int]:
    fixed = fix_text(source.text, [one for one in findings if one.manifest.file == source.name])
    if not fixed.mended:
        return source, 0
    manifests = tuple(read_manifests(fixed.text.encode(), source.name))
    return Source(source.name, fixed.text, manifests), len(fixed.mended)


def _write_back(source: Source) -> None:
    """Write a mended file in the encoding that it had."""
    path = Path(source.name)
    head = path.read_bytes()[:4]
    encoding = next((name for mark, name in _ENCODINGS if head.startswith(mark)), "utf-8")
    path.write_bytes(source.text.encode(encoding))


def _no_table() -> str:
    raise AssertionError("findings are not shown as a table")
