"""Objects that the API server must take or refuse, as data.

They are judged offline by `admission` and on a real API server in the end-to-end tests; both must
agree. `refused` is a part of the answer: the path of a field whose bounds are broken, or the
sentence of a rule. `before` is the object that is changed.
"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

Object = dict[str, Any]

REF = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
AWS = "karpenter.k8s.aws"


@dataclass(frozen=True)
class Case:
    name: str
    object: Object
    refused: str = ""
    before: Object | None = None


def an_object(api_version: str, kind: str, spec: Object) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "case"}, "spec": spec}


def a_pool(template: Object | None = None, labels: Object | None = None, **spec: Any) -> Object:
    inner = {"nodeClassRef": REF, "requirements": [], **(template or {})}
    whole = {"template": {"metadata": {"labels": labels or {}}, "spec": inner}, **spec}
    return an_object("karpenter.sh/v1", "NodePool", whole)


def asking(key: str, operator: str = "In", values: Any = None, **more: Any) -> Object:
    one = {"key": key, "operator": operator, **more}
    if values is not None:
        one["values"] = values
    return {"requirements": [one]}


def a_budget(**budget: Any) -> Object:
    return a_pool(disruption={"consolidateAfter": "0s", "budgets": [budget]})


def a_claim(**spec: Any) -> Object:
    whole = {"nodeClassRef": REF, "requirements": [], **spec}
    return an_object("karpenter.sh/v1", "NodeClaim", whole)


def an_overlay(**spec: Any) -> Object:
    return an_object("karpenter.sh/v1alpha1", "NodeOverlay", {"requirements": [], **spec})


def a_buffer(**spec: Any) -> Object:
    one = an_object("autoscaling.x-k8s.io/v1beta1", "CapacityBuffer", spec)
    one["metadata"]["namespace"] = "default"
    return one


def a_policy(**spec: Any) -> Object:
    return an_object("nodewright.dev/v1alpha1", "NodePolicy", spec)


def a_provisioner(**spec: Any) -> Object:
    return an_object("karpenter.sh/v1alpha5", "Provisioner", spec)


def a_template(**spec: Any) -> Object:
    return an_object("karpenter.k8s.aws/v1alpha1", "AWSNodeTemplate", spec)


def without(one: Object, *path: str) -> Object:
    copied = deepcopy(one)
    at = copied
    for name in path[:-1]:
        at = at[name]
    del at[path[-1]]
    return copied


def pools() -> Iterator[Case]:
    yield Case("the least pool", a_pool())
    yield Case("sixty values", a_pool(asking("a", values=[str(n) for n in range(60)])))
    yield Case("own domain", a_pool(labels={"team": "a", "node.kubernetes.io/foo": "x"}))
    yield Case("capacity type", a_pool(asking("karpenter.sh/capacity-type", values=["spot"])))
    yield Case("class label", a_pool(asking(f"{AWS}/ec2nodeclass", "Exists")))
    yield Case("capacity label", a_pool(labels={"karpenter.sh/capacity-type": "spot"}))
    yield Case("bounds", a_pool(asking(f"{AWS}/instance-cpu", "Gte", ["0"])))
    yield Case("min values", a_pool(asking("a", values=["x", "y"], minValues=2)))
    yield Case("min values of Exists", a_pool(asking("a", "Exists", minValues=50)))
    yield Case("static pool", a_pool(replicas=3, limits={"nodes": 5}))
    yield Case("weight 100", a_pool(weight=100))
    yield Case("never", a_pool({"expireAfter": "Never", "terminationGracePeriod": "1h30m"}))
    yield Case("limits as text and number", a_pool(limits={"cpu": 1000, "memory": "1000Gi"}))
    yield Case(
        "one key with two effects",
        a_pool(
            {
                "taints": [
                    {"key": "a", "effect": "NoSchedule"},
                    {"key": "a", "effect": "NoExecute", "value": "x"},
                ]
            }
        ),
    )
    yield Case("budget in hours", a_budget(nodes="100%", schedule="0 9 * * mon-fri", duration="8h"))
    yield Case("budget by macro", a_budget(nodes="0", schedule="@daily", duration="1h30m0s"))
    yield Case("budget with reasons", a_budget(nodes="10%", reasons=["Empty", "Drifted"]))
    yield Case("budget by default", a_budget(reasons=["Underutilized"]))
    yield Case(
        "class name changes", a_pool({"nodeClassRef": {**REF, "name": "b"}}), before=a_pool()
    )


def refused_requirements() -> Iterator[Case]:
    for name, template, part in (
        ("no values", asking("a", values=[]), "In needs at least one value"),
        ("values left out", asking("a"), "In needs at least one value"),
        ("operator", asking("a", "Like", ["x"]), "requirements[0].operator"),
        ("negative bound", asking("a", "Gt", ["-1"]), "exactly one whole number"),
        ("two bounds", asking("a", "Lt", ["1", "2"]), "exactly one whole number"),
        ("word as bound", asking("a", "Gte", ["x"]), "exactly one whole number"),
        ("bound left out", asking("a", "Lte"), "exactly one whole number"),
        ("min values 51", asking("a", "Exists", minValues=51), "requirements[0].minValues"),
        ("min values 0", asking("a", "Exists", minValues=0), "requirements[0].minValues"),
        ("too few values", asking("a", values=["x"], minValues=2), "minValues asks for more"),
        ("long key", asking("a" * 317, "Exists"), "requirements[0].key"),
        ("no name", asking("a/", "Exists"), "requirements[0].key"),
        ("no key", {"requirements": [{"operator": "Exists"}]}, "requirements[0].key"),
        ("nodepool", asking("karpenter.sh/nodepool", "Exists"), "belong to the autoscaler"),
        ("unknown", asking("karpenter.sh/foo", "Exists"), "belong to the autoscaler"),
        ("suffix", asking("mykarpenter.sh/x", "Exists"), "belong to the autoscaler"),
        ("unknown AWS", asking(f"{AWS}/instance-pods", "Exists"), "unknown key in karpenter"),
        ("hostname", asking("kubernetes.io/hostname", "Exists"), "by its kubelet"),
        (
            "too many",
            {"requirements": [{"key": f"k{n}", "operator": "Exists"} for n in range(101)]},
            "template.spec.requirements",
        ),
    ):
        yield Case(f"requirement: {name}", a_pool(template), part)


def refused_pools() -> Iterator[Case]:
    yield from refused_requirements()
    inner = ("spec", "template", "spec")
    yield Case("no template", an_object("karpenter.sh/v1", "NodePool", {}), "spec.template")
    yield Case("no requirements", without(a_pool(), *inner, "requirements"), "requirements")
    yield Case("no class", without(a_pool(), *inner, "nodeClassRef"), "nodeClassRef")
    for part in ("group", "kind", "name"):
        pool = a_pool({"nodeClassRef": {**REF, part: ""}})
        yield Case(f"empty {part}", pool, f"nodeClassRef.{part} may not be empty")
    slash = a_pool({"nodeClassRef": {**REF, "group": "a/v1"}})
    yield Case("slash in group", slash, "nodeClassRef.group")
    for label, value, part in (
        ("karpenter.sh/foo", "x", "belong to the autoscaler"),
        ("karpenter.sh/nodepool", "x", "belong to the autoscaler"),
        ("kubernetes.io/hostname", "x", "by its kubelet"),
        (f"{AWS}/foo", "x", "unknown key in karpenter"),
        ("team", "x" * 64, "metadata.labels"),
        ("team", "a b", "metadata.labels"),
    ):
        yield Case(f"label {label}={value[:5]}", a_pool(labels={label: value}), part)
    for name, taint in (
        ("empty key", {"key": "", "effect": "NoSchedule"}),
        ("bad key", {"key": "a b", "effect": "NoSchedule"}),
        ("bad value", {"key": "a", "value": "a b", "effect": "NoSchedule"}),
        ("bad effect", {"key": "a", "effect": "Sometimes"}),
        ("no effect", {"key": "a"}),
    ):
        yield Case(f"taint: {name}", a_pool({"taints": [taint]}), "spec.taints[0]")
        yield Case(f"startup: {name}", a_pool({"startupTaints": [taint]}), "startupTaints[0]")
    for text in ("30d", "-1h", "1.5h", "", "never"):
        yield Case(f"expireAfter {text}", a_pool({"expireAfter": text}), "expireAfter")
    grace = a_pool({"terminationGracePeriod": "Never"})
    yield Case("grace never", grace, "terminationGracePeriod")
    yield from refused_disruption()


def refused_disruption() -> Iterator[Case]:
    after = a_pool(disruption={"consolidateAfter": "10x"})
    yield Case("consolidateAfter", after, "disruption.consolidateAfter")
    for policy in ("WhenUnderutilized", "whenEmpty"):
        one = a_pool(disruption={"consolidateAfter": "0s", "consolidationPolicy": policy})
        yield Case(f"policy {policy}", one, "consolidationPolicy")
    for name, budget, part in (
        ("101%", {"nodes": "101%"}, "budgets[0].nodes"),
        ("negative", {"nodes": "-1"}, "budgets[0].nodes"),
        ("reason", {"nodes": "1", "reasons": ["Expired"]}, "budgets[0].reasons"),
        ("schedule alone", {"nodes": "1", "schedule": "@daily"}, "go together"),
        ("duration alone", {"nodes": "1", "duration": "1h"}, "go together"),
        (
            "four fields",
            {"nodes": "1", "schedule": "* * * *", "duration": "1h"},
            "budgets[0].schedule",
        ),
        (
            "unknown macro",
            {"nodes": "1", "schedule": "@never", "duration": "1h"},
            "budgets[0].schedule",
        ),
        (
            "seconds",
            {"nodes": "1", "schedule": "@daily", "duration": "30s"},
            "budgets[0].duration",
        ),
    ):
        yield Case(f"budget: {name}", a_budget(**budget), part)
    many = {"consolidateAfter": "0s", "budgets": [{"nodes": "1"}] * 51}
    yield Case("51 budgets", a_pool(disruption=many), "disruption.budgets")
    yield Case("weight 0", a_pool(weight=0), "spec.weight")
    yield Case("weight 101", a_pool(weight=101), "spec.weight")
    yield Case("negative replicas", a_pool(replicas=-1), "spec.replicas")
    yield Case("static with cpu limit", a_pool(replicas=1, limits={"cpu": 1}), "only limit nodes")
    yield Case("static with weight", a_pool(replicas=1, weight=1), "weight has no effect")
    yield Case("limit that is no quantity", a_pool(limits={"cpu": "lots"}), "spec.limits")
    yield Case("static from dynamic", a_pool(replicas=1), "cannot be added", before=a_pool())
    yield Case("dynamic from static", a_pool(), "cannot be added", before=a_pool(replicas=1))
    for part in ("group", "kind"):
        pool = a_pool({"nodeClassRef": {**REF, part: "other"}})
        yield Case(f"{part} changes", pool, f"nodeClassRef.{part} cannot", before=a_pool())


def claims() -> Iterator[Case]:
    yield Case("the least claim", a_claim())
    yield Case("claim of a pool", a_claim(**asking("karpenter.sh/nodepool", values=["p"])))
    yield Case("claim with needs", a_claim(resources={"requests": {"cpu": "1500m"}}))
    yield Case("same claim", a_claim(), before=a_claim())
    yield Case("changed claim", a_claim(expireAfter="1h"), "cannot be changed", before=a_claim())
    yield Case("claim: hostname", a_claim(**asking("kubernetes.io/hostname", "Exists")), "kubelet")
    yield Case("claim: lifetime", a_claim(expireAfter="1d"), "spec.expireAfter")
    bare = an_object("karpenter.sh/v1", "NodeClaim", {"requirements": []})
    yield Case("claim without class", bare, "nodeClassRef")


def overlays() -> Iterator[Case]:
    for adjustment in ("+0.5", "-0.2", "+10%", "-100%", "+1000%"):
        yield Case(f"overlay {adjustment}", an_overlay(priceAdjustment=adjustment))
    yield Case("overlay price", an_overlay(price="1.25", weight=10_000))
    yield Case("overlay capacity", an_overlay(capacity={"smarter-devices/fuse": 1}))
    for adjustment in ("-101%", "10%", "0.5", "+x"):
        one = an_overlay(priceAdjustment=adjustment)
        yield Case(f"overlay {adjustment} refused", one, "spec.priceAdjustment")
    yield Case("overlay twice", an_overlay(price="1", priceAdjustment="+1"), "exclude each other")
    yield Case("overlay negative", an_overlay(price="-1"), "spec.price")
    yield Case("overlay weight", an_overlay(weight=10_001), "spec.weight")
    yield Case("overlay NotIn", an_overlay(**asking("a", "NotIn", [])), "NotIn needs")
    for name in ("cpu", "memory", "ephemeral-storage", "pods"):
        yield Case(f"overlay {name}", an_overlay(capacity={name: "1"}), "cannot be overlaid")


def buffers() -> Iterator[Case]:
    scalable = {"apiGroup": "apps", "kind": "Deployment", "name": "web"}
    yield Case("buffer by template", a_buffer(podTemplateRef={"name": "t"}, replicas=3))
    yield Case("buffer by limits", a_buffer(podTemplateRef={"name": "t"}, limits={"cpu": "4"}))
    yield Case("buffer by workload", a_buffer(scalableRef=scalable, percentage=10))
    yield Case("buffer of nothing", a_buffer(replicas=1), "exactly one of podTemplateRef")
    both = a_buffer(podTemplateRef={"name": "t"}, scalableRef=scalable, replicas=1)
    yield Case("buffer of both", both, "exactly one of podTemplateRef")
    yield Case("buffer without size", a_buffer(podTemplateRef={"name": "t"}), "tell its size")
    daemon = a_buffer(scalableRef={**scalable, "kind": "DaemonSet"}, replicas=1)
    yield Case("buffer of daemons", daemon, "scalableRef.kind")
    percent = a_buffer(podTemplateRef={"name": "t"}, replicas=1, percentage=1)
    yield Case("percentage of a template", percent, "needs a scalableRef")
    yield Case("negative buffer", a_buffer(scalableRef=scalable, replicas=-1), "spec.replicas")


def policies() -> Iterator[Case]:
    yield Case("the least policy", a_policy())
    yield Case(
        "a whole policy",
        a_policy(
            nodePools={"names": ["a"], "matchLabels": {"team": "a"}},
            minNodeAge="10m",
            payback="6h",
            moves=["Empty", "Delete"],
            timers={"empty": "1m", "underutilized": "Never"},
            budgets=[
                {
                    "nodes": "10%",
                    "schedule": "0 9 * * mon-fri",
                    "duration": "8h",
                    "timeZone": "Asia/Seoul",
                    "notAfter": "2027-01-01T00:00:00Z",
                },
                {"rate": {"nodes": "30%", "per": "10m"}},
            ],
            waves={"soak": "5m"},
            limits={"costPerHour": "12.50"},
            initializationTimeout="20m",
            rebalance="Replace",
            pause={"until": "2026-12-24T00:00:00Z", "reason": "holidays"},
        ),
    )
    for name, spec, part in (
        ("move", {"moves": ["Shuffle"]}, "spec.moves"),
        ("rebalance", {"rebalance": "Maybe"}, "spec.rebalance"),
        ("age", {"minNodeAge": "1d"}, "spec.minNodeAge"),
        ("cost", {"limits": {"costPerHour": "-1"}}, "costPerHour"),
        ("pause without end", {"pause": {"reason": "x"}}, "pause.until"),
        ("pause until soon", {"pause": {"until": "soon", "reason": "x"}}, "pause.until"),
        ("pause without reason", {"pause": {"until": "2026-12-24T00:00:00Z"}}, "pause.reason"),
        ("empty budget", {"budgets": [{"reasons": ["Empty"]}]}, "a budget needs nodes"),
        ("zone alone", {"budgets": [{"nodes": "1", "timeZone": "UTC"}]}, "timeZone needs"),
        ("waves", {"waves": {"first": 0}}, "waves.first"),
    ):
        yield Case(f"policy: {name}", a_policy(**spec), part)


def legacy() -> Iterator[Case]:
    ref = {"providerRef": {"name": "default"}}
    selectors = {"subnetSelector": {"a": "b"}, "securityGroupSelector": {"a": "b"}}
    yield Case("the least provisioner", a_provisioner(**ref))
    yield Case(
        "a whole provisioner",
        a_provisioner(
            **ref,
            **asking("karpenter.sh/capacity-type", values=["spot", "on-demand"]),
            limits={"resources": {"cpu": 1000}},
            ttlSecondsUntilExpired=2592000,
            ttlSecondsAfterEmpty=60,
            kubeletConfiguration={"containerRuntime": "containerd"},
        ),
    )
    yield Case("inline provider", a_provisioner(provider=selectors))
    yield Case("no provider", a_provisioner(), "exactly one of provider")
    both = a_provisioner(**ref, ttlSecondsAfterEmpty=1, consolidation={"enabled": True})
    yield Case("both ways to go", both, "exclude each other")
    off = a_provisioner(**ref, ttlSecondsAfterEmpty=1, consolidation={"enabled": False})
    yield Case("one way switched off", off)
    yield Case("the least template", a_template(**selectors))
    yield Case("no subnets", a_template(securityGroupSelector={"a": "b"}), "set subnetSelector")
    yield Case("no groups", a_template(subnetSelector={"a": "b"}), "set securityGroupSelector")
    custom = a_template(**selectors, amiFamily="Custom")
    yield Case("custom without images", custom, "needs an amiSelector")
    launch = a_template(subnetSelector={"a": "b"}, launchTemplate="lt")
    yield Case("launch template", launch)
    mixed = a_template(subnetSelector={"a": "b"}, launchTemplate="lt", userData="x")
    yield Case("launch template and user data", mixed, "launchTemplate excludes")


CASES = tuple(
    case
    for group in (
        pools,
        refused_pools,
        claims,
        overlays,
        buffers,
        policies,
        legacy,
    )
    for case in group()
)
