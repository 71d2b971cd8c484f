"""Every check about Kubernetes: a broken fixture gives the finding, a healthy one gives none."""

import copy

import pytest

from nodewright.crds.document import definitions
from nodewright.doctor import foreign_terms, windows_access, windows_addresses, windows_builds
from nodewright.doctor.access import Access, Entry
from nodewright.doctor.checks import (
    blocked_nodes,
    branch_interfaces,
    branch_types,
    controller_home,
    controller_names,
    controller_replicas,
    definition_owners,
    device_plugins,
    efa_label,
    emptiness_or_consolidation,
    fargate_daemons,
    fractional_gpus,
    generations,
    helm_version,
    images_of_the_past,
    instance_type_names,
    isolated_prices,
    late_daemons,
    load_balancers,
    lost_fields,
    max_pods,
    memory_overhead,
    missing_requests,
    node_access,
    node_taints,
    placeholders,
    plugin_rights,
    pod_labels,
    pod_offerings,
    pod_spread,
    storage_drivers,
    stuck_finalizers,
    swap_types,
    termination_handler,
    uninitialized,
    windows_pods,
)
from nodewright.doctor.checks import definitions as definitions_check
from nodewright.doctor.cluster import Controller, read_controller
from nodewright.doctor.placing import Group
from nodewright.doctor.waiting import Waiting
from nodewright.doctor.written import Written
from nodewright.install.names import Names
from nodewright.model.plan import PoolRefusal, Unplaced

GENERATION = {"key": "karpenter.k8s.aws/instance-generation", "operator": "Gt", "values": ["4"]}
TYPE = "node.kubernetes.io/instance-type"
ROLE = "arn:aws:iam::111122223333:role/KarpenterNodeRole-shop"
COPIED = {"subnetSelectorTerms": [{"tags": {"karpenter.sh/discovery": "other"}}]}
COPY = [{"tags": {"karpenter.sh/discovery": "${CLUSTER_NAME}"}}]
GPU = "nvidia.com/gpu"
BRANCHES = "vpc.amazonaws.com/pod-eni"


def an_item(key, *values):
    return {"key": key, "operator": "In", "values": list(values)}


def written(*documents, minor=34):
    return Written(documents, "us-west-2", minor)


def a_pool(*requirements, taints=()):
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
    spec = {
        "requirements": list(requirements),
        "nodeClassRef": reference,
        "taints": list(taints),
    }
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "default"},
        "spec": {"template": {"spec": spec}},
    }


def a_class(**spec):
    given = {"amiSelectorTerms": [{"alias": "al2023@latest"}], **spec}
    return {
        "apiVersion": "karpenter.k8s.aws/v1",
        "kind": "EC2NodeClass",
        "metadata": {"name": "default"},
        "spec": given,
    }


def names(*documents, others=()):
    return placeholders.Facts(written(*documents), foreign_terms.Facts("shop", others, documents))


def a_provisioner(**spec):
    return {
        "apiVersion": "karpenter.sh/v1alpha5",
        "kind": "Provisioner",
        "metadata": {"name": "default"},
        "spec": {"providerRef": {"name": "default"}, **spec},
    }


def a_workload(kind="DaemonSet", name="agent", env=(), space="kube-system", **pod):
    container = {"name": name, "env": [{"name": key, "value": value} for key, value in env]}
    labels = {"app.kubernetes.io/name": name}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": space, "labels": labels},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [container], **pod},
            },
        },
    }


def terms(*expressions):
    listed = [{"matchExpressions": [one]} for one in expressions]
    required = {"nodeSelectorTerms": listed}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


NOT_OWN = {"key": "karpenter.sh/nodepool", "operator": "DoesNotExist"}
ON_GROUP = an_item("eks.amazonaws.com/nodegroup", "main")


def a_controller(**pod):
    return a_workload("Deployment", "karpenter", **pod)


def controller(env=(), **pod) -> Controller:
    return read_controller(a_workload("Deployment", "karpenter", env, **pod))


def waiting(capacity=None, allocatable=None, taints=(), stage="registered"):
    claim = {"metadata": {"name": "c"}, "status": {"capacity": capacity or {}}}
    claim["metadata"]["labels"] = {"karpenter.sh/nodepool": "default"}
    node = {
        "metadata": {"name": "n"},
        "spec": {"taints": list(taints)},
        "status": {"allocatable": allocatable or {}},
    }
    return Waiting(claim, stage, 3_600_000, node)


