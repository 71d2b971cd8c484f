"""Problems to measure with, as snapshot documents that both schedulers read.

`diverse` and `preferences` follow the recipe of Karpenter's own benchmark on its test catalog (type
i has i+1 cpus and twice as many GiB, at one price per cpu). The others look like clusters that
people run, on a catalog in the shape of a cloud's: families and sizes, three zones, spot and
on-demand. Every problem is made from its seed alone; none is tuned to a scheduler.
"""

import random
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

type Object = dict[str, Any]

ZONE = "topology.kubernetes.io/zone"
HOSTNAME = "kubernetes.io/hostname"
CAPACITY_TYPE = "karpenter.sh/capacity-type"
INSTANCE_TYPE = "node.kubernetes.io/instance-type"
GPU = "nvidia.com/gpu"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
TAKEN_AT = "2026-11-15T09:00:00Z"
SEED = 42

_LETTERS = "abcdefg"
_CPUS_M = (100, 250, 500, 1000, 1500)
_MEMORY_MI = (100, 256, 512, 1024, 2048, 4096)
_TEST_LABELS = ["integer", "size", "special"]

_GENERATIONS = (5, 6, 7, 8)
_GIB_PER_CPU = {"c": 2, "m": 4, "r": 8, "x": 16, "g": 4, "p": 12}
_PRICE_PER_CPU = {"c": 0.0425, "m": 0.048, "r": 0.063, "x": 0.0835, "g": 0.162, "p": 0.341}
_MAKES = {"i": 1.0, "a": 0.9, "g": 0.8}
_SIZES = (2, 4, 8, 16, 32, 48, 64, 96)
_ZONES = ("zone-a", "zone-b", "zone-c")


def diverse(count: int, seed: int = SEED) -> Object:
    """Karpenter's diverse mix: five equal groups, the rest generic."""
    dice = random.Random(seed)
    share = count // 5
    makers = [_generic, _zonal_spread, _host_spread, _near_in_zone, _apart_by_host]
    pods = [make(dice) for make in makers for _ in range(share)]
    pods += [_generic(dice) for _ in range(count - len(pods))]
    return _test_snapshot(f"diverse {count}", dice, pods)


def preferences(count: int = 4000, seed: int = SEED, policy: str = "Respect") -> Object:
    """Karpenter's preference mix: equal pods whose wishes cannot all come true."""
    dice = random.Random(seed)
    requests = _draw_requests(dice)
    labels = {"app": "nginx"}
    affinity = {
        "nodeAffinity": {
            PREFERRED: [
                {
                    "weight": 1,
                    "preference": {"matchExpressions": [_term(ZONE, "In", "test-zone-1")]},
                }
            ]
        },
        "podAntiAffinity": {
            PREFERRED: [
                {"weight": weight, "podAffinityTerm": _near(labels, key)}
                for weight, key in ((10, ZONE), (1, HOSTNAME))
            ]
        },
    }
    pods = [pending_pod(labels, requests, affinity=affinity) for _ in range(count)]
    snapshot = _test_snapshot(f"preferences {count} {policy}", dice, pods)
    snapshot["options"]["preferencePolicy"] = policy
    return snapshot


def services(count: int, seed: int = SEED) -> Object:
    """Make a company's services: few shapes, many replicas, spread over zones, three kinds of agents."""
    dice = random.Random(f"services {seed}")
    pods: list[Object] = []
    while len(pods) < count:
        name = f"svc-{len(pods)}"
        requests = {
            "cpu": f"{dice.choice((100, 200, 250, 500, 1000, 2000))}m",
            "memory": f"{dice.choice((128, 256, 512, 1024, 2048, 4096, 8192))}Mi",
        }
        extra: Object = {}
        if dice.random() < 0.5:
            extra["topologySpreadConstraints"] = [_spread({"app": name}, ZONE, 1)]
        if dice.random() < 0.2:
            extra["nodeSelector"] = {"kubernetes.io/arch": dice.choice(("amd64", "arm64"))}
        replicas = min(count - len(pods), max(2, int(dice.lognormvariate(2.5, 1.0))))
        pods += [pending_pod({"app": name}, requests, **extra) for _ in range(replicas)]
    agents = [_daemon_set(name) for name in ("logs", "metrics", "network")]
    return cloud_snapshot(f"services {count}", dice, pods, agents)


