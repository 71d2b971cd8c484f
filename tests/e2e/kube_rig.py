"""What the tests of `kube/` need of a cluster: the controller's own identity, and a witness.

The identity is a service account with the chart's ClusterRole and nothing else. The witness hears
every change of the mirror and holds each to the one before it.
"""

import asyncio
import gc
import os
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

import msgspec

from e2e.faulty_proxy import faulty_proxy
from nodewright.kube.access import Access, Source, User
from nodewright.kube.client import Client, Request
from nodewright.kube.kubeconfig import read_kubeconfig
from nodewright.kube.machine import Machine, MachineClock, MachineRandom
from nodewright.kube.session import Plan, open_session
from nodewright.kube.wire import Reader, read_page
from nodewright.model.metadata import NodeSelectorRequirement, ObjectMeta
from nodewright.model.nodeclaim import NodeClaim, NodeClaimSpec
from nodewright.model.nodepool import NodeClassRef
from nodewright.model.resource import VOLUME_CLAIMS, key_of

ROLE = Path(__file__).parents[2] / "charts" / "nodewright" / "files" / "clusterrole.yaml"
NAMESPACE = "nodewright"
# Long enough for a machine with ten times more to do than it can.
WAIT_S = 120.0


def a_node_claim(name):
    """A claim on a node that no controller looks at, as a struct."""
    return NodeClaim(
        ObjectMeta(name=name),
        NodeClaimSpec(
            node_class_ref=NodeClassRef(group="karpenter.k8s.aws", kind="EC2NodeClass", name="x"),
            requirements=(
                NodeSelectorRequirement(key="kubernetes.io/os", operator="In", values=("linux",)),
            ),
        ),
    )


def a_machine(seed=1):
    """Real time, chance that repeats."""
    return Machine(MachineClock(), MachineRandom(seed))


def admin_access(cluster):
    """Give the administrator's access."""
    return read_kubeconfig((Path(cluster.kubeconfig),))


@cache
def role_access(cluster):
    """Give the access of the controller: the role of the chart and nothing else."""
    manifests = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": "nodewright", "namespace": NAMESPACE},
        },
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": "nodewright"},
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": "nodewright",
            },
            "subjects": [{"kind": "ServiceAccount", "name": "nodewright", "namespace": NAMESPACE}],
        },
    ]
    document = {"apiVersion": "v1", "kind": "List", "items": manifests}
    cluster.kubectl("apply", "-f", str(ROLE))
    cluster.kubectl("apply", "-f", "-", stdin=msgspec.json.encode(document))
    token = cluster.kubectl("create", "token", "nodewright", "-n", NAMESPACE).strip()
    return Access(
        server=cluster.server,
        user=User(token=Source(data=token.encode())),
        authority=Source(path=authority(cluster)),
        namespace=NAMESPACE,
        context="role",
    )


def authority(cluster):
    """Give the file that says whom to trust."""
    return str(cluster.sandbox.folder.certificates / "authority.crt")


class Witness:
    """Hears every change, and holds it to what it heard before."""

    def __init__(self):
        self.held = {}
        self.heard = {}
        self.forbidden = []

    def hear(self, changes):
        for change in changes:
            place = (change.resource.name, change.key)
            assert self.held.get(place) == change.old, f"{place}: a change was missed"
            if change.old is not None and change.new is not None:
                before, after = (int(x.metadata.resource_version) for x in (change.old, change.new))
                same = change.old.metadata.uid == change.new.metadata.uid
                assert after > before or not same, f"{place}: out of order"
            self.held[place] = change.new
            self.heard.setdefault(place, []).append(change.new)

    def forgive(self):
        """Forget refusals: a server that has just started refuses everybody for a moment."""
        self.forbidden.clear()

    def observe(self, method, path, status):
        if status == 403:
            self.forbidden.append(f"{method} {path}")

    def steps(self, key):
        """Give the numbers that a claim was seen to carry, in order."""
        seen = self.heard.get((VOLUME_CLAIMS.name, key), [])
        return [int(claim.metadata.labels["step"]) for claim in seen if claim is not None]