def a_group(code, *resources, families=()):
    refusal = PoolRefusal(name="default", reason="no", code=code)
    verdict = Unplaced("no", code, node_pools=(refusal,))
    return Group(
        ("shop/web",), verdict, frozenset(resources), ("nodewright explain",), frozenset(families)
    )


def a_service(note=None, **status):
    notes = {"service.beta.kubernetes.io/aws-load-balancer-type": note} if note else {}
    return {
        "metadata": {"namespace": "shop", "name": "web", "annotations": notes},
        "spec": {"type": "LoadBalancer"},
        "status": status,
    }


NAMES = Names("111122223333", "us-west-2", "shop")
SERVED = load_balancers.Facts(
    NAMES, "vpc-1", (a_service("external"),), has_controller=True, has_role=True, has_agent=True
)
STRAY = a_pool({**an_item(TYPE, "m5.large"), "requirements": None})
OWNED = definition_owners.Owned("a.karpenter.sh", "Helm", "karpenter-crd", "kube-system")
LINE = (
    f"- rolearn: {ROLE}\n  username: system:node:{{{{EC2PrivateDNSName}}}}\n"
    "  groups: [system:bootstrappers, system:nodes]\n"
)
WINDOWS_LINE = LINE.replace("system:nodes", "system:nodes, eks:kube-proxy-windows")
LINUX_ROLE = {ROLE: False}
WINDOWS_ROLE = {ROLE: windows_access.Shared(("EC2NodeClass/win",))}
SHARED_ROLE = {ROLE: windows_access.Shared(("EC2NodeClass/win",), ("EC2NodeClass/default",))}


def let_in(kind):
    return Access("shop", "API", {ROLE: Entry(kind)})


def mapped(text):
    return Access("shop", "CONFIG_MAP", aws_auth={"data": {"mapRoles": text}})


def a_misfit(name):
    owner = {"kind": "ReplicaSet", "name": "web-5d"}
    labels = {"pod-template-hash": "5d"}
    meta = {"namespace": "shop", "name": name, "labels": labels, "ownerReferences": [owner]}
    pod = {"metadata": meta, "spec": {"nodeName": "win-1"}}
    return windows_builds.Misfit(pod, "10.0.20348", "web:ltsc2019", "no match for platform")


def an_older_definition():
    found = copy.deepcopy([one for one in definitions() if "nodepools" in one["metadata"]["name"]])
    spec = found[0]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"].pop("weight")
    return tuple(found)


