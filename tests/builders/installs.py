"""Installations without a control plane: a ready-made account, and a cluster that is a table of objects."""

import copy
import json
from contextlib import asynccontextmanager, contextmanager

from builders.awsclients import a_gateway
from builders.standin import Standin
from nodewright.app import installing
from nodewright.install.apply import Applier
from nodewright.install.asking import Asking
from nodewright.install.found import Found
from nodewright.install.look import look
from nodewright.install.look_cluster import look_at_cluster
from nodewright.install.names import Names
from nodewright.install.plan import plan_install, plan_uninstall
from nodewright.install.preflight import check_allowed
from nodewright.install.resources.objects import path_of
from nodewright.install.wish import Wish
from nodewright.sandbox.accounts import scenario
from nodewright.sandbox.accounts.make import ControlPlane, make_account
from nodewright.sandbox.aws.account import Account, Timing
from nodewright.sandbox.aws.dump import diff
from nodewright.sandbox.aws.server import Server
from nodewright.sandbox.kubelet.cloud import Keys

SERVER = "https://127.0.0.1:6443"
AUTHORITY = "QVVUSE9SSVRZ"
READY = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
ESTABLISHED = {"conditions": [{"type": "Established", "status": "True"}]}


class Table:
    """The objects of a cluster in a dictionary, with just enough of an API server's ways."""

    server = SERVER
    authority = AUTHORITY

    def __init__(self):
        self.objects = {}
        self.held = set()
        self.denied = set()

    async def version(self):
        return "v1.34.0"

    async def get(self, path):
        return copy.deepcopy(self.objects.get(path))

    async def list(self, path):
        start, plural = path.partition("?")[0].rsplit("/", 1)
        return [
            copy.deepcopy(one)
            for key, one in sorted(self.objects.items())
            if key.startswith(start) and key.rsplit("/", 2)[1] == plural
        ]

    async def apply(self, document):
        path = path_of(document)
        merged = _merge(self.objects.get(path, {}), document)
        if document["kind"] == "CustomResourceDefinition":
            merged["status"] = ESTABLISHED
        self.objects[path] = merged

    async def merge(self, path, patch):
        assert path in self.objects, f"{path} is not there"
        self.objects[path] = _merge(self.objects[path], patch)

    async def remove(self, path):
        self.objects.pop(path, None)

    async def evict(self, namespace, name):
        if name in self.held:
            return False
        self.objects.pop(f"/api/v1/namespaces/{namespace}/pods/{name}", None)
        return True

    async def allows(self, right):
        return (right.verb, right.kind) not in self.denied

    def kubectl(self, *arguments, stdin=b""):
        """Do what the ready-made accounts ask of kubectl."""
        if arguments[0] == "create":
            for one in json.loads(stdin)["items"]:
                self.objects[_any_path(one)] = one
        if arguments[:2] == ("get", "nodes"):
            return json.dumps({"items": [READY] * 100})
        return ""


def _any_path(document):
    known = {
        "DaemonSet", "ConfigMap", "ServiceAccount", "Deployment", "Service", "Namespace", "NodePool",
        "EC2NodeClass", "CustomResourceDefinition",
    }  # fmt: skip
    if document["kind"] in known:
        return path_of(document)
    plural = f"{document['kind'].lower()}s"
    return f"/apis/{document['apiVersion']}/{plural}/{document['metadata']['name']}"


def _merge(below, above):
    if not isinstance(above, dict) or not isinstance(below, dict):
        return copy.deepcopy(above)
    merged = copy.deepcopy(below)
    for key, value in above.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merge(merged.get(key, {}), value)
    return merged


class Site:
    """An account, its cluster, and somebody who installs."""

    def __init__(self, standin, table, name="shop"):
        self.standin = standin
        self.table = table
        self.name = name

    def wish(self, **choices):
        return Wish(self.name, **choices)

    @contextmanager
    def asking(self, keys=("test", "test")):
        gateway = a_gateway(self.standin, keys)
        try:
            yield Asking(gateway), gateway._clock
        finally:
            gateway.close()

    @asynccontextmanager
    async def opened(self, _place, _environment):
        """Be what the commands find instead of a kubeconfig and an account."""
        with self.asking() as (asking, clock):
            yield installing._Site(asking, self.table, clock, self.standin.account.region)

    async def look(self, wish=None, keys=("test", "test")):
        wish = wish or self.wish()
        with self.asking(keys) as (asking, clock):
            account = await look(asking, wish, self.standin.account.region, clock.now_ms())
        return Found(account, await look_at_cluster(self.table, account, wish))

    async def plan(self, wish=None, verb="install"):
        wish = wish or self.wish()
        make = plan_install if verb == "install" else plan_uninstall
        return make(await self.look(wish), wish)

    async def carry_out_some(self, plan, count):
        """Be killed after so many deeds."""
        with self.asking() as (asking, clock):
            applier = Applier(asking, self.table, clock)
            for deed in deeds(plan)[:count]:
                await applier.do(deed)

    async def check(self, plan, keys, caller):
        """Ask beforehand whether somebody may do all of a plan."""
        names = Names(plan.account_id, plan.region, plan.wish.cluster)
        with self.asking(keys) as (asking, _):
            await check_allowed(asking, plan, names, caller)

    async def carry_out(self, plan, tell=lambda *_: None, keys=("test", "test")):
        with self.asking(keys) as (asking, clock):
            return await Applier(asking, self.table, clock).apply(plan, tell)

    def state(self):
        """Everything that is in the account and on the cluster, to be compared."""
        return {
            **self.standin.account.dump(),
            "object": {
                path: {**one, "data": dict(one.get("data") or {})}
                for path, one in copy.deepcopy(self.table.objects).items()
            },
        }


@contextmanager
def a_site(name="fresh"):
    """Make a ready-made account with its cluster."""
    table = Table()
    wanted = scenario.read(name) if isinstance(name, str) else name
    with Server(Account(wanted.region, timing=Timing(0, 0, 0))) as server:
        plane = ControlPlane(SERVER, AUTHORITY, "v1.34.0", "10.100.0.0/16", table.kubectl)
        make_account(wanted, Keys(server.url, wanted.region, "test"), plane, lambda *_: None)
        yield Site(Standin(server), table, wanted.clusters[0].name)


VOLATILE = {
    "AttachmentCount", "CreateDate", "UpdateDate", "RoleId", "PolicyId", "InstanceProfileId",
    "createdAt", "modifiedAt", "CreatedTimestamp", "LastModifiedTimestamp", "associationId",
    "associationArn", "accessEntryArn", "RoleLastUsed", "PolicyVersionList", "DefaultVersionId",
    "fargateProfileArn", "addonArn",
}  # fmt: skip


def same(value):
    """Drop what differs between two runs that did the same: moments and numbers."""
    if isinstance(value, dict):
        return {key: same(one) for key, one in value.items() if key not in VOLATILE}
    if isinstance(value, list | tuple):
        return [same(one) for one in value]
    return value


def changed(before, after):
    """Say what differs between two states, one line for each thing."""
    return [
        f"{one.what} {one.kind} {one.name} {' '.join(one.paths)}".strip()
        for one in diff(before, after)
    ]


def signs(plan):
    """The lines of a plan, without what nobody compares."""
    return [f"{step.sign} {step.title}" for step in plan.steps]


def deeds(plan):
    return [deed for step in plan.changes for deed in step.deeds]
