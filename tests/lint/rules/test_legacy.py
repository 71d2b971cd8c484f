"""Names of the past."""

from builders.manifests import (
    a_pool_text,
    a_provisioner_text,
    a_requirement,
    a_template_text,
    a_workload_text,
    codes_of,
    the_finding,
)
from nodewright.lint.finding import Remove


def test_an_old_api_version_is_named_with_the_way_to_convert_it():
    assert "nodewright convert" in the_finding("NW-2123", a_provisioner_text()).help


def test_the_old_taint_is_removed_from_a_pool():
    taints = [{"key": "karpenter.sh/not-ready", "effect": "NoSchedule"}]
    finding = the_finding("NW-2119", a_pool_text(template={"startupTaints": taints}))

    assert finding.edits == (Remove(("spec", "template", "spec", "startupTaints", 0)),)


def test_the_old_taint_is_replaced_in_a_toleration():
    pod = a_workload_text(tolerations=[{"key": "karpenter.sh/not-ready", "operator": "Exists"}])

    assert the_finding("NW-2119", pod).edits[0].value == "karpenter.sh/unregistered"


def test_todays_startup_taints_are_fine():
    taints = [{"key": "node.cilium.io/agent-not-ready", "effect": "NoExecute"}]

    assert codes_of(a_pool_text(template={"startupTaints": taints})) == []


def test_an_old_label_in_a_requirement_is_renamed():
    pool = a_pool_text(
        requirements=[
            a_requirement("beta.kubernetes.io/arch", "arm64"),
            a_requirement("karpenter.k8s.aws/instance-family", "m7g"),
        ]
    )

    assert the_finding("NW-2124", pool).edits[0].value == "kubernetes.io/arch"


def test_an_old_annotation_of_a_pod_is_renamed():
    pod = a_workload_text().replace(
        "    metadata:\n      labels:",
        "    metadata:\n      annotations: {karpenter.sh/do-not-evict: 'true'}\n      labels:",
    )

    assert the_finding("NW-2124", pod).edits[0].name == "karpenter.sh/do-not-disrupt"


def test_an_old_node_selector_is_renamed():
    pod = a_workload_text(nodeSelector={"karpenter.sh/provisioner-name": "general"})

    assert the_finding("NW-2124", pod).edits[0].name == "karpenter.sh/nodepool"


def test_a_launch_template_is_announced():
    text = a_template_text(launchTemplate="mine").replace("  instanceProfile: node\n", "")

    assert "NW-2127" in codes_of(text)