CASES = [
    (
        node_access,
        node_access.Facts(Access("shop", "API"), LINUX_ROLE),
        node_access.Facts(let_in("EC2_LINUX"), LINUX_ROLE),
    ),
    (
        node_access,
        node_access.Facts(let_in("STANDARD"), LINUX_ROLE),
        node_access.Facts(let_in("EC2_WINDOWS"), LINUX_ROLE),
    ),
    (
        node_access,
        node_access.Facts(mapped(LINE.replace("system:nodes", "other")), LINUX_ROLE),
        node_access.Facts(mapped(LINE), LINUX_ROLE),
    ),
    (
        node_access,
        node_access.Facts(mapped("{[no list"), LINUX_ROLE),
        node_access.Facts(mapped(LINE), LINUX_ROLE),
    ),
    (placeholders, names(a_class(tags={"team": "${TEAM}"})), names(a_class())),
    (placeholders, names(a_class(**COPIED), others=("other",)), names(a_class(**COPIED))),
    (efa_label, written(a_pool(an_item("efa", "true"))), written(a_pool(GENERATION))),
    (instance_type_names, written(a_pool(an_item(TYPE, "c", "m"))), written(a_pool(GENERATION))),
    (
        swap_types,
        written(a_pool(an_item(TYPE, "c1.medium", "m5.large"))),
        written(a_pool(an_item(TYPE, "m5.large"))),
    ),
    (generations, written(a_pool()), written(a_pool(GENERATION))),
    (
        emptiness_or_consolidation,
        written(a_provisioner(ttlSecondsAfterEmpty=30, consolidation={"enabled": True})),
        written(a_provisioner(consolidation={"enabled": True})),
    ),
    (
        max_pods,
        written(a_class(kubelet={"maxPods": 500}), a_pool(GENERATION)),
        written(a_class(), a_pool(GENERATION)),
    ),
    (
        images_of_the_past,
        written(a_class(amiSelectorTerms=[{"alias": "al2@latest"}])),
        written(a_class()),
    ),
    (
        controller_home,
        written(a_controller(affinity=terms(NOT_OWN, ON_GROUP))),
        written(a_controller(affinity=terms(NOT_OWN))),
    ),
    (
        fargate_daemons,
        written(
            a_workload(),
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {
                    "name": "f",
                    "labels": {"eks.amazonaws.com/compute-type": "fargate"},
                },
            },
        ),
        written(a_workload()),
    ),
    (
        node_taints,
        node_taints.Facts(
            written(a_pool(taints=[{"key": "a", "effect": "NoSchedule"}]), a_workload())
        ),
        node_taints.Facts(written(a_pool(), a_workload())),
    ),
    (
        node_taints,
        node_taints.Facts(
            written(),
            (waiting(taints=[{"key": "karpenter.sh/unregistered", "effect": "NoExecute"}]),),
        ),
        node_taints.Facts(written(), (waiting(),)),
    ),
    (lost_fields, (STRAY,), (a_pool(GENERATION),)),
    (
        late_daemons,
        (late_daemons.Stuck("a/p", "a/d", "n", "default", "0/1 nodes: Insufficient cpu"),),
        (late_daemons.Stuck("a/p", "a/d", "n", "default", "had untolerated taint"),),
    ),
    (
        branch_interfaces,
        branch_interfaces.Facts(a_workload(name="aws-node"), ("shop/web",)),
        branch_interfaces.Facts(
            a_workload(name="aws-node", env=[("ENABLE_POD_ENI", "true")]), ("shop/web",)
        ),
    ),
    (
        device_plugins,
        device_plugins.Facts((waiting({GPU: "1"}),), ()),
        device_plugins.Facts((waiting({GPU: "1"}, {GPU: "1"}),), ()),
    ),
    (
        termination_handler,
        (
            a_workload(
                name="aws-node-termination-handler", env=[("ENABLE_REBALANCE_DRAINING", "true")]
            ),
        ),
        (a_workload(name="aws-node-termination-handler"),),
    ),
    (
        controller_names,
        controller_names.Facts(controller(), {"status": {}}),
        controller_names.Facts(controller(), {"status": {"readyReplicas": 2}}),
    ),
    (
        controller_replicas,
        controller_replicas.Facts(controller(), {"kube-system/k-1": "no room"}, 1),
        controller_replicas.Facts(controller(), {}, 1),
    ),
    (definitions_check, an_older_definition(), tuple(definitions())),
    (definition_owners, (OWNED, definition_owners.Owned("b.karpenter.sh")), (OWNED,)),
    (helm_version, "v3.7.1+g1d11fcb", "v3.12.3+g293b50c"),
    (
        stuck_finalizers,
        stuck_finalizers.Facts(
            runs=False,
            held={
                "/api/v1/nodes/n": {
                    "metadata": {
                        "name": "n",
                        "deletionTimestamp": "2026-01-01T00:00:00Z",
                        "finalizers": ["karpenter.sh/termination", "other/one"],
                    }
                }
            },
        ),
        stuck_finalizers.Facts(runs=True, held={}),
    ),
    (
        missing_requests,
        missing_requests.Facts(4, ("shop/a", "shop/b")),
        missing_requests.Facts(100, ("shop/a",)),
    ),
    (storage_drivers, storage_drivers.Facts(("gp2",), ()), storage_drivers.Facts((), ())),
    (
        windows_pods,
        windows_pods.Facts(addresses=windows_addresses.Facts(("win",), None)),
        windows_pods.Facts(
            addresses=windows_addresses.Facts(("win",), {"data": {"enable-windows-ipam": "true"}})
        ),
    ),
    (
        windows_pods,
        windows_pods.Facts(access=windows_access.Facts(let_in("EC2_LINUX"), WINDOWS_ROLE)),
        windows_pods.Facts(access=windows_access.Facts(let_in("EC2_WINDOWS"), WINDOWS_ROLE)),
    ),
    (
        windows_pods,
        windows_pods.Facts(access=windows_access.Facts(mapped(LINE), WINDOWS_ROLE)),
        windows_pods.Facts(access=windows_access.Facts(mapped(WINDOWS_LINE), WINDOWS_ROLE)),
    ),
    (
        windows_pods,
        windows_pods.Facts(access=windows_access.Facts(let_in("EC2_LINUX"), SHARED_ROLE)),
        windows_pods.Facts(access=windows_access.Facts(let_in("STANDARD"), SHARED_ROLE)),
    ),
    (
        windows_pods,
        windows_pods.Facts(builds=windows_builds.Facts((a_misfit("w-1"), a_misfit("w-2")))),
        windows_pods.Facts(builds=windows_builds.Facts((), ("10.0.20348",))),
    ),
    (
        memory_overhead,
        memory_overhead.Facts(controller(), (({"metadata": {"name": "c"}, "status": {}}, None),)),
        memory_overhead.Facts(controller(), ()),
    ),
    (
        blocked_nodes,
        (blocked_nodes.Blocked("c", "n", "Drifted", 3, ("Pod/a/b annotations: true",)),),
        (blocked_nodes.Blocked("c", "n", "Drifted", 3, ()),),
    ),
    (
        plugin_rights,
        plugin_rights.Facts(ROLE, exists=True, policies=()),
        plugin_rights.Facts(ROLE, exists=True, policies=("AmazonEKS_CNI_Policy",)),
    ),
    (uninitialized, (waiting(stage="launched"),), ()),
    (
        load_balancers,
        load_balancers.Facts(NAMES, "vpc-1", (a_service(),)),
        SERVED,
    ),
    (
        isolated_prices,
        isolated_prices.Facts(controller(), ("subnet-1",)),
        isolated_prices.Facts(controller([("ISOLATED_VPC", "true")]), ("subnet-1",)),
    ),
    (pod_labels, (a_group("NW-1202"),), (a_group("NW-1204"),)),
    (pod_spread, (a_group("NW-1301"),), (a_group("NW-1202"),)),
    (pod_offerings, (a_group("NW-1204"),), (a_group("NW-1204", BRANCHES),)),
    (branch_types, (a_group("NW-1213", BRANCHES),), (a_group("NW-1213"),)),
    (fractional_gpus, (a_group("NW-1213", GPU, families=["g6f"]),), (a_group("NW-1213", GPU),)),
]


