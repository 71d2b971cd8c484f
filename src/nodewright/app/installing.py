"""Brings the account and the cluster to the installer: who we are there, which cluster, what time it is.

A plan is made in one go and carried out in another, with a person in between. What has happened meanwhile is
seen at the second look, and nothing is done that the person has not seen.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec

from nodewright.aws.gateway import Gateway
from nodewright.aws.session import Access, Clients
from nodewright.install.apply import Applier, Told
from nodewright.install.asking import Asking
from nodewright.install.cluster import KubeObjects
from nodewright.install.formation import print_formation
from nodewright.install.found import Found
from nodewright.install.look import look
from nodewright.install.look_cluster import look_at_cluster
from nodewright.install.names import (
    BAD_NAME,
    Names,
    check_cluster,
    check_image,
    check_journal,
    check_region,
    check_role,
)
from nodewright.install.plan import names_of, plan_hand_back, plan_install, plan_uninstall
from nodewright.install.policy import installer_policy
from nodewright.install.preflight import check_allowed
from nodewright.install.preflight_cluster import check_held, check_rights
from nodewright.install.printing import print_commands, print_manifests, print_values
from nodewright.install.resources.objects import chart_values
from nodewright.install.rights import Right
from nodewright.install.smoke import RIGHTS as SMOKE_RIGHTS
from nodewright.install.smoke import Smoke, smoke_test
from nodewright.install.steps import Plan, check_still_holds
from nodewright.install.terraform import print_terraform
from nodewright.install.wish import Wish
from nodewright.kube.access import find_access
from nodewright.kube.client import Client
from nodewright.kube.machine import this_machine
from nodewright.model.errors import UserError
from nodewright.ports.clock import Clock

NO_POOL: Final = "NW-9719"


class Place(msgspec.Struct, frozen=True):
    """How the account and the cluster are reached."""

    kubeconfig: str = ""
    context: str = ""
    region: str = ""
    profile: str = ""


class Planned(msgspec.Struct, frozen=True):
    """A plan, and what it was made from."""

    plan: Plan
    found: Found


class _Site(msgspec.Struct, frozen=True):
    asking: Asking
    objects: KubeObjects
    clock: Clock
    region: str

    async def look(self, wish: Wish) -> Found:
        """Read both sides."""
        account = await look(self.asking, wish, self.region, self.clock.now_ms())
        return Found(account, await look_at_cluster(self.objects, account, wish))


class Installer:
    """Plans and carries out, on one cluster."""

    def __init__(self, place: Place, environment: Mapping[str, str]) -> None:
        self.place = place
        self._environment = environment

    def plan(self, verb: str, wish: Wish) -> Planned:
        """Look at everything and make a plan; nothing is changed."""
        check_wish(wish)
        return asyncio.run(self._plan(verb, wish))

    def carry_out(self, plan: Plan, tell: Told, *, proves: bool = False) -> int:
        """Do what a plan says, if that is all that is to be done and all of it, and a proof, is allowed."""
        return asyncio.run(self._carry_out(plan, tell, SMOKE_RIGHTS if proves else ()))

    def prove(self, wish: Wish) -> Smoke:
        """Have a pod get a node, and clean up."""
        return asyncio.run(self._prove(wish))

    def policy(self, wish: Wish) -> dict[str, Any]:
        """Give the policy that whoever installs needs; this asks for nothing but the account."""
        check_wish(wish)
        return asyncio.run(self._policy(wish))

    async def _plan(self, verb: str, wish: Wish) -> Planned:
        async with _open(self.place, self._environment) as site:
            found = await site.look(wish)
        return Planned(make_plan(verb, found, wish), found)

    async def _carry_out(self, plan: Plan, tell: Told, besides: Sequence[Right]) -> int:
        async with _open(self.place, self._environment) as site:
            found = await site.look(plan.wish)
            now = make_plan(plan.verb, found, plan.wish)
            check_still_holds(plan, now)
            await check_allowed(site.asking, now, names_of(found), found.account.caller)
            await check_rights(site.objects, now, found.kube.live, besides)
            return await Applier(site.asking, site.objects, site.clock).apply(now, tell)

    async def _prove(self, wish: Wish) -> Smoke:
        async with _open(self.place, self._environment) as site:
            found = await site.look(wish)
            pools = (*found.kube.pools, *found.kube.provisioners)
            if not pools:
                raise UserError(
                    "there is no NodePool, so no pod can get a node",
                    code=NO_POOL,
                    advice="apply one, or install without --no-pools",
                )
            await check_held(site.objects, SMOKE_RIGHTS)
            return await smoke_test(site.objects, site.clock, pools[0])

    async def _policy(self, wish: Wish) -> dict[str, Any]:
        clients = _connect(self.place)
        machine = this_machine()
        gateway = Gateway(clients, machine.clock, machine.rng)
        try:
            caller = await Asking(gateway).ask("sts.GetCallerIdentity")
        finally:
            gateway.close()
        names = Names(str(caller["Account"]), clients.region, wish.cluster)
        return installer_policy(names, wish)


def check_wish(wish: Wish) -> None:
    """Refuse names that cannot be, before anybody is asked about them."""
    check_cluster(wish.cluster)
    if wish.node_role:
        check_role(wish.node_role)
    check_image(wish.image)
    check_journal(wish.journal)
    if wish.replicas < 1:
        raise UserError(
            f"{wish.replicas} controllers would do nothing",
            code=BAD_NAME,
            advice="say --replicas 1 or more; `install --hand-back` lets Nodewright rest",
        )


def make_plan(verb: str, found: Found, wish: Wish) -> Plan:
    """Make the plan of a verb."""
    makers: dict[str, Callable[[Found, Wish], Plan]] = {
        "install": plan_install,
        "uninstall": plan_uninstall,
        "hand-back": plan_hand_back,
    }
    return makers[verb](found, wish)


def print_plan(planned: Planned, form: str) -> str:
    """Write a plan in one of the forms that other tools take."""
    match form:
        case "manifests":
            return print_manifests(planned.plan)
        case "cloudformation":
            return print_formation(planned.plan)
        case "terraform":
            return print_terraform(planned.plan)
        case "helm-values":
            found = planned.found
            return print_values(chart_values(found, planned.plan.wish, names_of(found)))
    return print_commands(planned.plan)


def _connect(place: Place) -> Clients:
    check_region(place.region)
    try:
        clients = Clients(Access(region=place.region, profile=place.profile))
        clients.check_credentials()
    except UserError as error:
        # The controller's advice is about its pod; here a person sits before a screen.
        raise UserError(
            error.message,
            code=error.code,
            where=error.where,
            advice="sign in (`aws sso login`), or choose a --profile and a --region; "
            "`aws sts get-caller-identity` must work first",
        ) from None
    return clients


@asynccontextmanager
async def _open(place: Place, environment: Mapping[str, str]) -> AsyncIterator[_Site]:
    clients = await asyncio.to_thread(_connect, place)
    machine = this_machine()
    gateway = Gateway(clients, machine.clock, machine.rng)
    access = find_access(environment, place.kubeconfig or None, place.context or None)
    client = Client(access, machine)
    try:
        yield _Site(Asking(gateway), KubeObjects(client), machine.clock, clients.region)
    finally:
        await client.close()
        gateway.close()
