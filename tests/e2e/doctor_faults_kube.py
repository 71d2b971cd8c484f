"""Faults of pools, nodes, pods, chart, versions and load balancers, each made on a real control plane."""

from e2e.doctor_hurts import (
    an_item,
    both,
    drop_pods,
    keep,
    only,
    put_back,
    require,
    restore_requirements,
    set_class,
    set_plugin,
    want_only,
)
from e2e.doctor_hurts_cluster import (
    a_balancer,
    a_handler,
    an_older_class,
    bare_pods,
    crowded,
    dns_again,
    drop_agent,
    drop_legacy_kinds,
    fargate_node,
    half_of_helm,
    heal_pool_taint,
    keep_node,
    late_daemon,
    legacy_kinds,
    let_in,
    let_out,
    no_balancer,
    no_dns,
    no_orphan,
    no_plugin_role,
    nobody_of_helm,
    older_definition,
    orphaned,
    plugin_role,
    restore_status,
    sandboxes_again,
    set_condition,
    settle_controller,
    shut_in,
    shut_out,
    spread_pods,
    stray_key,
    taint_pool,
    two_terms,
    without_sandboxes,
)
from e2e.doctor_hurts_windows import (
    no_image,
    no_windows,
    with_entry_of_linux,
    with_image_of_another_build,
    with_line_of_linux,
    with_shared_role,
    without_addresses,
)
from e2e.doctor_rig import Fault

APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


FAMILY = "karpenter.k8s.aws/instance-family"
BRANCHES = "vpc.amazonaws.com/pod-eni"
GPU = "nvidia.com/gpu"
TYPE = "node.kubernetes.io/instance-type"