@pytest.mark.parametrize(
    ("module", "broken", "healthy"),
    CASES,
    ids=[one[0].__name__.rpartition(".")[2] for one in CASES],
)
def test_a_broken_fixture_is_found_and_a_healthy_one_is_not(module, broken, healthy):
    check = module.CHECK

    [found] = check.judge(broken)
    assert list(check.judge(healthy)) == []
    assert found.objects
    assert found.cause.en != found.cause.ko
    assert found.commands
    assert check.is_fixable or not found.is_fixable
    assert bool(found.undo_commands) == found.is_fixable


def test_a_load_balancer_that_is_there_is_not_changed_under_its_users():
    served = a_service(loadBalancer={"ingress": [{"hostname": "old.example"}]})
    facts = load_balancers.Facts(
        NAMES, "vpc-1", (served,), has_controller=True, has_role=True, has_agent=True
    )

    [found] = load_balancers.judge(facts)

    assert not found.is_fixable
    assert any("kubectl delete" in line for line in found.commands)


def test_a_fix_of_a_manifest_is_a_patch_with_a_way_back():
    [found] = instance_type_names.CHECK.judge(written(a_pool(an_item(TYPE, "c", "m"))))

    assert "instance-category" in found.commands[0]
    assert "instance-type" in found.undo_commands[0]


def test_only_our_finalizer_is_taken_off():
    [found] = stuck_finalizers.judge(
        next(broken for module, broken, _ in CASES if module is stuck_finalizers)
    )

    assert found.mends[0].step.deeds[0].patch == {"metadata": {"finalizers": ["other/one"]}}


def test_one_variable_in_two_fields_is_told_once_with_both():
    twice = {"subnetSelectorTerms": COPY, "securityGroupSelectorTerms": COPY}

    [found] = placeholders.judge(names(a_class(**twice)))

    assert len(found.facts) == 2
