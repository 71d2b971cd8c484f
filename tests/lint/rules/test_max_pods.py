"""More pods than addresses."""

import yaml

from builders.manifests import (
    a_class_text,
    a_pool_text,
    a_requirement,
    a_workload_text,
    codes_of,
    the_finding,
)

SMALL = a_pool_text(requirements=[a_requirement("node.kubernetes.io/instance-type", "m5.large")])


def a_cni(value):
    env = [{"name": "ENABLE_PREFIX_DELEGATION", "value": value}]
    text = a_workload_text(
        "DaemonSet", "aws-node", "kube-system", tolerations=[{"operator": "Exists"}]
    )
    raw = yaml.safe_load(text)
    raw["spec"]["template"]["spec"]["containers"][0]["env"] = env
    return yaml.safe_dump(raw)


def test_more_pods_than_addresses_is_noted():
    finding = the_finding("NW-3044", SMALL, a_class_text(kubelet={"maxPods": 110}))

    assert "m5.large (29)" in finding.message
    assert finding.severity == "info"


def test_it_is_a_warning_where_the_cni_surely_delegates_nothing():
    text = a_class_text(kubelet={"maxPods": 110})

    assert the_finding("NW-3044", SMALL, text, a_cni("false")).severity == "warning"


def test_prefixes_give_addresses_enough():
    assert codes_of(SMALL, a_class_text(kubelet={"maxPods": 110}), a_cni("true")) == []


def test_what_the_interfaces_give_is_fine():
    assert codes_of(SMALL, a_class_text(kubelet={"maxPods": 29})) == []
