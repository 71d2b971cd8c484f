"""`nodewright install`: onto an existing EKS cluster: look, plan, consent, apply, verify."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from cyclopts import Parameter

from nodewright.app.writing import write_whole
from nodewright.cli.cluster import ClusterOption
from nodewright.cli.errors import EXIT_FINE, EXIT_FOUND
from nodewright.cli.output import OutputOption, as_json, emit, say
from nodewright.install.steps import Plan, Step, read_plan
from nodewright.install.wish import Identity, Wish
from nodewright.model.errors import UserError

if TYPE_CHECKING:
    from nodewright.app.installing import Installer, Planned

type Form = Literal["policy", "manifests", "helm-values", "cloudformation", "terraform", "cli"]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class AccountOption(ClusterOption):
    """Which cluster, and how the account is reached."""

    region: Annotated[str, Parameter(help="The region; else that of the AWS settings.")] = ""
    profile: Annotated[str, Parameter(help="The profile of the AWS settings.")] = ""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class PlanOption:
    """What is done with the plan."""

    yes: Annotated[bool, Parameter(negative=(), help="Apply without asking, for CI.")] = False
    plan_out: Annotated[
        str, Parameter(help="Write the plan to this file, and do not apply it.")
    ] = ""
    plan: Annotated[str, Parameter(help="Apply exactly this plan, or refuse.")] = ""

    @property
    def proves(self) -> bool:
        """Whether a smoke test may follow."""
        return False


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ProofOption(PlanOption):
    """What is done with the plan, and how it is verified."""

    smoke_test: Annotated[
        bool | None,
        Parameter(help="Verify at the end that a pod gets a node; else where something changed."),
    ] = None

    @property
    def proves(self) -> bool:
        """Whether a smoke test may follow."""
        return self.smoke_test is not False


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ChoiceOption:
    """What is installed."""

    node_role: Annotated[str, Parameter(help="An existing role for nodes.")] = ""
    node_policy: Annotated[
        tuple[str, ...],
        Parameter(negative=(), help="One more policy for nodes, by name or ARN; may repeat."),
    ] = ()
    security_groups: Annotated[str, Parameter(help="Security groups of new nodes: sg-1,sg-2.")] = ""
    identity: Annotated[Identity, Parameter(help="How the controller gets its role.")] = "auto"
    fargate: Annotated[
        bool, Parameter(negative=(), help="Run the controller on Fargate, without a node group.")
    ] = False
    pools: Annotated[bool, Parameter(help="Draft a first NodePool where there is none.")] = True
    take_over: Annotated[
        bool, Parameter(help="Scale Karpenter or Cluster Autoscaler to zero, last.")
    ] = True
    pin_system: Annotated[
        bool, Parameter(negative=(), help="Hold coredns and its like on the node groups.")
    ] = False
    remove_leftovers: Annotated[
        bool, Parameter(negative=(), help="Remove what deleted clusters left and nobody uses.")
    ] = False
    move_group: Annotated[
        str, Parameter(help="Move the pods off this node group, and make it empty.")
    ] = ""
    image: Annotated[str, Parameter(help="The controller's image, as REPOSITORY[:TAG].")] = ""
    journal_s3: Annotated[
        str, Parameter(help="Where the journal is copied to: s3://BUCKET/FOLDER.")
    ] = ""
    replicas: Annotated[int, Parameter(help="How many controllers stand by.")] = 2

    def wish(self, cluster: str) -> Wish:
        """Give all choices as one value."""
        groups = tuple(one.strip() for one in self.security_groups.split(",") if one.strip())
        return Wish(
            cluster=cluster,
            node_role=self.node_role,
            node_policies=self.node_policy,
            security_groups=groups,
            identity=self.identity,
            is_fargate=self.fargate,
            has_pools=self.pools,
            takes_over=self.take_over,
            pins_system=self.pin_system,
            removes_leftovers=self.remove_leftovers,
            move_group=self.move_group,
            image=self.image,
            journal=self.journal_s3,
            replicas=self.replicas,
        )


def install(  # noqa: PLR0913 - each is an option of its own.
    *,
    cluster: Annotated[str, Parameter(help="The name of the EKS cluster.")] = "",
    choices: ChoiceOption = ChoiceOption(),  # noqa: B008 - frozen: sharing the default is safe
    account: AccountOption = AccountOption(),  # noqa: B008
    consent: ProofOption = ProofOption(),  # noqa: B008
    print_: Annotated[
        Form | None, Parameter(name="--print", help="Write what would be done, for other tools.")
    ] = None,
    hand_back: Annotated[
        bool, Parameter(negative=(), help="Let the autoscaler before us scale the cluster again.")
    ] = False,
    output: OutputOption = "table",
) -> int:
    """Install Nodewright on an existing EKS cluster, or bring what is there up to date.

    Looks at the account and the cluster, shows a plan (+ create, ~ change, - remove, = right already) and
    applies it when you agree. A second run changes nothing; `nodewright uninstall` undoes it all.
    Status 0: everything is as it should be. Status 1: the plan was not applied, or no pod got a node.

    $ nodewright install --cluster prod-eu
    $ nodewright install --cluster prod-eu --plan-out plan.json
    $ nodewright install --plan plan.json --yes
    $ nodewright install --cluster prod-eu --print policy
    $ nodewright install --cluster prod-eu --move-group workers
    $ nodewright install --cluster prod-eu --hand-back
    """
    installer = open_installer(account)
    saved = open_plan(consent.plan, ("install", "hand-back"))
    wish = saved.wish if saved else choices.wish(require_cluster(cluster))
    if print_ == "policy":
        sys.stdout.write(as_json(installer.policy(wish)))
        return EXIT_FINE
    verb = saved.verb if saved else ("hand-back" if hand_back else "install")
    planned = make(installer, verb, wish)
    if print_ is not None:
        from nodewright.app.installing import print_plan

        sys.stdout.write(print_plan(planned, print_))
        return EXIT_FINE
    status = follow(installer, planned, saved, consent, output)
    asked = consent.smoke_test
    wanted = bool(planned.plan.changes) if asked is None else asked
    if status != EXIT_FINE or not wanted or verb != "install" or consent.plan_out:
        return status
    return prove(installer, planned.plan.wish)


def require_cluster(cluster: str) -> str:
    """Refuse to guess which cluster is meant."""
    if not cluster:
        raise UserError(
            "nobody says which cluster is meant", code="NW-9001", advice="add --cluster NAME"
        )
    return cluster


def open_installer(account: AccountOption) -> "Installer":
    """Give the installer for an account and a cluster."""
    # boto3 and the Kubernetes client take a moment to load: `--help` does not wait for them.
    from nodewright.app.installing import Installer, Place

    place = Place(account.kubeconfig, account.context, account.region, account.profile)
    return Installer(place, os.environ)


def open_plan(path: str, verbs: tuple[str, ...]) -> Plan | None:
    """Read a plan that was saved, where one is named."""
    if not path:
        return None
    plan = read_plan(Path(path).read_bytes(), path)
    if plan.verb not in verbs:
        raise UserError(
            f"this is a plan to {plan.verb}",
            code="NW-9703",
            where=path,
            advice=f"nodewright {'uninstall' if plan.verb == 'uninstall' else 'install'} --plan {path}",
        )
    return plan


def make(installer: "Installer", verb: str, wish: Wish) -> "Planned":
    """Make a plan; where node groups differ in their security groups, a person may choose."""
    from nodewright.install.resources.network import GroupsDiffer

    try:
        return installer.plan(verb, wish)
    except GroupsDiffer as error:
        if not sys.stdin.isatty():
            raise
        chosen = _choose(error.choices)
    return installer.plan(verb, msgspec.structs.replace(wish, security_groups=chosen))


def _choose(choices: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    say("the node groups have different security groups; which ones do new nodes get?")
    listed = list(choices.items())
    for number, (name, ids) in enumerate(listed, 1):
        say(f"  {number}  as node group {name}: {', '.join(ids)}")
    said = input("number: ").strip()
    if not said.isdecimal() or not 1 <= int(said) <= len(listed):
        raise UserError(f"{said!r} is none of 1 to {len(listed)}", code="NW-9706")
    return listed[int(said) - 1][1]


def follow(
    installer: "Installer",
    planned: "Planned",
    saved: Plan | None,
    consent: PlanOption,
    output: Literal["table", "json", "yaml"],
) -> int:
    """Show a plan, ask, and carry it out."""
    from nodewright.cli.install_view import plan_screen

    plan = planned.plan
    emit(plan, output, lambda: plan_screen(plan, planned.found))
    if consent.plan_out:
        write_whole(Path(consent.plan_out), msgspec.json.encode(plan) + b"\n")
        say(f"written: {consent.plan_out}")
        return EXIT_FINE
    if not plan.changes:
        return EXIT_FINE
    if not consent.yes and not _agrees(plan):
        say("nothing was changed")
        return EXIT_FOUND
    done = _carry_out(installer, saved or plan, consent)
    say(f"done: {done} step{'s' if done != 1 else ''}{_way_back(plan)}")
    return EXIT_FINE


def _agrees(plan: Plan) -> bool:
    if not sys.stdin.isatty():
        say("nobody is there to be asked; --yes applies the plan")
        return False
    if not _says_yes(f"Apply? [y/N]{_way_back(plan)}\n"):
        return False
    for step in plan.changes:
        if step.asks_again and not _says_yes(f"And {step.name}: {step.detail}? [y/N] "):
            say("--no-take-over installs beside it")
            return False
    return True


def _way_back(plan: Plan) -> str:
    if plan.verb == "uninstall":
        return ""
    back = "install" if plan.verb == "hand-back" else "uninstall"
    return f"     undo: nodewright {back} --cluster {plan.wish.cluster}"


def _says_yes(question: str) -> bool:
    return input(question).strip().lower() in ("y", "yes")


def _carry_out(installer: "Installer", plan: Plan, consent: PlanOption) -> int:
    from nodewright.cli.install_command import command_of
    from nodewright.install.apply import Halted

    try:
        proves = consent.proves and plan.verb == "install"
        return installer.carry_out(plan, _Progress(len(plan.changes)).tell, proves=proves)
    except Halted as error:
        say(f"not done: {', '.join(step.title for step in error.left)}")
        say(f"to go on: {command_of(plan, msgspec.structs.asdict(installer.place))}")
        raise


class _Progress:
    """Says what was done, of how much, and what is waited for."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._done = 0

    def tell(self, step: Step, what: str) -> None:
        """Say one thing, on a line of its own."""
        width = len(str(self._count))
        if what == "done":
            self._done += 1
            say(f"  {self._done:>{width}}/{self._count}  {step.sign} {step.title}")
        elif what != "begun":
            say(f"  {'':>{width * 2}}     {step.title}: {what}")


def prove(installer: "Installer", wish: Wish) -> int:
    """Run the smoke test and say what came of it."""
    say("smoke test: a pod that needs a new node (--no-smoke-test leaves it out)")
    smoke = installer.prove(wish)
    if smoke.left:
        say(f"warning: nodeclaim/{smoke.left} is not gone yet")
    if smoke.problem:
        say(f"smoke test failed: {smoke.problem}")
        return EXIT_FOUND
    say(
        f"smoke test: {smoke.node} ({smoke.instance_type}) in {smoke.took_ms // 1000} s, and gone again"
    )
    return EXIT_FINE