def batch(count: int, seed: int = SEED) -> Object:
    """Jobs of which hardly two ask for the same: thousands of distinct sizes."""
    dice = random.Random(f"batch {seed}")
    pods = [
        pending_pod(
            {"app": "batch"},
            {
                "cpu": f"{min(32_000, max(50, int(dice.lognormvariate(6.6, 1.1))))}m",
                "memory": f"{min(131_072, max(64, int(dice.lognormvariate(7.3, 1.2))))}Mi",
            },
        )
        for _ in range(count)
    ]
    return cloud_snapshot(f"batch {count}", dice, pods, [])


def gpus(count: int, seed: int = SEED) -> Object:
    """Training and inference beside ordinary pods; GPU nodes are tainted and have their own pool."""
    dice = random.Random(f"gpus {seed}")
    pods = []
    for _ in range(count):
        requests = _draw_requests(dice)
        if dice.random() < 0.4:
            cards = dice.choice((1, 1, 1, 2, 4, 8))
            requests = {"cpu": f"{3 * cards}", "memory": f"{12 * cards}Gi", GPU: f"{cards}"}
            tolerations = [{"key": GPU, "operator": "Exists"}]
            pods.append(pending_pod({"app": "train"}, requests, tolerations=tolerations))
        else:
            pods.append(pending_pod({"app": "web"}, requests))
    snapshot = cloud_snapshot(f"gpus {count}", dice, pods, [_daemon_set("logs")])
    pool = _pool("gpu", [_term("karpenter.k8s.aws/instance-gpu-count", "Exists")])
    pool["spec"]["template"]["spec"]["taints"] = [
        {"key": GPU, "value": "present", "effect": "NoSchedule"}
    ]
    snapshot["objects"].insert(0, pool)
    snapshot["instanceTypes"]["gpu"] = "all"
    return snapshot


def tangled(count: int, seed: int = SEED) -> Object:
    """Spread and anti-affinity everywhere: every workload keeps off its own hosts and zones."""
    dice = random.Random(f"tangled {seed}")
    pods: list[Object] = []
    while len(pods) < count:
        labels = {"app": f"app-{len(pods)}", "tier": dice.choice(("front", "back", "data"))}
        mine = {"app": labels["app"]}
        extra: Object = {
            "topologySpreadConstraints": [
                _spread(mine, ZONE, dice.choice((1, 1, 2))),
                _spread(mine, HOSTNAME, dice.choice((1, 2, 3))),
            ],
            "affinity": {"podAntiAffinity": {REQUIRED: [_near(mine, HOSTNAME)]}},
        }
        if dice.random() < 0.3:
            extra["affinity"] = {"podAffinity": {REQUIRED: [_near(mine, ZONE)]}}
            del extra["topologySpreadConstraints"]
        replicas = min(count - len(pods), dice.randint(2, 40))
        requests = _draw_requests(dice)
        pods += [pending_pod(labels, requests, **extra) for _ in range(replicas)]
    return cloud_snapshot(f"tangled {count}", dice, pods, [_daemon_set("logs")])