FAULTS = [
    Fault("NW-3003", set_class(tags={"team": "${TEAM}"}), set_class(tags=None)),
    Fault("NW-3004", a_balancer, no_balancer, is_fixable=True),
    Fault("NW-3007", without_sandboxes, sandboxes_again, later_min=60, name="plugin"),
    Fault("NW-3012", taint_pool, heal_pool_taint, is_fixable=True, name="daemons"),
    Fault(
        "NW-3012",
        lambda patient: patient.add_claim(
            "tainted",
            ["Launched", "Registered"],
            node={"taints": [{"key": "karpenter.sh/unregistered", "effect": "NoExecute"}]},
        ),
        lambda patient: patient.drop_claim("tainted"),
        later_min=60,
        name="taint",
    ),
    Fault(
        "NW-3016",
        lambda patient: patient.pend("picky", nodeSelector={"team": "none"}),
        drop_pods("picky"),
    ),
    Fault("NW-3017", require(an_item("efa", "true")), restore_requirements, is_fixable=True),
    Fault("NW-3018", late_daemon, drop_agent),
    Fault(
        "NW-3019",
        fargate_node,
        both(drop_agent, lambda patient: patient.delete("node", "fargate-1")),
        is_fixable=True,
    ),
    Fault(
        "NW-3022",
        both(
            set_plugin("true"),
            want_only(an_item(FAMILY, "t3")),
            lambda patient: patient.pend(
                "branches", limits={BRANCHES: "1"}, requests={BRANCHES: "1"}
            ),
        ),
        both(set_plugin("false"), restore_requirements, drop_pods("branches")),
    ),
    Fault(
        "NW-3023",
        lambda patient: patient.pend("branches", limits={BRANCHES: "1"}, requests={BRANCHES: "1"}),
        both(set_plugin("false"), drop_pods("branches")),
        is_fixable=True,
    ),
    Fault(
        "NW-3024",
        lambda patient: patient.add_claim(
            "plain", ["Launched", "Registered"], capacity={GPU: "1"}, node={}
        ),
        lambda patient: patient.drop_claim("plain"),
        later_min=60,
    ),
    Fault("NW-3025", shut_out, let_in, is_fixable=True),
    Fault("NW-3026", require(an_item(TYPE, "c", "m")), restore_requirements, is_fixable=True),
    Fault(
        "NW-3027",
        stray_key,
        lambda patient: patient.patch(
            "nodepool", "default", {"metadata": {"annotations": {APPLIED: None}}}
        ),
        is_fixable=True,
    ),
    Fault(
        "NW-3028",
        only("karpenter.k8s.aws/instance-generation"),
        restore_requirements,
        is_fixable=True,
    ),
    Fault("NW-3029", legacy_kinds, drop_legacy_kinds),
    Fault(
        "NW-3030",
        both(keep("deployment", "karpenter", "-n", "kube-system"), two_terms),
        settle_controller,
        is_fixable=True,
    ),
    Fault(
        "NW-3031",
        both(keep("deployment", "karpenter", "-n", "kube-system"), crowded),
        settle_controller,
    ),
    Fault(
        "NW-3035",
        both(keep("deployment", "karpenter", "-n", "kube-system"), no_dns),
        both(dns_again, settle_controller),
        is_fixable=True,
    ),
    Fault(
        "NW-3037",
        older_definition,
        put_back("crd", "nodepools.karpenter.sh"),
        is_fixable=True,
    ),
    Fault("NW-3038", half_of_helm, nobody_of_helm, is_fixable=True),
    Fault("NW-3040", orphaned, no_orphan, is_fixable=True),
    Fault(
        "NW-3041",
        require(an_item(TYPE, "c1.medium", "m5.large")),
        restore_requirements,
        is_fixable=True,
    ),
    Fault("NW-3042", bare_pods, drop_pods("bare-0", "bare-1", "bare-2")),
    Fault("NW-3043", an_older_class, lambda patient: patient.delete("storageclass", "older")),
    Fault("NW-3044", set_class(kubelet={"maxPods": 500}), set_class(kubelet=None)),
    Fault("NW-3045", without_addresses, no_windows, is_fixable=True, name="addresses"),
    Fault("NW-3045", with_entry_of_linux, no_windows, is_fixable=True, name="entry"),
    Fault("NW-3045", with_line_of_linux, no_windows, is_fixable=True, name="aws-auth"),
    Fault("NW-3045", with_shared_role, no_windows, name="shared-role"),
    Fault("NW-3045", with_image_of_another_build, no_image, name="build"),
    Fault(
        "NW-3046",
        set_condition("ConsistentStateFound", "False", "expected 8Gi of memory, found 7.5Gi"),
        restore_status,
    ),
    Fault("NW-3047", spread_pods, drop_pods(*(f"spread-{index}" for index in range(5)))),
    Fault(
        "NW-3048",
        lambda patient: patient.pend("huge", requests={"cpu": "900"}),
        drop_pods("huge"),
    ),
    Fault(
        "NW-3049",
        both(
            want_only(an_item(FAMILY, "g6f")),
            lambda patient: patient.pend("graphics", requests={GPU: "1"}, limits={GPU: "1"}),
        ),
        both(restore_requirements, drop_pods("graphics")),
    ),
    Fault("NW-3050", keep_node, both(restore_status, drop_pods("stays"))),
    Fault("NW-3052", plugin_role, no_plugin_role, is_fixable=True),
    Fault(
        "NW-3054",
        lambda patient: patient.add_claim("slow", ["Launched"]),
        lambda patient: patient.drop_claim("slow"),
        later_min=60,
    ),
    Fault(
        "NW-3055",
        a_handler,
        lambda patient: patient.delete(
            "daemonset", "aws-node-termination-handler", "-n", "kube-system"
        ),
        is_fixable=True,
    ),
    Fault(
        "NW-3056",
        both(keep("deployment", "karpenter", "-n", "kube-system"), shut_in),
        both(let_out, settle_controller),
        is_fixable=True,
    ),
    Fault(
        "NW-3058",
        set_class(amiSelectorTerms=[{"alias": "al2@latest"}]),
        set_class(amiSelectorTerms=[{"alias": "al2023@latest"}]),
        is_fixable=True,
    ),
]
