"""Brings a cluster and its account to doctor: who we are there, which cluster it is, and what time it is.

Without credentials of AWS the side of Kubernetes is still looked at; what needs AWS is then unknown. The
cluster's name is taken from the command line, the context, or whoever has its endpoint in EKS.
"""

import asyncio
import shutil
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec

from nodewright.app.installing import Place
from nodewright.aws.gateway import Gateway
from nodewright.aws.session import Access, Clients
from nodewright.aws.workers import Workers
from nodewright.doctor import walk
from nodewright.doctor.calls import TABLE
from nodewright.doctor.check import Check
from nodewright.doctor.cluster import DEPLOYMENTS, read_controller
from nodewright.doctor.look import Look, Subject
from nodewright.doctor.pod_walk import PodWalk, walk_pod
from nodewright.doctor.registry import all_checks
from nodewright.doctor.report import Report
from nodewright.doctor.run import LIMIT_S, run
from nodewright.doctor.walk import Walk
from nodewright.install.apply import Applier, Told
from nodewright.install.asking import Asking
from nodewright.install.cluster import KubeObjects, Objects
from nodewright.install.names import check_cluster
from nodewright.install.steps import Plan
from nodewright.kube.access import find_access
from nodewright.kube.client import Client
from nodewright.kube.machine import this_machine
from nodewright.model.errors import UserError
from nodewright.ports.clock import Clock

UNNAMED: Final = "NW-9733"
SILENT: Final = "NW-9735"
_CLUSTERS_MAX: Final = 20
_HELM_S: Final = 5.0
_CONNECT_S: Final = 6.0
_NAME_S: Final = 5.0
_WHOSE_S: Final = 1.0
_OPENERS: Final = 2


class Examined(msgspec.Struct, frozen=True):
    """A report, and whose account it is about; nothing where AWS was not asked."""

    report: Report
    region: str
    account_id: str = ""


class Site(msgspec.Struct, frozen=True):
    """Both sides, opened."""

    asking: Asking | None
    objects: KubeObjects
    clock: Clock
    region: str
    cluster: str
    why_no_aws: str = ""
    helm_version: str = ""

    def look(self) -> Look:
        """Begin to look anew: nothing is remembered."""
        subject = Subject(
            self.cluster, self.region, self.clock.now_ms(), self.why_no_aws, self.helm_version
        )
        return Look(subject, self.asking, self.objects)


class Doctor:
    """Examines one cluster, and mends what it is told to."""

    def __init__(self, place: Place, environment: Mapping[str, str], cluster: str = "") -> None:
        if cluster:
            check_cluster(cluster)
        self._place = place
        self._environment = environment
        self._cluster = cluster

    def examine(self, checks: tuple[Check[Any], ...], limit_s: float = LIMIT_S) -> Examined:
        """Make the checks; nothing is changed."""
        return asyncio.run(self._examine(checks, limit_s))

    def mend(self, plan: Plan, tell: Told) -> int:
        """Carry a plan out."""
        return asyncio.run(self._mend(plan, tell))

    def walk_node(self, name: str) -> tuple[Walk, Report]:
        """Walk through the way of a node, and make the checks that know why it stopped there."""
        return asyncio.run(self._walk_node(name))

    def walk_pod(self, key: str) -> PodWalk:
        """Explain a pod of the live cluster, with what AWS knows."""
        return asyncio.run(self._walk_pod(key))

    async def _walk_node(self, name: str) -> tuple[Walk, Report]:
        async with self.open() as site:
            look = site.look()
            found = walk.judge(await walk.probe(look, name))
            if found.stopped_at is None:
                look.close()
                return found, Report(site.cluster)
            # Who asks about a node does not want to hear that others still boot at its age.
            look.subject = msgspec.structs.replace(look.subject, claim=found.claim)
            wanted = walk.CHECKS_AT[found.stopped_at]
            checks = tuple(one for one in all_checks() if one.code in wanted)
            return found, await run(checks, look)

    async def _walk_pod(self, key: str) -> PodWalk:
        async with self.open() as site:
            look = site.look()
            try:
                return await walk_pod(look, key)
            finally:
                look.close()

    async def _examine(self, checks: tuple[Check[Any], ...], limit_s: float) -> Examined:
        loop = asyncio.get_running_loop()
        end = loop.time() + limit_s
        async with self.open() as site:
            whose = asyncio.create_task(_account_id(site))
            report = await run(checks, site.look(), end - loop.time())
            await asyncio.wait({whose}, timeout=_WHOSE_S)
            account_id = whose.result() if whose.done() else ""
            whose.cancel()
            return Examined(report, site.region, account_id)

    async def _mend(self, plan: Plan, tell: Told) -> int:
        async with self.open() as site:
            if site.asking is None:
                raise UserError(
                    f"AWS cannot be asked: {site.why_no_aws}", code=UNNAMED, advice="sign in first"
                )
            return await Applier(site.asking, site.objects, site.clock).apply(plan, tell)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[Site]:
        """Open both sides for the length of a block."""
        machine = this_machine()
        access = find_access(
            self._environment, self._place.kubeconfig or None, self._place.context or None
        )
        client = Client(access, machine)
        objects = KubeObjects(client)
        threads = Workers(_OPENERS)
        gateway: Gateway | None = None
        try:
            _, (clients, why), helm = await asyncio.gather(
                _answer(objects),
                _credentials(threads, self._place),
                threads.run(lambda: _helm_version(self._environment)),
            )
            gateway = Gateway(clients, machine.clock, machine.rng) if clients else None
            asking = Asking(gateway, TABLE) if gateway else None
            name = self._cluster or await find_cluster(asking, objects, access.context)
            region = clients.region if clients else ""
            yield Site(asking, objects, machine.clock, region, name, why, helm)
        finally:
            await client.close()
            if gateway is not None:
                gateway.close()


