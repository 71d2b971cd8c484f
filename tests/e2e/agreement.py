"""Plans made real: the nodes of many plans at once on one cluster, and the scheduler let loose.

Each problem gets zones, namespaces and nodes of its own by renaming, and every pod a selector of its
problem, so that none sees the others. Pods are held by a gate until all is set up. What takes a storage
provisioner, a RuntimeClass or nodes that are on their way is left to other tests, and so are amounts of
whole pods and matchLabelKeys, of which the problems hold some that an API server refuses.
"""

import asyncio
import enum
import json

import msgspec

from e2e.kube_rig import a_machine, admin_access
from nodewright.core.provisioning import draft_claim
from nodewright.core.scheduling.solve import solve
from nodewright.kube.client import Client, Request
from nodewright.kwok.choice import rank
from nodewright.model.labels import HOSTNAME, INITIALIZED, add_aliases
from nodewright.model.quantity import parse_resources, print_resources
from nodewright.model.requirements import Requirements
from nodewright.ports.cloud import LaunchRequest
from nodewright.state.snapshot import read_snapshot
from problems import generate
from problems.catalog import ZONES
from problems.dice import NAMESPACES

PROBLEM = "example.org/problem"
CLOSED = {"key": "example.org/closed", "effect": "NoSchedule"}
GATE = {"name": "example.org/not-yet"}
RENEWED_EVERY_S = 0.1
LOOK_EVERY_S = 0.5
# A pod that was tried in vain many times is tried again after ten seconds.
QUIET_LOOKS = 24
MERGE = "application/merge-patch+json"
AT_ONCE = 16
SYSTEM = "kube-system"
_SHARED = {*ZONES, *NAMESPACES, SYSTEM, "test", "live", "spot", "on-demand", "reserved"}
_LEFT_OUT = (
    "persistentVolumeClaim", '"ephemeral":', "deletionTimestamp", "karpenter.sh/disrupted",
    "matchLabelKeys", '"nodeAffinityPolicy": "Ignore"',
)  # fmt: skip


class Way(enum.StrEnum):
    """How pods and planned nodes meet."""

    UNPROMISED = enum.auto()
    """All nodes are open when the pods come; nothing says which pod was meant for which."""
    PROMISED = enum.auto()
    """All nodes are open when the pods come, and each pod is nominated to its own."""
    ONE_BY_ONE = enum.auto()
    """Nominated pods wait while node after node opens. Each opening makes the scheduler try again, and
    a try that fails takes the nomination away; it is written anew, as the controller does."""


def is_usable(document):
    """Tell whether a problem can be put beside others on a cluster."""
    text = json.dumps(document)
    kinds = {"Node": [], "NodeClaim": [], "Pod": []}
    for one in document["objects"]:
        kinds.setdefault(one["kind"], []).append(one)
    nodes = {one["spec"].get("providerID") for one in kinds["Node"]}
    return (
        not any(word in text for word in _LEFT_OUT)
        and not any({"overhead", "resources"} & set(one["spec"]) for one in kinds["Pod"])
        and all(one.get("status", {}).get("providerID") in nodes for one in kinds["NodeClaim"])
    )


def find_problems(count, start=0):
    """Give the first usable problems from a seed on, with their seeds."""
    found, seed = [], start
    while len(found) < count:
        document = generate(seed)
        if is_usable(document):
            found.append((seed, document))
        seed += 1
    return found


