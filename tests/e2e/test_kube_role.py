"""The role on a real API server: all that it allows is used, and nothing else is asked for."""

import copy

import pytest

from crds import cases, cases_aws
from e2e.kube_rig import (
    Witness,
    a_machine,
    a_node_claim,
    admin_access,
    role_access,
    wait_for,
    watching,
)
from nodewright.app.status import CONFIG_MAPS, NAME
from nodewright.crds.document import definitions
from nodewright.kube.client import Client, Request
from nodewright.kube.crds import check_crds, install_crds
from nodewright.kube.election import Terms
from nodewright.kube.reflector import Settings
from nodewright.model import resource as kinds
from nodewright.model.metadata import ObjectMeta
from nodewright.model.node import Node
from nodewright.model.resource import Ref
from nodewright.ports.kube import Notice, Options, Outcome

pytestmark = pytest.mark.e2e

SOON = Settings(absent_retry_ms=300)
STATUS = Options(subresource="status")
STATES = [{"metadata": {"name": NAME}, "data": {"status": text}} for text in "ab"]
VERBS = {"POST": "create", "PATCH": "patch", "DELETE": "delete", "GET": "get"}
# Kinds whose definitions are not ours to install, and which a cluster may have all the same.
STRANGERS = (kinds.MACHINES, kinds.KWOK_NODE_CLASSES)
BETA = {
    kinds.BETA_NODE_POOLS: kinds.NODE_POOLS,
    kinds.BETA_NODE_CLAIMS: kinds.NODE_CLAIMS,
    kinds.BETA_NODE_CLASSES: kinds.NODE_CLASSES,
}
DNS = "/api/v1/namespaces/kube-system/services/kube-dns"
OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def a_definition(resource):
    """A definition that takes everything, for a kind that is not ours."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{resource.plural}.{resource.group}"},
        "spec": {
            "group": resource.group,
            "names": {"kind": resource.kind, "plural": resource.plural},
            "scope": "Cluster",
            "versions": [a_version(resource, storage=True)],
        },
    }


def a_version(resource, *, storage):
    return {
        "name": resource.version,
        "served": True,
        "storage": storage,
        "schema": {"openAPIV3Schema": OPEN},
        "subresources": {"status": {}},
    }


def with_beta(crd):
    """Give a definition that serves v1beta1 beside its own version, where there was one."""
    crd = copy.deepcopy(crd)
    for older, today in BETA.items():
        if crd["metadata"]["name"] == today.name:
            crd["spec"]["versions"].append(a_version(older, storage=False))
    return crd


@pytest.fixture
async def admin(cluster):
    """The administrator's client; afterwards the definitions are as before."""
    client = Client(admin_access(cluster), a_machine())
    await install_crds(client, definitions(legacy=True))
    yield client
    await install_crds(client, definitions(legacy=True))
    names = [f"crd/{one.plural}.{one.group}" for one in STRANGERS]
    cluster.kubectl("delete", *names, "--ignore-not-found")
    await client.close()


@pytest.fixture
def objects(cluster, admin, namespace):
    """One object of each kind whose status is written, called after the test's namespace."""
    taken = [case.object for case in (*cases.CASES, *cases_aws.CASES) if not case.refused]
    wanted = [
        next(one for one in taken if one["kind"] == kind)
        for kind in ("NodePool", "EC2NodeClass", "Provisioner", "AWSNodeTemplate")
    ]
    cluster.create(*({**one, "metadata": {"name": namespace}} for one in wanted))
    pods = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"containers": [{"name": "main", "image": "none"}]},
        }
        for name in ("evicted", "deleted")
    ]
    buffer = {
        "apiVersion": kinds.CAPACITY_BUFFERS.api_version,
        "kind": "CapacityBuffer",
        "metadata": {"name": namespace, "namespace": namespace},
        "spec": {"podTemplateRef": {"name": "shape"}, "replicas": 1},
    }
    policy = {
        "apiVersion": kinds.NODE_POLICIES.api_version,
        "kind": "NodePolicy",
        "metadata": {"name": namespace},
        "spec": {"minNodeAge": "1h"},
    }
    cluster.create(*pods, buffer, policy)
    yield namespace
    cluster.run_kubectl("delete", "nodepolicy", namespace, "--ignore-not-found")
    for one in wanted:
        cluster.run_kubectl("delete", one["kind"], namespace, "--ignore-not-found")


class Requests(Witness):
    """Keeps what was asked for, as RBAC names it."""

    def __init__(self):
        super().__init__()
        self.asked = set()

    def observe(self, method, path, status):
        super().observe(method, path, status)
        self.asked.add(as_rule(method, path))


def as_rule(method, path):
    """Say a request in the words of a rule: verb, group, resource."""
    parts = path.strip("/").split("/")
    group, rest = ("", parts[2:]) if parts[0] == "api" else (parts[1], parts[3:])
    if rest[0] == "namespaces" and len(rest) > 2:
        rest = rest[2:]
    resource = f"{rest[0]}/{rest[2]}" if len(rest) > 2 else rest[0]
    if method == "GET" and len(rest) == 1:
        return "list", group, resource
    return VERBS[method], group, resource


