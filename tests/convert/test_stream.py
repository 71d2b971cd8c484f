import msgspec
import pytest

from builders.legacy import a_beta_class, a_beta_pool, a_provisioner, a_template
from nodewright.convert.nodeclass import ConvertOptions
from nodewright.convert.stream import convert_legacy
from nodewright.convert.written import write_manifest
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.kinds import BY_NAME
from nodewright.model.labels import NODEPOOL
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepool import NodePool
from nodewright.model.validation import validate_nodepool

CATEGORY = "karpenter.k8s.aws/instance-category"
GENERATION = "karpenter.k8s.aws/instance-generation"


def the_pool(*objects, **options):
    (pool,) = convert_legacy(objects, ConvertOptions(**options)).of_type(NodePool)
    return pool


def the_class(*objects, **options):
    (one,) = convert_legacy(objects, ConvertOptions(**options)).of_type(EC2NodeClass)
    return one


def refusals(*objects):
    return [note.message for note in convert_legacy(objects).notes if note.kind == "refused"]


def requirements(pool):
    return {one.key: (one.operator, *one.values) for one in pool.spec.template.spec.requirements}


def test_the_webhooks_defaults_are_written_out():
    pool = the_pool(a_provisioner())
    assert requirements(pool) == {
        "kubernetes.io/os": ("In", "linux"),
        "kubernetes.io/arch": ("In", "amd64"),
        "karpenter.sh/capacity-type": ("In", "on-demand"),
        CATEGORY: ("In", "c", "m", "r"),
        GENERATION: ("Gt", "2"),
    }
    assert validate_nodepool(pool) == []


@pytest.mark.parametrize(
    ("asked", "is_added"),
    [
        (
            {"key": "kubernetes.io/arch", "operator": "In", "values": ["arm64"]},
            "kubernetes.io/arch",
        ),
        ({"key": "beta.kubernetes.io/arch", "operator": "Exists"}, "kubernetes.io/arch"),
        ({"key": "node.kubernetes.io/instance-type", "operator": "Exists"}, CATEGORY),
        ({"key": "karpenter.k8s.aws/instance-family", "operator": "Exists"}, GENERATION),
        ({"key": GENERATION, "operator": "Gt", "values": ["4"]}, CATEGORY),
    ],
)
def test_a_default_is_not_added_where_the_provisioner_says_itself(asked, is_added):
    pool = the_pool(a_provisioner(requirements=[asked]))
    keys = [one.key for one in pool.spec.template.spec.requirements]
    assert keys.count(is_added) == (1 if asked["key"].endswith(is_added.split("/")[1]) else 0)


def test_a_default_is_not_added_where_a_label_says():
    pool = the_pool(a_provisioner(labels={"kubernetes.io/arch": "arm64"}))
    assert "kubernetes.io/arch" not in requirements(pool)
    assert pool.spec.template.metadata.labels == {"kubernetes.io/arch": "arm64"}


def test_deprecated_label_keys_get_their_names_of_today():
    asked = {"key": "failure-domain.beta.kubernetes.io/zone", "operator": "In", "values": ["a"]}
    pool = the_pool(a_provisioner(requirements=[asked]))
    assert requirements(pool)["topology.kubernetes.io/zone"] == ("In", "a")


@pytest.mark.parametrize(
    ("spec", "policy", "after", "expire"),
    [
        ({}, "WhenEmptyOrUnderutilized", "Never", "Never"),
        ({"ttlSecondsAfterEmpty": 60}, "WhenEmpty", "60s", "Never"),
        ({"ttlSecondsAfterEmpty": 0}, "WhenEmpty", "0s", "Never"),
        ({"consolidation": {"enabled": True}}, "WhenEmptyOrUnderutilized", "0s", "Never"),
        ({"consolidation": {"enabled": False}}, "WhenEmptyOrUnderutilized", "Never", "Never"),
        (
            {"consolidation": {"enabled": False}, "ttlSecondsAfterEmpty": 5},
            "WhenEmpty",
            "5s",
            "Never",
        ),
        ({"ttlSecondsUntilExpired": 2592000}, "WhenEmptyOrUnderutilized", "Never", "2592000s"),
        ({"ttlSecondsUntilExpired": 0}, "WhenEmptyOrUnderutilized", "Never", "0s"),
    ],
)
def test_times_keep_their_meaning(spec, policy, after, expire):
    pool = the_pool(a_provisioner(**spec))
    assert pool.spec.disruption.consolidation_policy == policy
    assert pool.spec.disruption.consolidate_after == after
    assert pool.spec.template.spec.expire_after == expire


