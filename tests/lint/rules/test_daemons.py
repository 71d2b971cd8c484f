"""Daemon sets that nodes wait for, or that wait themselves."""

import pytest

from builders.manifests import a_class_text, a_node_text, a_pool_text, a_workload_text, codes_of

TAINTED = a_pool_text(template={"taints": [{"key": "gpu", "effect": "NoSchedule"}]})
STARTING = a_pool_text(template={"startupTaints": [{"key": "a", "effect": "NoExecute"}]})
FARGATE = a_node_text("f", labels={"eks.amazonaws.com/compute-type": "fargate"})
NOT_FARGATE = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
                {
                    "matchExpressions": [
                        {
                            "key": "eks.amazonaws.com/compute-type",
                            "operator": "NotIn",
                            "values": ["fargate"],
                        }
                    ]
                }
            ]
        }
    }
}


def a_daemon(namespace="kube-system", **pod):
    return a_workload_text("DaemonSet", "kube-proxy", namespace, **pod)


@pytest.mark.parametrize("pool", [TAINTED, STARTING])
def test_a_system_daemon_must_tolerate_every_pool(pool):
    assert codes_of(pool, a_daemon()) == ["NW-3012"]
    assert codes_of(pool, a_daemon(tolerations=[{"operator": "Exists"}])) == []


def test_a_daemon_that_tolerates_the_very_taint_is_fine():
    tolerations = [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}]

    assert codes_of(TAINTED, a_daemon(tolerations=tolerations)) == []


def test_other_daemons_may_stay_off_a_pool():
    assert codes_of(TAINTED, a_daemon("logging")) == []


def test_a_daemon_waits_on_fargate_unless_it_is_kept_off():
    assert codes_of(FARGATE, a_daemon()) == ["NW-3019"]
    assert codes_of(FARGATE, a_daemon(affinity=NOT_FARGATE)) == []


def test_without_fargate_nobody_needs_to_be_kept_off():
    assert codes_of(a_node_text("n"), a_daemon()) == []


def test_a_custom_image_must_put_the_taint_on():
    terms = [{"id": "ami-0123456789abcdef0"}]
    custom = {"amiFamily": "Custom", "amiSelectorTerms": terms}

    assert codes_of(a_class_text(**custom, userData="kubelet")) == ["NW-3012"]
    good = "kubelet --register-with-taints=karpenter.sh/unregistered:NoExecute"
    assert codes_of(a_class_text(**custom, userData=good)) == []