def crowded(count: int, seed: int = SEED, nodes: int = 2000) -> Object:
    """Make a running cluster: many nodes, most of them nearly full, and new pods to be placed."""
    dice = random.Random(f"crowded {seed}")
    snapshot = services(count, seed)
    snapshot["metadata"]["name"] = f"crowded {count} on {nodes} nodes"
    catalog = [one for one in snapshot["catalogs"]["all"] if GPU not in one["capacity"]]
    machines: list[Object] = []
    running: list[Object] = []
    for index in range(nodes):
        kind = dice.choice(catalog)
        name = f"node-{index:05d}"
        machines += _machine(dice, name, kind)
        room_m = int(kind["capacity"]["cpu"]) * 1000 - 700
        share_m = int(room_m * (0.93 + 0.06 * dice.random()) / 4)
        memory = int(kind["capacity"]["memory"][:-2]) * 1024 // 6
        for number in range(4):
            requests = {"cpu": f"{share_m}m", "memory": f"{memory}Mi"}
            pod = pending_pod({"app": f"old-{index % 97}"}, requests, nodeName=name)
            pod["metadata"]["name"] = f"old-{index:05d}-{number}"
            pod["status"] = {"phase": "Running"}
            running.append(pod)
    _identify(dice, running)
    snapshot["objects"] += [*machines, *running]
    return snapshot


REALISTIC = {
    "services": services,
    "batch": batch,
    "gpus": gpus,
    "tangled": tangled,
    "crowded": crowded,
}


def fake_types(total: int = 400) -> list[Object]:
    """Make the catalog of Karpenter's benchmark."""
    return [_test_type(index) for index in range(total)]


def _test_type(index: int) -> Object:
    cpus = index + 1
    price = 0.1 * cpus + 0.1 * (2 * cpus * (1 << 30)) / 1e9
    is_large = cpus > 4
    special = _term("special", "In", "optional") if is_large else _term("special", "DoesNotExist")
    on_sale = [("spot", 1), ("spot", 2), *(("on-demand", zone) for zone in (1, 2, 3))]
    return {
        "name": f"fake-it-{index}",
        "requirements": [
            _term(INSTANCE_TYPE, "In", f"fake-it-{index}"),
            _term("kubernetes.io/arch", "In", "amd64"),
            _term("kubernetes.io/os", "In", "darwin", "linux", "windows"),
            _term(ZONE, "In", "test-zone-1", "test-zone-2", "test-zone-3"),
            _term(CAPACITY_TYPE, "In", "on-demand", "spot"),
            _term("integer", "In", str(cpus)),
            _term("size", "In", "large" if is_large else "small"),
            special,
        ],
        "capacity": {"cpu": str(cpus), "memory": f"{2 * cpus}Gi", "pods": str(10 * cpus)},
        "overhead": {"kubeReserved": {"cpu": "100m", "memory": "10Mi"}},
        "offerings": [_offering(kind, f"test-zone-{zone}", price) for kind, zone in on_sale],
    }


def cloud_types(seed: int = SEED, generations: Sequence[int] = _GENERATIONS) -> list[Object]:
    """Make a catalog in the shape of a cloud's, with spot prices that differ by zone."""
    dice = random.Random(f"prices {seed}")
    plain = [
        (category, generation, make, disk)
        for category in ("c", "m", "r")
        for generation in generations
        for make in _MAKES
        for disk in ("", "d")
    ]
    rare = [(category, generations[-1], "i", "") for category in ("x", "g", "p")]
    return [_cloud_type(dice, family, cpus) for family in (*plain, *rare) for cpus in _SIZES]


