"""`nodewright convert`: manifests of earlier Karpenter versions as manifests of v1."""

import sys
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from nodewright.app.converting import Converted, Remark, convert_sources
from nodewright.app.manifests import open_sources
from nodewright.cli.errors import EXIT_FINE, EXIT_FOUND
from nodewright.cli.files import FilesArgument, check_files
from nodewright.cli.lint import read_minor
from nodewright.cli.output import as_json, say, screen
from nodewright.convert.nodeclass import ConvertOptions
from nodewright.convert.notes import CHECK, LOST, REFUSED
from nodewright.model.errors import UserError

type ConvertFormat = Literal["yaml", "json"]

REFUSED_CODE: Final = "NW-9017"
_STYLES: Final = {REFUSED: "bold red", LOST: "bold red", CHECK: "bold yellow"}
_ORDER: Final = (REFUSED, LOST, CHECK)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Facts:
    """What the manifests do not say."""

    kubernetes_version: Annotated[
        str, Parameter(help="The cluster's version, such as 1.34.", show_default=False)
    ] = ""
    role: Annotated[
        str, Parameter(help="The IAM role of nodes whose class names none.", show_default=False)
    ] = ""
    instance_profile: Annotated[
        str, Parameter(help="The instance profile, instead of a role.", show_default=False)
    ] = ""

    def options(self) -> ConvertOptions:
        """Read them as the conversion wants them."""
        if self.role and self.instance_profile:
            raise UserError(
                "--role and --instance-profile exclude each other",
                code="NW-9016",
                advice="nodes have one of the two",
            )
        return ConvertOptions(
            kubernetes_minor=read_minor(self.kubernetes_version),
            role=self.role,
            instance_profile=self.instance_profile,
        )


_FACTS: Final = Facts()


def convert(
    *files: FilesArgument,
    check: Annotated[
        bool, Parameter(help="Only say what would be lost or needs a look.", negative="")
    ] = False,
    facts: Facts = _FACTS,
    output: Annotated[
        ConvertFormat, Parameter(name=["--output", "-o"], help="How to print the result.")
    ] = "yaml",
) -> int:
    """Rewrite Provisioners, AWSNodeTemplates, v1beta1 objects and old Helm values as v1.

    Comments say what changed and why. What is v1 already comes out as it was. What has no
    counterpart today (a launch template of your own) is refused. Status 0: converted. Status 1:
    something was lost, or, with --check, something needs a look. Status 2: something was refused.

    $ nodewright convert provisioner.yaml > nodepool.yaml
    $ nodewright convert manifests/ --check
    $ kubectl get provisioners,awsnodetemplates -o yaml | nodewright convert - --role my-node-role
    """
    check_files(files, "convert")
    converted = convert_sources(open_sources(files), facts.options())
    if check:
        return _report(converted, output)
    refused = converted.of_kind(REFUSED)
    if refused:
        raise _refusal(refused)
    for remark in converted.of_kind(LOST, CHECK):
        say(f"{'lost' if remark.kind == LOST else 'check'}: {_place(remark)}{remark.message}")
    sys.stdout.write(as_json(converted.objects) if output == "json" else converted.text)
    return EXIT_FOUND if converted.of_kind(LOST) else EXIT_FINE


def _refusal(refused: list[Remark]) -> UserError:
    first = refused[0]
    what, colon, advice = first.message.rpartition(": ")
    if not colon:
        what, advice = advice, ""
    more = f" (and {len(refused) - 1} more; --check lists all)" if len(refused) > 1 else ""
    return UserError(
        f"{first.object} cannot be converted: {what}{more}",
        code=REFUSED_CODE,
        where=_place(first).rstrip(": "),
        advice=advice,
    )


def _report(converted: Converted, output: ConvertFormat) -> int:
    found = [one for kind in _ORDER for one in converted.of_kind(kind)]
    if output == "json":
        sys.stdout.write(as_json({"notes": converted.remarks}))
    else:
        _show(found, len(converted.remarks) - len(found), len(converted.objects))
    return EXIT_FOUND if found else EXIT_FINE


def _show(found: list[Remark], others: int, count: int) -> None:
    from rich.text import Text

    console = screen()
    for remark in found:
        text = Text()
        text.append(remark.kind, style=_STYLES[remark.kind])
        text.append(f"  {_place(remark)}{remark.object}: {remark.message}")
        console.print(text)
    words = f"{others} changes keep the meaning" if others != 1 else "1 change keeps the meaning"
    sums = [f"{sum(one.kind == kind for one in found)} {kind}" for kind in _ORDER]
    objects = f"{count} object{'' if count == 1 else 's'}"
    console.print(Text(f"{objects} after conversion; {', '.join(sums)}; {words}"))


def _place(remark: Remark) -> str:
    return f"{remark.file}:{remark.line}:{remark.column}: " if remark.file else ""