async def _answer(objects: KubeObjects) -> None:
    """Refuse to go on where the API server does not answer."""
    try:
        async with asyncio.timeout(_CONNECT_S):
            await objects.version()
    except TimeoutError:
        raise UserError(
            f"the API server at {objects.server} does not answer within {_CONNECT_S:.0f} s",
            code=SILENT,
            advice="look at --context and at the network between here and there",
        ) from None


async def _credentials(threads: Workers, place: Place) -> tuple[Clients | None, str]:
    try:
        async with asyncio.timeout(_CONNECT_S):
            return await threads.run(lambda: _connect(place))
    except TimeoutError:
        return None, f"nobody gives credentials within {_CONNECT_S:.0f} s"


def _helm_version(environment: Mapping[str, str]) -> str:
    """Ask the Helm of this machine for its version; nothing where there is none that answers."""
    program = shutil.which("helm", path=environment.get("PATH"))
    if program is None:
        return ""
    try:
        done = subprocess.run(  # noqa: S603 - the user's own Helm, asked for its version
            [program, "version", "--short"],
            capture_output=True,
            text=True,
            timeout=_HELM_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


async def _account_id(site: Site) -> str:
    if site.asking is None:
        return ""
    try:
        return str((await site.asking.ask("sts.GetCallerIdentity"))["Account"])
    except UserError:
        # Who may not even ask that was told so by every check that needs AWS.
        return ""


def _connect(place: Place) -> tuple[Clients | None, str]:
    try:
        clients = Clients(Access(region=place.region, profile=place.profile))
        clients.check_credentials()
    except UserError as error:
        if place.region or place.profile:
            raise
        return None, error.message
    return clients, ""


async def find_cluster(asking: Asking | None, objects: Objects, context: str) -> str:
    """Find the name that EKS has for the cluster at this address; what its own settings say, if EKS is silent."""
    names = [context.rpartition("cluster/")[2]] if ":cluster/" in context else []
    names += await _settings_say(objects)
    if asking is None:
        return names[0] if names else ""
    try:
        async with asyncio.timeout(_NAME_S):
            return await _named(asking, objects, names)
    except (UserError, TimeoutError) as error:
        if names:
            return names[0]
        if isinstance(error, UserError):
            raise
        raise UserError(
            f"EKS does not say within {_NAME_S:.0f} s which cluster is at {objects.server}",
            code=UNNAMED,
            advice="add --cluster NAME",
        ) from None


async def _settings_say(objects: Objects) -> list[str]:
    """Name the cluster as the settings of its autoscalers do; nothing where they may not be seen."""
    try:
        async with asyncio.timeout(_NAME_S):
            found = await objects.list(DEPLOYMENTS)
    except (UserError, TimeoutError):
        return []
    controllers = [one for each in found if (one := read_controller(each)) is not None]
    return [name for one in controllers if (name := one.settings.get("CLUSTER_NAME"))]


async def _named(asking: Asking, objects: Objects, names: list[str]) -> str:
    listed = await asking.list("eks.ListClusters", "clusters")
    for name in list(dict.fromkeys([*names, *listed]))[:_CLUSTERS_MAX]:
        told = await asking.find("eks.DescribeCluster", name=name)
        if told and _is_here(told["cluster"], objects):
            return str(name)
    raise UserError(
        f"no cluster of EKS that you may see is at {objects.server}",
        code=UNNAMED,
        advice="add --cluster NAME, or choose another --region or --profile",
    )


def _is_here(cluster: dict[str, Any], objects: Objects) -> bool:
    # Behind a tunnel the address differs, but nobody else has the cluster's authority.
    authority = cluster.get("certificateAuthority", {}).get("data", "")
    return cluster.get("endpoint") == objects.server or (
        bool(objects.authority) and authority == objects.authority
    )