def _cloud_type(dice: random.Random, parts: tuple[str, int, str, str], cpus: int) -> Object:
    category, generation, make, disk = parts
    family = f"{category}{generation}{make}{disk}"
    gib, arch = _GIB_PER_CPU[category], "arm64" if make == "g" else "amd64"
    rate = _PRICE_PER_CPU[category] * _MAKES[make] * (1 + 0.03 * (generation - 5))
    name = f"{family}.{cpus}cpu"
    price = round(cpus * rate * (1.13 if disk else 1.0), 6)
    capacity = {
        "cpu": str(cpus),
        "memory": f"{int(cpus * gib * 0.925)}Gi",
        "pods": str(min(737, 29 + 7 * cpus)),
        "ephemeral-storage": "20Gi",
    }
    requirements = [
        _term(INSTANCE_TYPE, "In", name),
        _term("kubernetes.io/arch", "In", arch),
        _term("kubernetes.io/os", "In", "linux"),
        _term(ZONE, "In", *_ZONES),
        _term(CAPACITY_TYPE, "In", "on-demand", "spot"),
        _term("karpenter.k8s.aws/instance-family", "In", family),
        _term("karpenter.k8s.aws/instance-cpu", "In", str(cpus)),
    ]
    if category in ("g", "p"):
        count = max(1, cpus // 12)
        capacity[GPU] = str(count)
        requirements.append(_term("karpenter.k8s.aws/instance-gpu-count", "In", str(count)))
    else:
        requirements.append(_term("karpenter.k8s.aws/instance-gpu-count", "DoesNotExist"))
    offerings = [_offering("on-demand", zone, price) for zone in _ZONES]
    offerings += [
        _offering("spot", zone, round(price * dice.uniform(0.28, 0.62), 6)) for zone in _ZONES
    ]
    return {
        "name": name,
        "requirements": requirements,
        "capacity": capacity,
        "overhead": {
            "kubeReserved": {"cpu": f"{60 + 3 * cpus}m", "memory": f"{255 + 90 * cpus}Mi"},
            "evictionThreshold": {"memory": "100Mi"},
        },
        "offerings": offerings,
    }


def _offering(kind: str, zone: str, price: float) -> Object:
    return {
        "requirements": [_term(CAPACITY_TYPE, "In", kind), _term(ZONE, "In", zone)],
        "price": price,
        "available": True,
    }


def _term(key: str, operator: str, *values: str) -> Object:
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


def _near(labels: Object, key: str) -> Object:
    return {"labelSelector": {"matchLabels": labels}, "topologyKey": key}


def _spread(labels: Object, key: str, skew: int) -> Object:
    return {
        "maxSkew": skew,
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": labels},
    }


def _draw_requests(dice: random.Random) -> dict[str, str]:
    return {"cpu": f"{dice.choice(_CPUS_M)}m", "memory": f"{dice.choice(_MEMORY_MI)}Mi"}


def pending_pod(labels: dict[str, str], requests: dict[str, str], **spec: Any) -> Object:
    """Make a pod that waits for a node."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"namespace": "default", "labels": labels},
        "spec": {"containers": [{"name": "main", "resources": {"requests": requests}}], **spec},
        "status": {
            "phase": "Pending",
            "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}],
        },
    }


def _generic(dice: random.Random) -> Object:
    return pending_pod({"my-label": dice.choice(_LETTERS)}, _draw_requests(dice))


def _zonal_spread(dice: random.Random) -> Object:
    return _with_spread(dice, ZONE)


def _host_spread(dice: random.Random) -> Object:
    return _with_spread(dice, HOSTNAME)


def _with_spread(dice: random.Random, key: str) -> Object:
    labels = {"my-label": dice.choice(_LETTERS)}
    counted = {"my-label": dice.choice(_LETTERS)}
    requests = _draw_requests(dice)
    return pending_pod(labels, requests, topologySpreadConstraints=[_spread(counted, key, 1)])


def _near_in_zone(dice: random.Random) -> Object:
    labels = {"my-affinity": dice.choice(_LETTERS)}
    affinity = {"podAffinity": {REQUIRED: [_near(labels, ZONE)]}}
    return pending_pod(labels, _draw_requests(dice), affinity=affinity)


def _apart_by_host(dice: random.Random) -> Object:
    labels = {"app": "nginx"}
    affinity = {"podAntiAffinity": {REQUIRED: [_near(labels, HOSTNAME)]}}
    return pending_pod(labels, _draw_requests(dice), affinity=affinity)


def _identify(dice: random.Random, pods: Iterable[Object]) -> None:
    for index, pod in enumerate(pods):
        pod["metadata"].setdefault("name", f"pod-{index:05d}")
        pod["metadata"]["uid"] = str(uuid.UUID(int=dice.getrandbits(128), version=4))


def _pool(name: str, requirements: Sequence[Object] = ()) -> Object:
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": name, "uid": f"00000000-0000-4000-8000-{name:0>12}"},
        "spec": {
            "template": {
                "metadata": {"labels": {}},
                "spec": {
                    "nodeClassRef": {
                        "group": "karpenter.k8s.aws",
                        "kind": "EC2NodeClass",
                        "name": "default",
                    },
                    "requirements": list(requirements),
                    "expireAfter": "Never",
                },
            },
            "disruption": {"consolidateAfter": "Never"},
        },
    }


def _daemon_set(name: str) -> Object:
    requests = {"cpu": "100m", "memory": "128Mi"}
    spec = {
        "containers": [{"name": "main", "resources": {"requests": requests}}],
        "tolerations": [{"operator": "Exists"}],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": "kube-system", "uid": f"daemon-{name}"},
        "spec": {
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": spec},
        },
    }


def _machine(dice: random.Random, name: str, kind: Object) -> list[Object]:
    labels = {one["key"]: one["values"][0] for one in kind["requirements"] if "values" in one}
    labels |= {ZONE: dice.choice(_ZONES), CAPACITY_TYPE: dice.choice(("on-demand", "spot"))}
    labels |= {"karpenter.sh/nodepool": "default", "karpenter.k8s.aws/ec2nodeclass": "default"}
    marks = {"karpenter.sh/registered": "true", "karpenter.sh/initialized": "true", HOSTNAME: name}
    kept = kind["overhead"]["kubeReserved"]
    capacity = kind["capacity"]
    memory = int(capacity["memory"][:-2]) * 1024 - int(kept["memory"][:-2]) - 100
    cpu = int(capacity["cpu"]) * 1000 - int(kept["cpu"][:-1])
    status = {
        "capacity": capacity,
        "allocatable": {**capacity, "cpu": f"{cpu}m", "memory": f"{memory}Mi"},
    }
    conditions = [
        {"type": one, "status": "True", "reason": one, "lastTransitionTime": TAKEN_AT}
        for one in ("Launched", "Registered", "Initialized")
    ]
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "uid": f"node-{name}", "labels": {**labels, **marks}},
        "spec": {"providerID": f"fake:///{name}"},
        "status": {**status, "conditions": [{"type": "Ready", "status": "True"}]},
    }
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
    claim = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodeClaim",
        "metadata": {"name": f"claim-{name}", "uid": f"claim-{name}", "labels": labels},
        "spec": {"nodeClassRef": reference, "requirements": [], "expireAfter": "Never"},
        "status": {
            **status,
            "nodeName": name,
            "providerID": f"fake:///{name}",
            "conditions": conditions,
        },
    }
    return [node, claim]


def _snapshot(name: str, objects: list[Object], catalog: list[Object]) -> Object:
    return {
        "apiVersion": "nodewright.dev/v1",
        "kind": "Snapshot",
        "metadata": {"name": name, "takenAt": TAKEN_AT},
        "objects": objects,
        "catalogs": {"all": catalog},
        "instanceTypes": {"default": "all"},
        "options": {"reservedOfferingMode": "Fallback"},
    }


def _test_snapshot(name: str, dice: random.Random, pods: list[Object]) -> Object:
    _identify(dice, pods)
    pool = _pool("default")
    pool["spec"]["limits"] = {"cpu": "10M", "memory": "10000000Gi"}
    snapshot = _snapshot(name, [pool, *pods], fake_types())
    snapshot["options"]["wellKnownLabels"] = _TEST_LABELS
    return snapshot


def cloud_snapshot(
    name: str, dice: random.Random, pods: list[Object], daemon_sets: list[Object]
) -> Object:
    """Make a snapshot of pods on the catalog in the shape of a cloud's."""
    _identify(dice, pods)
    return _snapshot(name, [_pool("default"), *daemon_sets, *pods], cloud_types())
