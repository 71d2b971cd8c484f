"""The table of codes: what each finding is called, how grave it is, and what it means.

`NW-30nn` is row nn of the troubleshooting table that `lint`, `doctor` and status conditions share;
`NW-20nn` and `NW-21nn` are findings that only a manifest can have. A code never changes its meaning.
"""

from typing import Final, Literal

import msgspec

type Severity = Literal["error", "warning", "info"]

SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "info")


class Code(msgspec.Struct, frozen=True):
    """One code: its severity, its title, and why it matters."""

    code: str
    severity: Severity
    title: str
    why: str


_ALL: Final = (
    Code(
        "NW-2001",
        "error",
        "an object that cannot be used",
        "The controllers leave it alone until it is mended.",
    ),
    Code(
        "NW-2002",
        "error",
        "not a qualified name",
        "Keys of labels and taints are a name, optionally with a DNS domain and a slash before it.",
    ),
    Code(
        "NW-2003",
        "error",
        "not a label value",
        "Label values have at most 63 letters, digits, '-', '_' and '.'.",
    ),
    Code(
        "NW-2004",
        "error",
        "a label that belongs to the autoscaler",
        "Keys of karpenter.sh and karpenter.k8s.aws are set by the autoscaler; a NodePool that sets "
        "one of them is not used.",
    ),
    Code(
        "NW-2005",
        "error",
        "a requirement that cannot be read",
        "A requirement has a key, an operator and the values that the operator takes.",
    ),
    Code(
        "NW-2006",
        "error",
        "a taint that cannot be used",
        "Taints have a key, an effect and perhaps a value, and each key and effect occurs once.",
    ),
    Code(
        "NW-2007",
        "error",
        "a value that nothing has",
        "Capacity types and tenancies are a short, fixed list.",
    ),
    Code(
        "NW-2008",
        "error",
        "not a duration",
        "Durations are whole numbers with s, m or h, such as 1h30m; days are not known.",
    ),
    Code(
        "NW-2009",
        "error",
        "not a quantity",
        "Amounts are written as Kubernetes writes them: 500m, 2, 4Gi.",
    ),
    Code("NW-2010", "error", "something is missing", "The object cannot be used without it."),
    Code(
        "NW-2020",
        "error",
        "a kubelet setting that is not valid",
        "The kubelet would not start, or the class is refused.",
    ),
    Code(
        "NW-2021",
        "error",
        "a kubelet setting that the image family does not take",
        "Only AL2023 passes every kubelet setting on.",
    ),
    Code(
        "NW-2022",
        "warning",
        "a kubelet expression",
        "Expressions in kubelet settings work only with the feature gate NodeClassCEL.",
    ),
    Code(
        "NW-2023",
        "error",
        "a tag that belongs to the autoscaler",
        "Instances are found again by these tags, so nobody else may set them.",
    ),
    Code(
        "NW-2024",
        "error",
        "user data that is too large",
        "EC2 takes 16 KiB of user data at most.",
    ),
    Code(
        "NW-2025",
        "error",
        "a kubelet expression that cannot be read",
        "Expressions are arithmetic over vcpus, memory_mib, default_enis, ips_per_eni, max_pods and "
        "instance_type.",
    ),
    Code(
        "NW-2026",
        "error",
        "a kubelet expression without a result",
        "For some type the result is negative, too large, or divided by zero.",
    ),
    Code(
        "NW-2030",
        "error",
        "the API server refuses this value",
        "The value breaks a rule of the resource's definition, so applying the object fails.",
    ),
    Code(
        "NW-2101",
        "error",
        "unknown field",
        "The API server refuses it (strict) or drops it silently; either way it does nothing.",
    ),
    Code(
        "NW-2102",
        "error",
        "a value of the wrong type",
        "YAML reads bare 2 and true as a number and a truth value; where text is needed they must "
        "stand in quotes.",
    ),
    Code(
        "NW-2103",
        "error",
        "unknown instance type",
        "No type of this name is sold, so the value can never match.",
    ),
    Code(
        "NW-2104",
        "error",
        "unknown instance family",
        "No family of this name is sold, so the value can never match.",
    ),
    Code(
        "NW-2105",
        "error",
        "unknown instance category",
        "No category of this name is sold, so the value can never match.",
    ),
    Code(
        "NW-2106",
        "error",
        "unknown zone",
        "The region has no zone of this name, so no node can be made there.",
    ),
    Code(
        "NW-2107",
        "error",
        "no instance type meets the requirements",
        "Each requirement alone may be fine, and together they leave nothing to launch.",
    ),
    Code(
        "NW-2108",
        "error",
        "minValues asks for more choice than there is",
        "Nothing is launched while fewer values are left than minValues asks for.",
    ),
    Code(
        "NW-2110",
        "warning",
        "a budget that always blocks",
        "A budget of 0 that always holds stops consolidation and drift for good: nodes keep their "
        "old images.",
    ),
    Code(
        "NW-2111",
        "info",
        "a budget that never blocks",
        "It allows every node to be disrupted at once, or never comes into force.",
    ),
    Code(
        "NW-2112",
        "warning",
        "a budget for no reason at all",
        "An empty list of reasons matches none, so the budget holds nothing back; without the "
        "field it holds for every reason.",
    ),
    Code(
        "NW-2113",
        "error",
        "a schedule that cannot be read",
        "One broken budget makes the pool's allowance 0 for every reason.",
    ),
    Code(
        "NW-2115",
        "error",
        "nodes expire before they are ready",
        "A node needs minutes to boot, join and start its pods.",
    ),
    Code(
        "NW-2116",
        "warning",
        "pools that overlap with equal weight",
        "A pod that fits both may be given a node of either; give one a greater weight, or make "
        "them exclude each other.",
    ),
    Code(
        "NW-2117",
        "warning",
        "a pool without limits",
        "A runaway workload can buy machines without end.",
    ),
    Code(
        "NW-2119",
        "warning",
        "a taint that no longer exists",
        "Nobody removes karpenter.sh/not-ready any more; new nodes carry karpenter.sh/unregistered.",
    ),
    Code(
        "NW-2120",
        "warning",
        "consolidateAfter and the policy do not go together",
        "One of the two has no effect, or the API server refuses the pair.",
    ),
    Code(
        "NW-2123",
        "info",
        "an API version of the past",
        "Karpenter v1 does not serve it any more. Nodewright still takes it, and convert rewrites it.",
    ),
    Code(
        "NW-2124",
        "warning",
        "a label or annotation of the past",
        "Nothing reads the old name any more.",
    ),
    Code(
        "NW-2125",
        "warning",
        "a reference to something that is not there",
        "The pool makes no node until its class exists.",
    ),
    Code(
        "NW-2126",
        "error",
        "two objects of one name",
        "The second replaces the first when both are applied.",
    ),
    Code(
        "NW-2127",
        "warning",
        "a launch template of your own",
        "Version 1 has no counterpart: every field of the template must be written into the class.",
    ),
    Code(
        "NW-2128",
        "error",
        "a value of the past",
        "The value had another name in earlier versions and is refused today.",
    ),
    Code(
        "NW-3002",
        "warning",
        "more than one owned security group on a node",
        "The load balancer controller wants exactly one group with the cluster's tag on a node, and "
        "else registers no targets.",
    ),
    Code(
        "NW-3003",
        "error",
        "a placeholder that nobody filled in",
        "kubectl does not expand variables: the text is taken as it stands, and nothing matches it.",
    ),
    Code(
        "NW-3012",
        "warning",
        "nodes that never become ready",
        "Nodes wait for the daemons that do not tolerate their taints, or for a taint that nobody "
        "puts on or takes off.",
    ),
    Code(
        "NW-3016",
        "error",
        "a pod that no NodePool can serve",
        "Its selector, affinity or tolerations fit none of the pools.",
    ),
    Code(
        "NW-3017",
        "error",
        "EFA is a resource, not a label",
        "No instance type has such a label, so the pool stays empty.",
    ),
    Code(
        "NW-3019",
        "warning",
        "a daemon set that waits on Fargate",
        "Daemon pods cannot run on Fargate nodes and stay pending there.",
    ),
    Code(
        "NW-3021",
        "warning",
        "spot nodes that vanish without a drain",
        "Without an interruption queue the two minutes of warning are never seen.",
    ),
    Code(
        "NW-3026",
        "error",
        "a category or family in the place of an instance type",
        "node.kubernetes.io/instance-type takes names such as m5.large; the pool never makes a node.",
    ),
    Code(
        "NW-3027",
        "error",
        "a stray key inside a requirement",
        "The API server refuses the object (strict decoding) or drops what stands there.",
    ),
    Code(
        "NW-3028",
        "info",
        "old generations are allowed",
        "Without a lower bound on the generation, machines of 2006 are as welcome as today's.",
    ),
    Code(
        "NW-3029",
        "error",
        "ttlSecondsAfterEmpty with consolidation",
        "The two exclude each other, and the object is refused.",
    ),
    Code(
        "NW-3030",
        "warning",
        "the controller may run on its own nodes",
        "It can then take away the node that it runs on, and nobody makes a new one.",
    ),
    Code(
        "NW-3031",
        "warning",
        "a controller replica that cannot be placed",
        "Replicas keep apart by host, so each needs a node that the autoscaler has not made.",
    ),
    Code(
        "NW-3037",
        "warning",
        "a field that the definitions in this stream do not know",
        "The CustomResourceDefinition is older than the object.",
    ),
    Code(
        "NW-3041",
        "warning",
        "a type that the kubelet refuses",
        "c1.medium and m1.small come with swap, which the kubelet does not accept.",
    ),
    Code(
        "NW-3044",
        "info",
        "maxPods above what the network gives",
        "Pods beyond the addresses of a node's interfaces never get one (failed to assign an IP), "
        "unless the CNI delegates prefixes.",
    ),
    Code(
        "NW-3048",
        "error",
        "a pod that no instance type is large enough for",
        "No type of any pool has the room, the device or the zone that the pod needs.",
    ),
    Code(
        "NW-3058",
        "error",
        "an image or metadata setting that the version has left behind",
        "There are no AL2 images from Kubernetes 1.33 on.",
    ),
    Code(
        "NW-3060",
        "warning",
        "manifests that name different clusters",
        "Copied manifests: tags, roles or queues of another cluster are selected, or none.",
    ),
)

CODES: Final = {one.code: one for one in _ALL}