def allowed(cluster):
    """Give every permission of the role as the cluster has it."""
    rules = cluster.get("clusterrole", "nodewright")["rules"]
    return {
        (verb, group, resource)
        for rule in rules
        for verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


async def act_on_pods(kube, namespace):
    """What happens to pods: they are promised a node, asked to leave, and made to."""
    evicted, deleted = (Ref(kinds.PODS, name, namespace) for name in ("evicted", "deleted"))
    promise = {"status": {"nominatedNodeName": "soon"}}
    return [
        await kube.patch(evicted, promise, STATUS),
        await kube.evict(evicted),
        await kube.delete(deleted, Options(grace_s=0)),
    ]


async def act_on_nodes(kube, name):
    """What happens to nodes and claims, from birth to death; KWOK's nodes are born by us."""
    node, claim = Ref(kinds.NODES, name), Ref(kinds.NODE_CLAIMS, name)
    label = {"metadata": {"labels": {"example.org/a": "b"}}}
    return [
        await kube.create(kinds.NODES, Node(ObjectMeta(name))),
        await kube.patch(node, label),
        await kube.patch(node, {"status": {"capacity": {"cpu": "1"}}}, STATUS),
        await kube.delete(node),
        await kube.create(kinds.NODE_CLAIMS, a_node_claim(name)),
        await kube.patch(claim, label),
        await kube.patch(claim, {"status": {"nodeName": name}}, STATUS),
        await kube.delete(claim),
    ]


async def act_on_wishes(kube, name):
    """What happens to what users write: annotations on pools and classes, and conditions."""
    condition = {
        "type": "Ready",
        "status": "True",
        "reason": "Ready",
        "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    status = {"status": {"conditions": [condition]}}
    note = {"metadata": {"annotations": {"example.org/a": "b"}}}
    noted = (kinds.NODE_POOLS, kinds.NODE_CLASSES)
    answers = [await kube.patch(Ref(one, name), note) for one in noted]
    stated = (
        kinds.NODE_POOLS,
        kinds.NODE_CLASSES,
        kinds.KWOK_NODE_CLASSES,
        kinds.NODE_POLICIES,
        kinds.PROVISIONERS,
        kinds.AWS_NODE_TEMPLATES,
    )
    refs = [*(Ref(one, name) for one in stated), Ref(kinds.CAPACITY_BUFFERS, name, name)]
    return answers + [await kube.patch(one, status, STATUS) for one in refs]


def knows_all(session):
    """Tell whether every kind is listed and watched."""
    return all(map(session.mirror.is_known, kinds.WATCHED)) and all(
        one.vitals.watch_count for one in session.reflectors.values()
    )


async def test_all_that_the_role_allows_is_used_and_nothing_else(cluster, admin, objects):
    await install_crds(admin, [with_beta(one) for one in definitions(legacy=True)])
    await install_crds(admin, [a_definition(one) for one in STRANGERS])
    cluster.create(
        {
            "apiVersion": kinds.KWOK_NODE_CLASSES.api_version,
            "kind": "KWOKNodeClass",
            "metadata": {"name": objects},
        }
    )
    requests = Requests()
    terms = Terms("role", objects, "role-test")
    async with watching(
        role_access(cluster), kinds.WATCHED, witness=requests, settings=SOON, terms=terms
    ) as session:
        await wait_for("every kind", lambda: session.witness.forbidden or knows_all(session))
        assert session.witness.forbidden == []
        await wait_for("leading", session.may_act)
        await check_crds(session.client, definitions())
        await session.client.ask(Request("GET", DNS))
        answers = [
            *await act_on_pods(session.kube, objects),
            *await act_on_nodes(session.kube, objects),
            *await act_on_wishes(session.kube, objects),
            *[
                await session.kube.apply(Ref(CONFIG_MAPS, NAME, objects), a_status)
                for a_status in STATES
            ],
        ]
        # Applying what is not there yet makes it.
        requests.asked.add(("create", "", "configmaps"))
        session.kube.publish(Notice(Ref(kinds.NODE_POOLS, objects), "Tried", "all of it"))
        assert await session.recorder.drain(10.0)

    watched = {("watch", one.group, one.plural) for one in kinds.WATCHED}
    assert [one.message for one in answers if one.outcome is not Outcome.DONE] == []
    assert requests.asked | watched == allowed(cluster)


async def test_older_kinds_that_come_later_are_watched_beside_those_of_today(cluster, admin):
    watched = (kinds.NODE_POOLS, kinds.BETA_NODE_POOLS, kinds.MACHINES, kinds.PROVISIONERS)
    pool = {
        "apiVersion": "karpenter.sh/v1beta1",
        "kind": "NodePool",
        "metadata": {"name": "from-before"},
        "spec": cases.a_pool()["spec"],
    }
    async with watching(role_access(cluster), watched, settings=SOON) as session:
        mirror = session.mirror
        await session.wait_synced(60_000)
        before = [mirror.is_known(one) for one in watched]
        # Right after definitions changed the server may not serve them for a moment.
        await wait_for("no problem", lambda: not session.describe_problems())
        ready = session.judge_ready()
        await install_crds(admin, [with_beta(one) for one in definitions(legacy=True)])
        await install_crds(admin, [a_definition(kinds.MACHINES)])
        await wait_for("the older kinds", lambda: all(map(mirror.is_known, watched)))
        cluster.create(pool)
        older = await wait_for("it", lambda: mirror.get(kinds.BETA_NODE_POOLS, "from-before"))
        today = await wait_for("its self", lambda: mirror.get(kinds.NODE_POOLS, "from-before"))
        cluster.kubectl("delete", "nodepools.karpenter.sh", "from-before")
        await wait_for("its end", lambda: not mirror.get(kinds.BETA_NODE_POOLS, "from-before"))

    assert before == [True, False, False, True]
    assert ready == ""
    assert older.metadata.uid == today.metadata.uid