def test_the_other_fields_of_a_provisioner_find_their_places():
    taint = {"key": "a", "effect": "NoSchedule"}
    pool = the_pool(
        a_provisioner(
            labels={"team": "a"},
            annotations={"karpenter.sh/do-not-consolidate": "true"},
            taints=[taint],
            startupTaints=[{"key": "b", "effect": "NoExecute"}],
            limits={"resources": {"cpu": "1000", "memory": "1000Gi"}},
            weight=7,
        )
    )
    assert pool.spec.template.metadata.labels == {"team": "a"}
    assert pool.spec.template.metadata.annotations == {"karpenter.sh/do-not-disrupt": "true"}
    assert pool.spec.template.spec.taints[0].key == "a"
    assert pool.spec.template.spec.startup_taints[0].key == "b"
    assert pool.spec.limits == {"cpu": "1000", "memory": "1000Gi"}
    assert pool.spec.weight == 7
    ref = pool.spec.template.spec.node_class_ref
    assert (ref.group, ref.kind, ref.name) == ("karpenter.k8s.aws", "EC2NodeClass", "default")


@pytest.mark.parametrize(
    ("objects", "part"),
    [
        ([a_provisioner(consolidation={"enabled": True}, ttlSecondsAfterEmpty=3)], "keep one"),
        ([a_provisioner(providerRef=None)], "exactly one of provider"),
        ([a_provisioner(provider={"subnetSelector": {"a": "b"}})], "exactly one of provider"),
        ([a_provisioner(labels={"karpenter.sh/provisioner-name": "x"})], "remove it"),
        (
            [
                a_provisioner(
                    requirements=[{"key": "karpenter.sh/provisioner-name", "operator": "Exists"}]
                )
            ],
            "cannot be a requirement",
        ),
        (
            [
                a_provisioner(
                    taints=[{"key": "a", "effect": "NoSchedule"}],
                    startupTaints=[{"key": "a", "effect": "NoSchedule"}],
                )
            ],
            "occurs twice",
        ),
        ([a_template(launchTemplate="lt", securityGroupSelector=None)], "no counterpart"),
        ([a_template(subnetSelector=None)], "subnetSelector is missing"),
        ([a_template(subnetSelector={"aws-ids": "subnet-1", "a": "b"})], "only key"),
        ([a_template(amiFamily="Custom")], "needs an amiSelector"),
        ([a_template(amiFamily="Ubuntu")], "--kubernetes-version"),
        ([a_template(subnetSelector=dict.fromkeys("abc", "1,2,3,4"))], "64 combinations"),
    ],
)
def test_what_has_no_counterpart_is_refused_with_advice(objects, part):
    messages = refusals(*objects)
    assert any(part in message for message in messages)


def test_a_refused_object_does_not_stop_the_others():
    conversion = convert_legacy(
        [a_template("bad", launchTemplate="lt"), a_template(), a_provisioner()]
    )
    assert [made.object.metadata.name for made in conversion.made] == ["default", "default"]


def test_one_template_with_different_kubelets_becomes_several_classes():
    conversion = convert_legacy(
        [
            a_template(),
            a_provisioner("plain"),
            a_provisioner("dense", kubeletConfiguration={"maxPods": 200}),
            a_provisioner("dense2", kubeletConfiguration={"maxPods": 200}),
            a_provisioner("sparse", kubeletConfiguration={"maxPods": 10}),
        ]
    )
    kubelets = {one.metadata.name: one.spec.kubelet for one in conversion.of_type(EC2NodeClass)}
    assert kubelets == {
        "default": {},
        "default-dense": {"maxPods": 200},
        "default-sparse": {"maxPods": 10},
    }
    refs = {
        pool.metadata.name: pool.spec.template.spec.node_class_ref.name
        for pool in conversion.of_type(NodePool)
    }
    assert refs == {
        "plain": "default",
        "dense": "default-dense",
        "dense2": "default-dense",
        "sparse": "default-sparse",
    }