class Real:
    """One problem with its plan, as objects for the API server."""

    def __init__(self, seed, document):
        self.seed = seed
        world = read_snapshot(json.dumps(document).encode(), f"seed {seed}").world
        plan = solve(world)
        by_kind = {}
        for one in document["objects"]:
            by_kind.setdefault(one["kind"], []).append(one)
        self._names = _SHARED | {one["metadata"]["name"] for one in by_kind.get("Node", ())}
        self.placed = {key: one.name for one in plan.existing_nodes for key in one.pods}
        claims = {one["status"]["providerID"]: one for one in by_kind.get("NodeClaim", ())}
        nodes = [_open(one, claims) for one in by_kind.get("Node", ())]
        for index, planned in enumerate(plan.new_nodes):
            name = f"new-{index}"
            self._names.add(name)
            nodes.append(self._made(planned, name, world))
            self.placed |= dict.fromkeys(planned.pods, name)
        pods = {f"{_space(one)}/{one['metadata']['name']}": one for one in by_kind["Pod"]}
        system = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SYSTEM}}
        self.namespaces = [self._rename(one) for one in (*by_kind["Namespace"], system)]
        self.nodes = [self._own(self._rename(one)) for one in nodes]
        self.bound = [self._pod(one) for one in pods.values() if one["spec"].get("nodeName")]
        self.waiting = [self._pod(pods[key]) for key in sorted(self.placed)]
        self.hosts = {
            f"{self._rename(key.partition('/')[0])}/{key.partition('/')[2]}": self._rename(host)
            for key, host in self.placed.items()
        }

    def _made(self, planned, name, world):
        """A planned node, as the cloud would make it."""
        pool = next(one for one in world.node_pools if one.metadata.name == planned.node_pool)
        claim = draft_claim(planned, pool, name, world.instance_types)
        request = LaunchRequest(
            token=name, claim=name, claim_uid=name, node_pool=planned.node_pool, node_class=None,
            requirements=Requirements.from_expressions(claim.spec.requirements),
            instance_types=planned.instance_types,
            requests=parse_resources(claim.spec.resources.requests),
        )  # fmt: skip
        choice = rank(request, world.instance_types[planned.node_pool])[0]
        room = dict(print_resources(choice.type.allocatable))
        return {
            "metadata": {
                "name": name,
                "labels": {**choice.labels, **claim.metadata.labels, HOSTNAME: name},
            },
            "spec": {"taints": msgspec.to_builtins(claim.spec.taints)},
            "status": {"capacity": room, "allocatable": room},
        }

    def _own(self, node):
        meta = node["metadata"]
        meta["labels"] = {**add_aliases(meta["labels"]), PROBLEM: str(self.seed)}
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": meta["name"],
                "labels": meta["labels"],
                "annotations": {"kwok.x-k8s.io/node": "fake"},
            },
            "spec": {"taints": [*node["spec"].get("taints", ()), CLOSED]},
            "status": node["status"],
        }

    def _pod(self, pod):
        pod = self._rename(pod)
        meta, spec = pod["metadata"], pod["spec"]
        for container in (*spec["containers"], *spec.get("initContainers", ())):
            container["image"] = "x"
        if not spec.get("nodeName"):
            spec["nodeSelector"] = {**spec.get("nodeSelector", {}), PROBLEM: str(self.seed)}
            spec["schedulingGates"] = [GATE]
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": meta["name"],
                "namespace": meta.get("namespace") or f"default-{self.seed}",
                "labels": meta.get("labels", {}),
            },
            "spec": {**spec, "terminationGracePeriodSeconds": 0},
        }

    def _rename(self, value):
        match value:
            case str():
                return f"{value}-{self.seed}" if value in self._names else value
            case dict():
                return {key: self._rename(one) for key, one in value.items()}
            case list():
                return [self._rename(one) for one in value]
        return value


def _space(pod):
    return pod["metadata"].get("namespace", "default")


def _open(node, claims):
    """An existing node as the plan takes it: one that is starting will have what was promised."""
    claim = claims.get(node["spec"].get("providerID"))
    labels = node["metadata"]["labels"]
    if claim is None or labels.get(INITIALIZED) == "true":
        return node
    promised = claim["status"].get("allocatable", {})
    reported = {
        name: value for name, value in node["status"]["allocatable"].items() if value != "0"
    }
    room = {**promised, **reported}
    merged = {**claim["metadata"].get("labels", {}), **labels}
    return {
        "metadata": {**node["metadata"], "labels": merged},
        "spec": {"taints": claim["spec"].get("taints", [])},
        "status": {"capacity": room, "allocatable": room},
    }


