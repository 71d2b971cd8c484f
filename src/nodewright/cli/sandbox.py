"""`nodewright sandbox`: a real Kubernetes control plane on this machine, to try things on."""

import os
import shlex
import time
from typing import Annotated, Final

import msgspec
from cyclopts import App, Parameter, validators

from nodewright.cli import output as screen
from nodewright.cli.errors import EXIT_FINE, EXIT_FOUND
from nodewright.model.errors import UserError
from nodewright.model.instant import print_instant
from nodewright.sandbox import cluster, standin
from nodewright.sandbox.accounts.scenario import Scenario
from nodewright.sandbox.accounts.scenario import read as read_scenario
from nodewright.sandbox.binaries import locate
from nodewright.sandbox.folder import (
    Folder,
    Member,
    Record,
    Spec,
    folder_of,
    list_folders,
    require_linux,
)
from nodewright.sandbox.versions import choose_version, minor_of

_NODES_MAX: Final = 5_000

NameOption = Annotated[
    str, Parameter(name="--name", help="Which sandbox, where there are several.")
]

app = App(
    name="sandbox",
    help=(
        "Run a real Kubernetes control plane on this machine, with fake nodes that run pods.\n\n"
        "$ nodewright sandbox up --nodes 3\n\n"
        '$ eval "$(nodewright sandbox env)"'
    ),
)


class Shown(msgspec.Struct, frozen=True, rename="camel"):
    """What `status` says of one sandbox."""

    name: str
    state: str
    kubernetes_version: str
    server: str
    kubeconfig: str
    folder: str
    supervisor_pid: int
    started_at: str
    programs: tuple[Member, ...]
    reason: str
    aws_url: str = ""


@app.command
def up(
    *,
    name: NameOption = "default",
    nodes: Annotated[
        int,
        Parameter(
            help="How many fake nodes to have.", validator=validators.Number(gte=0, lte=_NODES_MAX)
        ),
    ] = 0,
    kubernetes_version: Annotated[
        str | None,
        Parameter(help="Such as 1.34 or 1.34.4; else KUBE_VERSION, else the default release."),
    ] = None,
    aws: Annotated[
        bool,
        Parameter(negative=(), help="Have an AWS account beside it, with an EKS cluster in it."),
    ] = False,
    scenario: Annotated[
        str | None,
        Parameter(help="What the account holds: a file, or the name of one that is ready-made."),
    ] = None,
) -> int:
    """Start a sandbox and say what to do next; one that runs already is left as it is.

    $ nodewright sandbox up --nodes 3
    $ nodewright sandbox up --aws --scenario hand-made
    $ nodewright sandbox up --name other --kubernetes-version 1.33
    """
    found = cluster.find(name)
    wanted = _read_scenario(scenario) if aws or scenario else None
    if found is None:
        chosen = locate(kubernetes_version, os.environ, screen.say)
        begun = time.monotonic()
        region = wanted.region if wanted is not None else ""
        spec = Spec(name, chosen.version, chosen.binaries, aws_region=region)
        found = cluster.start(spec, _tell)
        if wanted is not None:
            standin.fill(found, wanted, _tell)
        what = f"Kubernetes {chosen.version} is ready after {time.monotonic() - begun:.1f} s"
    else:
        found.await_ready(_tell)
        what = f"Kubernetes {_keep(found.record, kubernetes_version)} was running already"
        _keep_aws(found.record, wanted)
    if nodes:
        screen.say(f"  making {nodes} fake nodes")
        found.add_nodes(nodes)
    screen.say(f"{what}. To use it:\n")
    _print_exports(found.folder)
    screen.say("\n  kubectl get nodes\n")
    screen.say(f"When you are done: nodewright sandbox down{_flag(name)}")
    return EXIT_FINE


@app.command
def down(
    *,
    name: NameOption = "default",
    every: Annotated[bool, Parameter(name="--all", negative=(), help="All sandboxes.")] = False,
) -> int:
    """End a sandbox and remove everything it has on disk.

    $ nodewright sandbox down
    $ nodewright sandbox down --all
    """
    require_linux()
    folders = _not_owned(list_folders()) if every else (folder_of(name),)
    ended = [folder.name for folder in folders if cluster.stop(folder)]
    if ended:
        screen.say(f"ended and removed: {', '.join(ended)}")
    else:
        screen.say("nothing to end" if every else f"there is no sandbox named {name}")
    return EXIT_FINE


@app.command
def status(
    *,
    name: Annotated[str, Parameter(help="Only this sandbox; status 1 if it is not ready.")] = "",
    output: screen.OutputOption = "table",
) -> int:
    """Say which sandboxes there are and what runs in each.

    $ nodewright sandbox status
    $ nodewright sandbox status --name default -o json
    """
    require_linux()
    folders = (folder_of(name),) if name else list_folders()
    shown = tuple(_look_at(folder) for folder in folders if folder.path.exists())
    screen.emit(shown, output, lambda: _table(shown))
    if not shown and output == "table":
        screen.say("start one with `nodewright sandbox up" + (_flag(name) if name else "") + "`")
    unwell = any(each.state != "ready" for each in shown) or (bool(name) and not shown)
    return EXIT_FOUND if unwell else EXIT_FINE