@asynccontextmanager
async def watching(access, resources, *, witness=None, settings=None, terms=None, seed=1):
    """Have a session; afterwards nothing is left of it, and nothing was forbidden."""
    witness = witness or Witness()
    plan = Plan(
        instance="test", terms=terms, resources=resources, hear=witness.hear,
        observe=witness.observe, qps=2000, burst=2000,
    )  # fmt: skip
    if settings is not None:
        plan = msgspec.structs.replace(plan, reflectors=settings)
    before = open_files(), len(asyncio.all_tasks())
    async with open_session(access, a_machine(seed), plan) as session:
        session.witness = witness
        yield session
    await wait_for("nothing is left", lambda: max(leftovers(before)) <= 0, limit_s=20.0)
    assert witness.forbidden == [], f"the role does not allow {witness.forbidden}"


def leftovers(before):
    """Count the descriptors and tasks that have come since, and are not just waiting to be collected."""
    gc.collect()
    return open_files() - before[0], len(asyncio.all_tasks()) - before[1]


def open_files():
    """Count the open file descriptors of this process."""
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - descriptors are no files.


async def wait_for(what, check, limit_s=WAIT_S):
    """Wait until the check gives something true, and give that."""
    loop = asyncio.get_running_loop()
    end = loop.time() + limit_s
    while not (found := check()):
        assert loop.time() < end, f"not after {limit_s} s: {what}"
        await asyncio.sleep(0.05)
    return found


async def fresh_list(cluster, resource):
    """List a kind in one request of the administrator's, past every mirror."""
    client = Client(admin_access(cluster), a_machine())
    try:
        reply = await client.ask(Request("GET", resource.path()))
    finally:
        await client.close()
    assert reply.is_good, reply.body
    reader = Reader(resource)
    things = [reader.read(raw) for raw in read_page(reply.body).items or ()]
    return {key_of(thing.metadata): thing for thing in things}


async def assert_true_mirror(cluster, session, resource, limit_s=WAIT_S):
    """The mirror must come to equal a fresh list, by itself."""
    loop = asyncio.get_running_loop()
    end = loop.time() + limit_s
    while True:
        fresh = await fresh_list(cluster, resource)
        mirrored = {key_of(thing.metadata): thing for thing in session.mirror.all(resource)}
        if mirrored == fresh:
            break
        assert loop.time() < end, (
            f"the mirror of {resource.name} is not true after {limit_s} s: "
            f"{sorted(set(mirrored) ^ set(fresh))[:5]}, {session.describe_problems()}"
        )
        await asyncio.sleep(0.2)
    held = {
        key: thing
        for (kind, key), thing in session.witness.held.items()
        if kind == resource.name and thing is not None
    }
    assert held == fresh


def a_claim(namespace, name, step=0):
    """A claim on storage that nothing ever binds: cheap, and ours to change."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": namespace, "labels": {"step": str(step)}},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "none",
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }


class Storm:
    """Changes claims as the administrator, one number after the other."""

    def __init__(self, cluster, namespace, count):
        self.client = Client(admin_access(cluster), a_machine())
        self.namespace = namespace
        self.names = [f"claim-{number}" for number in range(count)]
        self.written = dict.fromkeys(self.names, 0)

    def path(self, name=""):
        return VOLUME_CLAIMS.path(name, self.namespace)

    async def create(self):
        for name in self.names:
            body = msgspec.json.encode(a_claim(self.namespace, name))
            reply = await self.client.ask(Request("POST", self.path(), {}, body))
            assert reply.is_good, reply.body

    async def step(self, name):
        """Write the next number; give whether it was taken."""
        number = self.written[name] + 1
        body = msgspec.json.encode({"metadata": {"labels": {"step": str(number)}}})
        merge = "application/merge-patch+json"
        reply = await self.client.ask(Request("PATCH", self.path(name), {}, body, merge))
        assert reply.is_good, reply.body
        self.written[name] = number

    async def blow(self, rounds, pause_s=0.0):
        for _ in range(rounds):
            for name in self.names:
                await self.step(name)
            await asyncio.sleep(pause_s)

    def key(self, name):
        return f"{self.namespace}/{name}"


@asynccontextmanager
async def storm_of(cluster, namespace, count):
    """Have a storm for the length of a block."""
    storm = Storm(cluster, namespace, count)
    try:
        # Its connection is there before anybody counts what is open.
        await storm.client.ask(Request("GET", "/version"))
        yield storm
    finally:
        await storm.client.close()


@asynccontextmanager
async def through_proxy(cluster, access, faults, seed=1):
    """Have the same access through a proxy that misbehaves."""
    async with faulty_proxy(cluster.server, authority(cluster), faults, seed) as proxy:
        yield proxy, msgspec.structs.replace(access, server=proxy.url)
