"""Kinds of failure: each a World with pod `default/pod`, the code, and the first sentence."""

from builders.labels import a_spread, a_taint, a_term, tolerating, want
from builders.nodes import a_managed_node, a_node, a_pool
from builders.pods import a_daemon_set, a_pod, pods
from builders.storage import a_volume, a_volume_claim
from builders.types import a_type, an_offering
from builders.world import a_world
from nodewright.catalog.resolve import instance_types_for
from nodewright.model.labels import ARCH, CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE
from nodewright.model.world import World

TEAM = "example.com/team"
CATEGORY = "karpenter.k8s.aws/instance-category"
FAMILY = "karpenter.k8s.aws/instance-family"
EFA = "vpc.amazonaws.com/efa"
SMALL = a_type("small", cpu=2, memory="8Gi")
LARGE = a_type("large", cpu=16, memory="64Gi")
CATEGORIES = [
    a_type(f"{category}7.large", cpu=2, labels={CATEGORY: category}) for category in "ctm"
]


def ec2_world(pod, **pool):
    types = instance_types_for("ap-northeast-2")
    return a_world(pod, a_pool(**pool), types={"default": types})


FAILURES = {
    "a taint": (
        a_world(a_pod(cpu=1), SMALL, a_pool(taints=[a_taint("batch", "only")])),
        "NW-1201",
        "taint batch=only:NoSchedule is not tolerated (the pod has 0 tolerations)",
    ),
    "a taint that another value tolerates": (
        a_world(
            a_pod(cpu=1, tolerations=[tolerating("team", "a")]),
            SMALL,
            a_pool(taints=[a_taint("team", "b", "NoExecute")]),
        ),
        "NW-1201",
        "taint team=b:NoExecute is not tolerated (the pod has 1 toleration)",
    ),
    "labels that clash, the incompatible requirements of the field": (
        a_world(
            a_pod(cpu=1, selector={ARCH: "arm64"}),
            SMALL,
            a_pool(requirements=[want(ARCH, "In", "amd64")]),
        ),
        "NW-1202",
        (
            "the pod needs kubernetes.io/arch In [arm64], and the NodePool makes only "
            "kubernetes.io/arch In [amd64]"
        ),
    ),
    "a pod that contradicts itself": (
        a_world(
            a_pod(cpu=1, selector={ZONE: "zone-a"}, terms=[[want(ZONE, "In", "zone-b")]]), SMALL
        ),
        "NW-1202",
        (
            "the pod contradicts itself: topology.kubernetes.io/zone In [zone-a] and "
            "topology.kubernetes.io/zone In [zone-b] have 0 values in common"
        ),
    ),
    "a label that nothing defines": (
        a_world(a_pod(cpu=1, selector={TEAM: "red"}), SMALL),
        "NW-1203",
        (
            "the pod needs example.com/team In [red], and none of the NodePool's 2 labels is "
            "example.com/team"
        ),
    ),
    "a label with a spelling mistake": (
        a_world(
            a_pod(cpu=1, selector={"example.org/team": "red"}), SMALL, a_pool(labels={TEAM: "red"})
        ),
        "NW-1203",
        (
            "the pod needs example.org/team In [red], and none of the NodePool's 3 labels is "
            "example.org/team; did you mean example.com/team?"
        ),
    ),
    "a zone without types": (
        a_world(a_pod(cpu=1, selector={ZONE: "zone-d"}), SMALL),
        "NW-1212",
        (
            "none of 1 instance type has topology.kubernetes.io/zone In [zone-d]; they have "
            "zone-a, zone-b, zone-c"
        ),
    ),
    "categories under instance-type, on the pod": (
        a_world(a_pod(cpu=1, terms=[[want(INSTANCE_TYPE, "In", "c", "t", "m")]]), CATEGORIES),
        "NW-1212",
        (
            "none of 3 instance types has node.kubernetes.io/instance-type In [c, m, t]; did you mean "
            "karpenter.k8s.aws/instance-category In [c, m, t]?"
        ),
    ),
    "categories under instance-type, on the pool": (
        a_world(
            a_pod(cpu=1),
            CATEGORIES,
            a_pool(requirements=[want(INSTANCE_TYPE, "In", "c", "t", "m")]),
        ),
        "NW-1103",
        (
            "requirement node.kubernetes.io/instance-type In [c, m, t] leaves 0 of 3 instance types; "
            "did you mean karpenter.k8s.aws/instance-category In [c, m, t]?"
        ),
    ),
    "two labels that no type has together": (
        a_world(
            a_pod(cpu=1, selector={FAMILY: "c7", ZONE: "zone-b"}),
            a_type("c7.large", zones=["zone-a"], labels={FAMILY: "c7"}),
            a_type("m7.large", zones=["zone-b"], labels={FAMILY: "m7"}),
        ),
        "NW-1212",
        "of the 1 instance type left, 0 have topology.kubernetes.io/zone In [zone-b] as well",
    ),
    "too much memory": (
        a_world(
            a_pod(cpu=1, memory="60Gi"),
            SMALL,
            a_type("large", cpu=16, memory="64Gi", overhead={"memory": "3Gi"}),
            a_daemon_set(cpu="100m", memory="2Gi"),
        ),
        "NW-1204",
        (
            "memory 60Gi does not fit: the roomiest of 2 instance types, large, has 59Gi left after "
            "daemon pods, 1Gi too little"
        ),
    ),
    "memory that only types with too little cpu have": (
        a_world(
            a_pod(cpu=8, memory="60Gi"),
            a_type("c", cpu=16, memory="32Gi"),
            a_type("r", cpu=4, memory="64Gi"),
        ),
        "NW-1204",
        (
            "memory 60Gi does not fit beside cpu 8: of 1 instance type with room for that, the "
            "roomiest, c, has 32Gi left after daemon pods, 28Gi too little"
        ),
    ),
    "too much cpu for the types of the pool": (
        a_world(
            a_pod(cpu=6),
            SMALL,
            LARGE,
            a_pool(requirements=[want(INSTANCE_TYPE, "In", "small")]),
        ),
        "NW-1204",
        (
            "cpu 6 does not fit: the roomiest of 1 instance type, small, has 2 left after daemon "
            "pods, 4 too little"
        ),
    ),
    "branch interfaces that no type of the catalog has": (
        a_world(a_pod(cpu=3, memory="3Gi", requests={"vpc.amazonaws.com/pod-eni": 1}), LARGE),
        "NW-1213",
        "the pod asks for vpc.amazonaws.com/pod-eni 1, and none of 1 instance type has any",
    ),
    "EFA on a type without it": (
        ec2_world(
            a_pod(cpu=1, requests={EFA: 1}),
            requirements=[want(INSTANCE_TYPE, "In", "m5.large", "m5.xlarge")],
        ),
        "NW-1213",
        "the pod asks for vpc.amazonaws.com/efa 1, and none of 2 instance types has any",
    ),
    "more GPUs than a type has": (
        a_world(
            a_pod(cpu=1, requests={"nvidia.com/gpu": 8}),
            a_type("g", cpu=32, more={"nvidia.com/gpu": 4}),
        ),
        "NW-1204",
        (
            "nvidia.com/gpu 8 does not fit: the roomiest of 1 instance type, g, has 4 left after "
            "daemon pods, 4 too little"
        ),
    ),
    "daemons that fill every type": (
        a_world(a_pod(cpu="100m"), SMALL, a_daemon_set(memory="9Gi")),
        "NW-1214",
        "daemon pods alone ask for memory 9Gi, and the roomiest of 1 instance type, small, has 8Gi",
    ),
    "capacity errors": (
        a_world(
            a_pod(cpu=8, selector={ZONE: "zone-a"}),
            SMALL,
            a_type("large", cpu=16, offerings=[an_offering("zone-a", available=False)]),
        ),
        "NW-1205",
        (
            "1 instance type would do, but the cloud has none of them now: 0 of 1 offering can be had, "
            "such as large (on-demand, zone-a)"
        ),
    ),
    "a pool that is sold out": (
        a_world(a_pod(cpu=1), a_type("large", offerings=[an_offering("zone-a", available=False)])),
        "NW-1205",
        (
            "1 instance type would meet the NodePool's requirements, but the cloud has none of them "
            "now: 0 of 1 offering can be had, such as large (on-demand, zone-a)"
        ),
    ),
    "a volume in another zone": (
        a_world(
            a_pod(cpu=1, claims=["data"]),
            a_volume_claim("data", volume="v"),
            a_volume("v", zones=["zone-c"]),
            SMALL,
            a_pool(requirements=[want(ZONE, "In", "zone-a", "zone-b")]),
        ),
        "NW-1206",
        (
            "volume claim default/data lies in zone-c, and the NodePool makes nodes in "
            "topology.kubernetes.io/zone In [zone-a, zone-b]"
        ),
    ),
    "a volume where no type is on sale": (
        a_world(
            a_pod(cpu=1, claims=["data"]),
            a_volume_claim("data", volume="v"),
            a_volume("v", zones=["zone-c"]),
            a_type("small", zones=["zone-a"]),
        ),
        "NW-1206",
        "volume claim default/data lies in zone-c, and 0 of 1 instance type can be had there",
    ),
    "a claim that is not there": (
        a_world(a_pod(cpu=1, claims=["data"]), SMALL),
        "NW-1002",
        "volume data cannot be used: PersistentVolumeClaim default/data does not exist",
    ),
    "a volume that one pod may use": (
        a_world(
            a_node("n"),
            a_pod("first", node="n", claims=["data"]),
            a_pod(cpu=1, claims=["data"]),
            a_volume_claim("data", volume="v", modes=["ReadWriteOncePod"]),
            a_volume("v"),
            SMALL,
        ),
        "NW-1006",
        "volume claim default/data may be used by 1 pod at a time, and another pod uses it",
    ),
    "a host port of a daemon": (
        a_world(a_pod(cpu=1, ports=[8080]), SMALL, a_daemon_set(ports=[8080])),
        "NW-1207",
        "daemon pods hold host port 8080 on every node that could be made (1 instance type)",
    ),
    "minValues": (
        a_world(
            a_pod(cpu=4),
            SMALL,
            LARGE,
            a_pool(requirements=[want(INSTANCE_TYPE, "Exists", at_least=2)]),
        ),
        "NW-1208",
        (
            "minValues asks for 2 values of node.kubernetes.io/instance-type, and the instance types "
            "that fit leave 1"
        ),
    ),
    "minValues that the pool itself cannot keep": (
        a_world(
            a_pod(cpu=1), SMALL, a_pool(requirements=[want(INSTANCE_TYPE, "Exists", at_least=3)])
        ),
        "NW-1208",
        "minValues asks for 3 values of node.kubernetes.io/instance-type, and only 1 can be had",
    ),
    "a limit of cpu": (
        a_world(
            a_pod(cpu=2),
            a_managed_node("n", cpu=2, pods=0),
            a_type("small", cpu=4),
            a_pool(limits={"cpu": 5}),
        ),
        "NW-1209",
        (
            "limit cpu 5 leaves too little: 2 in use or planned, and the smallest node for the pod, "
            "small, adds 4"
        ),
    ),
    "a limit of nodes": (
        a_world(a_pod(cpu=2), a_managed_node("n", cpu=1), SMALL, a_pool(limits={"nodes": 1})),
        "NW-1209",
        "limit of 1 node is reached: 1 in use or planned",
    ),
    "a spread that cannot be met": (
        a_world(
            a_node("a", zone="zone-a", cpu=1),
            a_node("b", zone="zone-b", cpu=0),
            pods(2, "old", node="a", labels={"app": "web"}),
            a_pod(cpu=2, labels={"app": "web"}, spread=[a_spread(ZONE, 1)]),
            SMALL,
            a_pool(requirements=[want(ZONE, "In", "zone-a")]),
        ),
        "NW-1301",
        (
            "the spread over topology.kubernetes.io/zone allows at most 1 pod a domain (maxSkew 1), "
            "and every domain that a node could be made in is full: zone-a 2"
        ),
    ),
    "a spread over a label that new nodes lack": (
        a_world(a_pod(cpu=1, labels={"app": "web"}, spread=[a_spread("example.com/rack")]), SMALL),
        "NW-1301",
        (
            "the spread over example.com/rack needs nodes with that label, and nodes of this NodePool "
            "have 0 values of it"
        ),
    ),
    "friends that are not there": (
        a_world(a_pod(cpu=1, near=[a_term(ZONE)]), SMALL),
        "NW-1302",
        (
            "the pod must be near pods with app=web (same topology.kubernetes.io/zone), and there are "
            "0 such pods"
        ),
    ),
    "pods to keep away from in every zone": (
        a_world(
            a_node("a", zone="zone-a", cpu=1),
            a_pod("old", node="a", labels={"app": "web"}),
            a_pod(cpu=1, apart=[a_term(ZONE)]),
            a_type("small", zones=["zone-a"]),
        ),
        "NW-1303",
        (
            "the pod must keep away from pods with app=web (same topology.kubernetes.io/zone), and each "
            "place where it could go (1) has one"
        ),
    ),
    "pods that keep others away": (
        a_world(
            a_node("a", zone="zone-a", cpu=1),
            a_pod("old", node="a", apart=[a_term(ZONE)]),
            a_pod(cpu=1, labels={"app": "web"}),
            a_type("small", zones=["zone-a"]),
        ),
        "NW-1304",
        (
            "pods that keep away from pods with app=web (same topology.kubernetes.io/zone) are in each "
            "place where this pod could go (1)"
        ),
    ),
    "a reservation that is full": (
        a_world(
            a_pod(cpu=1, selector={CAPACITY_TYPE: "reserved"}),
            a_type("r", offerings=[an_offering(reservation="cr-1", left=0), an_offering("zone-b")]),
        ),
        "NW-1402",
        "only reserved capacity would do, and 0 slots are left in 1 capacity reservation",
    ),
    "a pool that is being deleted": (
        a_world(a_pod(cpu=1), SMALL, a_pool(deleted="2026-01-01T00:00:00Z")),
        "NW-1102",
        "the NodePool is being deleted",
    ),
    "no pool at all": (
        World(now_ms=0, pods=(a_pod(cpu=1),), nodes=(a_node("n", cpu=0),)),
        "NW-1101",
        "none of 1 existing node takes the pod, and there is no NodePool that could make one",
    ),
    "a label of the autoscaler": (
        a_world(a_pod(cpu=1, selector={"karpenter.sh/mine": "x"}), SMALL),
        "NW-1003",
        (
            "the pod selects nodes by karpenter.sh/mine, which belongs to the autoscaler; select by a "
            "well-known label or one that a NodePool defines"
        ),
    ),
    "a pod that wants no node made for it": (
        a_world(a_pod(cpu=1, terms=[[want(NODEPOOL, "DoesNotExist")]]), SMALL),
        "NW-1004",
        "the pod asks for nodes without karpenter.sh/nodepool, so no node is made for it",
    ),
    "an amount that is no quantity": (
        a_world(a_pod(memory="2GB"), SMALL),
        "NW-1001",
        (
            "the pod asks for memory 2GB, which is not a quantity (like 100m, 1.5Gi or 2); did you mean 2G?"
        ),
    ),
    "the nearer of two pools": (
        a_world(
            a_pod(cpu=6),
            SMALL,
            a_pool("batch", taints=[a_taint("batch")]),
            a_pool("general"),
        ),
        "NW-1204",
        (
            "general: cpu 6 does not fit: the roomiest of 1 instance type, small, has 2 left after "
            "daemon pods, 4 too little"
        ),
    ),
    "a taint and a label at once": (
        a_world(
            a_pod(cpu=1, selector={TEAM: "red"}),
            SMALL,
            a_pool("batch", taints=[a_taint("batch")], labels={TEAM: "red"}),
            a_pool("general", labels={TEAM: "blue"}),
        ),
        "NW-1202",
        (
            "general: the pod needs example.com/team In [red], and the NodePool makes only "
            "example.com/team In [blue]"
        ),
    ),
}