@app.command
def env(*, name: NameOption = "default") -> int:
    """Print what a shell needs in order to use a sandbox.

    $ eval "$(nodewright sandbox env)"
    """
    found = cluster.find(name)
    if found is None:
        raise UserError(
            f"there is no running sandbox named {name}",
            code="NW-9109",
            advice=f"start it with `nodewright sandbox up{_flag(name)}`",
        )
    _print_exports(found.folder)
    return EXIT_FINE


def _tell(step: str) -> None:
    screen.say(f"  {step}")


def _read_scenario(wanted: str | None) -> Scenario:
    standin.require_standin()
    return read_scenario(wanted or standin.DEFAULT_SCENARIO)


def _keep_aws(record: Record, wanted: Scenario | None) -> None:
    if wanted is not None and not record.aws_url:
        raise UserError(
            f"sandbox {record.name} runs without the AWS stand-in",
            code="NW-9111",
            advice=f"end it with `nodewright sandbox down{_flag(record.name)}`, or use another "
            "--name for a second one",
        )


def _keep(record: Record, wanted: str | None) -> str:
    running = record.kubernetes_version
    if wanted is not None and minor_of(choose_version(wanted)) != minor_of(running):
        raise UserError(
            f"sandbox {record.name} runs Kubernetes {running}, not {wanted}",
            code="NW-9111",
            advice=f"end it with `nodewright sandbox down{_flag(record.name)}`, or use another "
            "--name for a second one",
        )
    return running


def _not_owned(folders: tuple[Folder, ...]) -> list[Folder]:
    """Leave out what ends by itself: the sandboxes of tests that are running now."""
    kept = []
    for folder in folders:
        record = folder.read_record()
        if record is not None and record.owned and folder.is_running():
            screen.say(f"left alone: {folder.name}, which ends with the process that started it")
        else:
            kept.append(folder)
    return kept


def _print_exports(folder: Folder) -> None:
    path = ":".join(folder.read_spec().binaries.folders())
    console = screen.screen()
    console.print(f"export KUBECONFIG={shlex.quote(str(folder.kubeconfig))}", soft_wrap=True)
    console.print(f"export PATH={shlex.quote(path)}:$PATH", soft_wrap=True)
    record = folder.read_record()
    for key, value in standin.environment(record).items() if record is not None else ():
        console.print(f"export {key}={shlex.quote(value)}", soft_wrap=True)


def _look_at(folder: Folder) -> Shown:
    record = folder.read_record()
    alive = folder.is_running()
    if record is None:
        return _shown(folder, None, "starting" if alive else "dead")
    if alive:
        return _shown(folder, record, record.phase)
    # The record of a supervisor that was killed still says how it was.
    state = "failed" if record.phase == "failed" else "dead"
    return _shown(folder, msgspec.structs.replace(record, programs=()), state)


def _shown(folder: Folder, record: Record | None, state: str) -> Shown:
    dead = "its supervisor was killed; `nodewright sandbox down` clears it away"
    return Shown(
        name=folder.name,
        state=state,
        kubernetes_version=record.kubernetes_version if record else "",
        server=record.server if record else "",
        kubeconfig=str(folder.kubeconfig),
        folder=str(folder.path),
        supervisor_pid=record.supervisor_pid if record else 0,
        started_at=print_instant(record.started_ms) if record else "",
        programs=record.programs if record else (),
        reason=dead if state == "dead" else (record.error if record else ""),
        aws_url=record.aws_url if record else "",
    )


def _table(shown: tuple[Shown, ...]) -> screen.Table:
    columns = tuple(
        screen.Column(title, right=title in {"PID", "PORT", "RESTARTS"})
        for title in ("SANDBOX", "STATE", "KUBERNETES", "PROGRAM", "PID", "PORT", "RESTARTS")
    )
    rows: list[screen.Row] = []
    for each in shown:
        state = screen.Cell(each.state, "green" if each.state == "ready" else "red")
        head = (each.name, state, each.kubernetes_version)
        rows.append((*head, "supervisor", str(each.supervisor_pid), "", ""))
        rows += [
            (
                "",
                "",
                "",
                member.name,
                *map(str, (member.pid, member.port or "-", member.restart_count)),
            )
            for member in each.programs
        ]
    notes = [f"{each.name}: {each.reason}" for each in shown if each.reason]
    notes += [f"{each.name}: KUBECONFIG={each.kubeconfig}" for each in shown]
    notes += [f"{each.name}: AWS_ENDPOINT_URL={each.aws_url}" for each in shown if each.aws_url]
    return screen.Table(columns, tuple(rows), tuple(notes) or ("no sandbox is there",))


def _flag(name: str) -> str:
    return "" if name == "default" else f" --name {name}"