def test_a_new_class_takes_no_name_that_is_taken():
    conversion = convert_legacy(
        [
            a_template(),
            a_template("default-b"),
            a_provisioner("a"),
            a_provisioner("b", kubeletConfiguration={"maxPods": 1}),
        ]
    )
    names = [one.metadata.name for one in conversion.of_type(EC2NodeClass)]
    assert sorted(names) == ["default", "default-b", "default-b-2"]


def test_equal_kubelets_share_the_class_and_the_container_runtime_is_dropped():
    kubelet = {"containerRuntime": "containerd", "evictionMaxPodGracePeriod": 60}
    conversion = convert_legacy([a_provisioner(kubeletConfiguration=kubelet), a_template()])
    (made,) = conversion.of_type(EC2NodeClass)
    assert made.spec.kubelet == {"evictionMaxPodGracePeriod": 60}
    assert any("containerRuntime" in note.message for note in conversion.notes)


def test_kubelet_settings_without_their_template_are_said_to_be_lost():
    conversion = convert_legacy([a_provisioner(kubeletConfiguration={"maxPods": 3})])
    assert any(note.kind == "lost" and "spec.kubelet" in note.message for note in conversion.notes)


def test_an_inline_provider_becomes_a_class_of_the_provisioners_name():
    provider = {
        "apiVersion": "extensions.karpenter.sh/v1alpha1",
        "kind": "AWS",
        "subnetSelector": {"a": "b"},
        "securityGroupSelector": {"a": "b"},
        "instanceProfile": "p",
    }
    conversion = convert_legacy([a_provisioner("web", providerRef=None, provider=provider)])
    made, pool = (one.object for one in conversion.made)
    assert made.metadata.name == "web"
    assert pool.spec.template.spec.node_class_ref.name == "web"


def test_an_unreadable_provider_is_refused():
    assert (
        "cannot be read"
        in refusals(a_provisioner(providerRef=None, provider={"subnetSelector": 3}))[0]
    )


def test_a_beta_pool_moves_its_fields():
    pool = the_pool(a_beta_pool(disruption={"expireAfter": "24h"}), a_beta_class())
    assert pool.spec.template.spec.expire_after == "24h"
    assert pool.spec.disruption.consolidation_policy == "WhenEmptyOrUnderutilized"
    assert pool.spec.disruption.consolidate_after == "0s"
    assert pool.spec.template.spec.node_class_ref.group == "karpenter.k8s.aws"
    assert pool.spec.template.spec.node_class_ref.kind == "EC2NodeClass"


def test_a_beta_pool_gets_no_requirements_added():
    assert requirements(the_pool(a_beta_pool())) == {}


def test_a_beta_pool_keeps_its_default_lifetime_and_its_policy():
    pool = the_pool(
        a_beta_pool(disruption={"consolidationPolicy": "WhenEmpty", "consolidateAfter": "30s"})
    )
    assert pool.spec.template.spec.expire_after == "720h"
    assert pool.spec.disruption.consolidation_policy == "WhenEmpty"
    assert pool.spec.disruption.consolidate_after == "30s"


def test_beta_kubelets_split_their_class_too():
    conversion = convert_legacy(
        [a_beta_class(), a_beta_pool("a", kubelet={"maxPods": 1}), a_beta_pool("b")]
    )
    kubelets = {one.metadata.name: one.spec.kubelet for one in conversion.of_type(EC2NodeClass)}
    assert kubelets == {"default": {}, "default-a": {"maxPods": 1}}