class Stage:
    """A cluster on which problems are played, all at once."""

    def __init__(self, cluster):
        self._client = Client(admin_access(cluster), a_machine())

    async def play(self, problems, way):
        """Let the scheduler place the planned pods; give how many it did and which it did not."""
        pods = [pod for one in problems for pod in one.waiting]
        names = [node["metadata"]["name"] for one in problems for node in one.nodes]
        hosts = {key: host for one in problems for key, host in one.hosts.items()}
        try:
            await self._post("namespaces", [n for one in problems for n in one.namespaces])
            await self._accounts(
                [n["metadata"]["name"] for one in problems for n in one.namespaces]
            )
            await self._post("nodes", [node for one in problems for node in one.nodes])
            await self._pods([pod for one in problems for pod in one.bound])
            await self._pods(pods)
            await self._until(self._are_ready, names)
            left = await self._let_loose(problems, hosts, way)
        finally:
            await self._clean(problems)
        return len(pods), left

    async def _let_loose(self, problems, hosts, way):
        if way is not Way.UNPROMISED:
            await self._each(self._nominate, hosts.items())
        if way is not Way.ONE_BY_ONE:
            await self._each(self._open, problems)
            await self._each(self._ungate, hosts)
            return await self._settle(len(hosts))
        await self._each(self._ungate, hosts)
        renewal = asyncio.create_task(self._renew(hosts))
        await self._each(self._open, problems)
        left = await self._settle(len(hosts))
        renewal.cancel()
        return left

    async def close(self):
        await self._client.close()

    async def _post(self, plural, things):
        async def create(thing):
            reply = await self._ask("POST", f"/api/v1/{plural}", thing)
            assert reply.is_good or reply.status == 409, reply.body

        await self._each(create, things)

    async def _pods(self, pods):
        async def create(pod):
            space = pod["metadata"]["namespace"]
            reply = await self._ask("POST", f"/api/v1/namespaces/{space}/pods", pod)
            assert reply.is_good, reply.body

        await self._each(create, pods)

    async def _accounts(self, spaces):
        for space in spaces:
            await self._until(self._has_account, space)

    async def _has_account(self, space):
        path = f"/api/v1/namespaces/{space}/serviceaccounts/default"
        return (await self._ask("GET", path)).is_good

    async def _are_ready(self, names):
        """Tell whether no node of these has a taint that its kubelet will take away."""
        nodes = await self._list("nodes")
        ready = {
            one["metadata"]["name"]
            for one in nodes
            if not any(
                t["key"].startswith("node.kubernetes.io/") for t in one["spec"].get("taints", ())
            )
        }
        return set(names) <= ready

    async def _nominate(self, pair):
        key, host = pair
        change = {"status": {"nominatedNodeName": host}}
        reply = await self._ask("PATCH", f"{_path(key)}/status", change, MERGE)
        assert reply.is_good, reply.body

    async def _renew(self, hosts):
        """Nominate again whoever lost the nomination and still waits."""
        while True:
            for pod in await self._list("pods"):
                key = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
                is_lost = not (
                    pod["spec"].get("nodeName") or pod["status"].get("nominatedNodeName")
                )
                if key in hosts and is_lost:
                    await self._nominate((key, hosts[key]))
            await asyncio.sleep(RENEWED_EVERY_S)

    async def _ungate(self, key):
        reply = await self._ask("PATCH", _path(key), {"spec": {"schedulingGates": None}}, MERGE)
        assert reply.is_good, reply.body

    async def _open(self, problem):
        for node in problem.nodes:
            taints = [one for one in node["spec"]["taints"] if one != CLOSED]
            path = f"/api/v1/nodes/{node['metadata']['name']}"
            reply = await self._ask("PATCH", path, {"spec": {"taints": taints}}, MERGE)
            assert reply.is_good, reply.body

    async def _settle(self, total):
        """Wait until the scheduler has placed all, or has not placed any for a while."""
        best, quiet = total, 0
        while quiet < QUIET_LOOKS:
            pods = [one for one in await self._list("pods") if PROBLEM in _selector(one)]
            left = [one for one in pods if not one["spec"].get("nodeName")]
            if not left:
                return []
            quiet = 0 if len(left) < best else quiet + 1
            best = min(best, len(left))
            await asyncio.sleep(LOOK_EVERY_S)
        return [
            f"{one['metadata']['namespace']}/{one['metadata']['name']}: {_why(one)}" for one in left
        ]

    async def _clean(self, problems):
        async def empty(space):
            params = {"gracePeriodSeconds": "0"}
            path = f"/api/v1/namespaces/{space}/pods"
            await self._client.ask(Request("DELETE", path, params))

        spaces = [n["metadata"]["name"] for one in problems for n in one.namespaces]
        await self._each(empty, spaces)

        async def remove(node):
            await self._ask("DELETE", f"/api/v1/nodes/{node['metadata']['name']}")

        await self._each(remove, [node for one in problems for node in one.nodes])
        await self._until(self._are_empty, set(spaces))

    async def _are_empty(self, spaces):
        return not any(one["metadata"]["namespace"] in spaces for one in await self._list("pods"))

    async def _until(self, check, about, limit_s=60):
        end = asyncio.get_running_loop().time() + limit_s
        while not await check(about):
            assert asyncio.get_running_loop().time() < end, f"{check.__name__}: {about}"
            await asyncio.sleep(0.2)

    async def _list(self, plural):
        reply = await self._ask("GET", f"/api/v1/{plural}")
        assert reply.is_good, reply.body
        return msgspec.json.decode(reply.body)["items"]

    async def _ask(self, method, path, body=None, content_type="application/json"):
        content = msgspec.json.encode(body) if body is not None else b""
        return await self._client.ask(Request(method, path, {}, content, content_type))

    async def _each(self, do, things):
        room = asyncio.Semaphore(AT_ONCE)

        async def one(thing):
            async with room:
                await do(thing)

        async with asyncio.TaskGroup() as group:
            for thing in things:
                group.create_task(one(thing))


def _path(key):
    space, _, name = key.partition("/")
    return f"/api/v1/namespaces/{space}/pods/{name}"


def _selector(pod):
    return pod["spec"].get("nodeSelector") or {}


def _why(pod):
    conditions = pod.get("status", {}).get("conditions") or [{}]
    return conditions[0].get("message", "")
