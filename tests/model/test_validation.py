import msgspec
import pytest

from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepool import NodePool
from nodewright.model.path import show_path
from nodewright.model.validation import validate_nodeclaim, validate_nodepool

REF = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}


def a_pool(labels=None, *, limits=None, disruption=None, **template):
    spec = {
        "template": {
            "metadata": {"labels": labels or {}},
            "spec": {"nodeClassRef": REF, "requirements": [], **template},
        },
        "limits": limits or {},
        "disruption": disruption or {},
    }
    return msgspec.convert({"metadata": {"name": "p"}, "spec": spec}, NodePool)


def asking(key, operator="In", values=(), **more):
    return {"requirements": [{"key": key, "operator": operator, "values": list(values), **more}]}


def problems(pool):
    return [(show_path(p.path), p.message) for p in validate_nodepool(pool)]


@pytest.mark.parametrize(
    "pool",
    [
        a_pool(),
        a_pool({"team": "a", "node.kubernetes.io/foo": "x"}),
        a_pool(**asking("karpenter.sh/capacity-type", values=["spot", "reserved"])),
        a_pool(**asking("karpenter.k8s.aws/instance-cpu", "Gt", ["4"])),
        a_pool(**asking("mykarpenter.sh/x", "Exists")),
        a_pool(**asking("failure-domain.beta.kubernetes.io/zone", values=["a"])),
        a_pool(**asking("a", values=[str(n) for n in range(60)])),
        a_pool(
            taints=[{"key": "a", "effect": "NoSchedule"}, {"key": "a", "effect": "NoExecute"}],
        ),
        a_pool(expireAfter="Never", terminationGracePeriod="1h"),
    ],
)
def test_a_sound_pool_has_no_problems(pool):
    assert problems(pool) == []


@pytest.mark.parametrize(
    ("pool", "path", "part"),
    [
        (a_pool({"karpenter.sh/nodepool": "x"}), 'labels["karpenter.sh/nodepool"]', "remove it"),
        (a_pool({"karpenter.sh/foo": "x"}), "karpenter.sh/foo", "domain of your own"),
        (a_pool({"a b": "x"}), "a b", "label key"),
        (a_pool({"a": "x" * 64}), "labels.a", "longer than 63"),
        (a_pool({"A.b/c": "x"}), "A.b/c", "DNS name"),
        (a_pool(**asking("kubernetes.io/hostname", "Exists")), "[0].key", "kubelet"),
        (a_pool(**asking("karpenter.sh/nodepool", "Exists")), "[0].key", "from its pool"),
        (a_pool(**asking("karpenter.k8s.aws/ec2nodeclass", "Exists")), "[0].key", "autoscaler"),
        (a_pool(**asking("a/b/c", "Exists")), "[0].key", "before the slash"),
        (a_pool(**asking("a")), "[0].values", "at least one value"),
        (a_pool(**asking("a", "Like", ["x"])), "[0].operator", "none of In"),
        (a_pool(**asking("a", "Gt", ["x"])), "[0].values", "whole number"),
        (a_pool(**asking("a", "Gt", ["-1"])), "[0].values", "negative"),
        (a_pool(**asking("a", "Gt", ["1", "2"])), "[0].values", "exactly one"),
        (a_pool(**asking("a", values=["x y"])), "[0].values[0]", "letters"),
        (a_pool(**asking("a", values=["x"], minValues=2)), "[0].minValues", "asks for 2"),
        (a_pool(**asking("a", "Exists", minValues=51)), "[0].minValues", "between 1 and 50"),
        (a_pool(**asking("karpenter.sh/capacity-type", values=["foo"])), "values", "leaves 0"),
        (
            a_pool(**asking("karpenter.sh/capacity-type", values=["spot", "foo"], minValues=2)),
            "values",
            "leaves 1",
        ),
        (a_pool(taints=[{"key": "a b", "effect": "NoSchedule"}]), "taints[0].key", "letters"),
        (a_pool(taints=[{"key": "a", "effect": "Sometimes"}]), "taints[0].effect", "none of"),
        (
            a_pool(
                taints=[{"key": "a", "effect": "NoSchedule"}],
                startupTaints=[{"key": "a", "effect": "NoSchedule"}],
            ),
            "startupTaints[0]",
            "occurs twice",
        ),
        (a_pool(expireAfter="30d"), "expireAfter", "nor Never"),
        (a_pool(terminationGracePeriod="Never"), "terminationGracePeriod", "is not a duration"),
        (a_pool(limits={"cpu": "lots"}), "spec.limits.cpu", "is not a quantity"),
        (a_pool(disruption={"consolidateAfter": "x"}), "consolidateAfter", "nor Never"),
        (a_pool(nodeClassRef={"kind": "x", "name": "y"}), "nodeClassRef", "needs group"),
    ],
)
def test_each_mistake_is_told_once_with_its_place(pool, path, part):
    found = problems(pool)
    assert len(found) == 1
    assert path in found[0][0]
    assert part in found[0][1]


def test_a_list_with_one_unknown_value_stays_usable_with_a_warning():
    pool = a_pool(**asking("karpenter.sh/capacity-type", values=["spot", "foo"]))
    (problem,) = validate_nodepool(pool)
    assert problem.severity == "warning"


def test_all_mistakes_are_told_at_once():
    pool = a_pool({"a b": "x"}, expireAfter="30d", taints=[{"key": "a", "effect": "x"}])
    assert len(problems(pool)) == 3


def test_a_claim_may_ask_for_its_pool():
    claim = msgspec.convert(
        {
            "metadata": {"name": "c"},
            "spec": {"nodeClassRef": REF, **asking("karpenter.sh/nodepool", values=["p"])},
        },
        NodeClaim,
    )
    assert validate_nodeclaim(claim) == []