def test_a_beta_class_gets_an_alias_and_the_hop_limit_of_then():
    made = the_class(a_beta_class(amiFamily="AL2023"))
    assert made.spec.ami_family is None
    assert made.spec.ami_selector_terms[0].alias == "al2023@latest"
    assert made.spec.metadata_options.http_put_response_hop_limit == 2
    assert made.spec.role == "r"


def test_a_machine_is_read_as_a_claim():
    machine = msgspec.convert(
        {
            "metadata": {
                "name": "m",
                "labels": {"karpenter.sh/provisioner-name": "default"},
                "annotations": {"karpenter.sh/provisioner-hash": "1"},
                "ownerReferences": [{"kind": "Provisioner", "name": "default"}],
            },
            "spec": {"machineTemplateRef": {"name": "default"}},
            "status": {
                "providerID": "aws:///a/i-1",
                "conditions": [{"type": "MachineLaunched", "status": "True"}],
            },
        },
        BY_NAME["karpenter.sh/v1alpha5", "Machine"].struct,
    )
    conversion = convert_legacy([machine, a_provisioner(ttlSecondsUntilExpired=60)])
    (claim,) = conversion.of_type(NodeClaim)
    assert claim.metadata.labels == {NODEPOOL: "default"}
    assert claim.metadata.annotations == {"karpenter.sh/nodepool-hash": "1"}
    assert claim.metadata.owner_references[0].kind == "NodePool"
    assert claim.spec.expire_after == "60s"
    assert claim.spec.node_class_ref.name == "default"
    assert claim.status.conditions[0].type == "Launched"
    assert convert_legacy([machine]).of_type(NodeClaim)[0].spec.expire_after == "Never"


def test_a_beta_claim_takes_the_lifetime_of_its_pool():
    claim = msgspec.convert(
        {"metadata": {"name": "c", "labels": {NODEPOOL: "default"}}},
        BY_NAME["karpenter.sh/v1beta1", "NodeClaim"].struct,
    )
    conversion = convert_legacy([claim, a_beta_pool(disruption={"expireAfter": "5h"})])
    assert conversion.of_type(NodeClaim)[0].spec.expire_after == "5h"


def test_what_is_printed_reads_back_as_the_same_object_with_its_defaults_written():
    conversion = convert_legacy(
        [a_template(), a_provisioner(consolidation={"enabled": True}, ttlSecondsUntilExpired=720)]
    )
    for made in conversion.made:
        manifest = write_manifest(made.object)
        known = BY_NAME[manifest["apiVersion"], manifest["kind"]]
        assert msgspec.convert(manifest, known.struct) == made.object
    pool = write_manifest(conversion.of_type(NodePool)[0])
    assert pool["spec"]["disruption"] == {
        "consolidationPolicy": "WhenEmptyOrUnderutilized",
        "consolidateAfter": "0s",
        "budgets": [{"nodes": "10%"}],
    }
    made = write_manifest(conversion.of_type(EC2NodeClass)[0])
    assert made["spec"]["metadataOptions"]["httpPutResponseHopLimit"] == 2
    assert list(made) == ["apiVersion", "kind", "metadata", "spec"]


def test_the_newer_of_two_that_want_one_name_keeps_it():
    conversion = convert_legacy([a_provisioner(), a_beta_pool(), a_template(), a_beta_class()])
    assert [made.source for made in conversion.made] == ["NodePool/default", "EC2NodeClass/default"]
    refused = {note.source for note in conversion.notes if note.kind == "refused"}
    assert refused == {"Provisioner/default", "AWSNodeTemplate/default"}


def test_a_name_that_is_taken_today_is_refused():
    conversion = convert_legacy([a_provisioner(), a_template()], existing=["NodePool/default"])
    assert [made.source for made in conversion.made] == ["AWSNodeTemplate/default"]


def test_an_inline_provider_leaves_a_template_of_the_same_name_alone():
    provider = {"subnetSelector": {"a": "b"}, "securityGroupSelector": {"a": "b"}}
    inline = a_provisioner("default", providerRef=None, provider=provider)
    conversion = convert_legacy([inline, a_template()])
    names = [made.object.metadata.name for made in conversion.made]
    assert names == ["default-2", "default", "default"]
