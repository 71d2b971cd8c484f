"""Whatever is converted applies to a v1 cluster and can be used, or is refused with a reason."""

import random

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from nodewright.convert.nodeclass import ConvertOptions
from nodewright.convert.stream import convert_legacy
from nodewright.convert.written import write_manifest
from nodewright.model.admission import admit
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.kinds import BY_NAME, LEGACY
from nodewright.model.nodepool import NodePool
from nodewright.model.validation import validate_nodepool
from nodewright.model.validation_ec2nodeclass import validate_ec2nodeclass

KEYS = (
    "team",
    "example.com/pool",
    "kubernetes.io/arch",
    "beta.kubernetes.io/arch",
    "kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/zone",
    "node.kubernetes.io/instance-type",
    "karpenter.k8s.aws/instance-family",
    "karpenter.k8s.aws/instance-category",
)
WORDS = ("a", "b", "team", "c5", "x-1")
NAMES = ("default", "web", "batch")
KUBELETS = (
    {},
    {"maxPods": 20},
    {"containerRuntime": "containerd"},
    {"systemReserved": {"cpu": "1"}},
)
IMAGES = ({"aws::ids": "ami-1,ami-2"}, {"aws::name": "x"}, {"a": "b,c"})
KINDS = {kind.kind: kind for kind in LEGACY}


class Maker:
    """Makes legacy objects as people write them, the same for the same seed."""

    def __init__(self, seed):
        self.chance = random.Random(seed)

    def some(self, **fields):
        return {name: make() for name, make in fields.items() if self.chance.random() < 0.5}

    def pick(self, *values):
        return lambda: self.chance.choice(values)

    def number(self, low, high):
        return lambda: self.chance.randint(low, high)

    def requirements(self):
        keys = self.chance.sample(KEYS, self.chance.randint(0, 3))
        return [
            {"key": key, "operator": "Exists"}
            if self.chance.random() < 0.3
            else {"key": key, "operator": "In", "values": self.chance.sample(WORDS, 2)}
            for key in keys
        ]

    def taints(self):
        keys = self.chance.sample(WORDS, self.chance.randint(0, 2))
        return [
            {"key": key, "effect": self.chance.choice(("NoSchedule", "NoExecute"))} for key in keys
        ]

    def selector(self):
        keys = self.chance.sample(WORDS, self.chance.randint(1, 3))
        return {key: self.chance.choice(("x", "x,y", "*")) for key in keys}

    def provisioner(self):
        spec = self.some(
            labels=self.pick({}, {"team": "a"}),
            requirements=self.requirements,
            taints=self.taints,
            startupTaints=self.taints,
            kubeletConfiguration=self.pick(*KUBELETS),
            ttlSecondsAfterEmpty=self.number(0, 1000),
            ttlSecondsUntilExpired=self.number(0, 10**7),
            consolidation=self.pick({"enabled": True}, {"enabled": False}, {}),
            limits=self.pick({"resources": {"cpu": "10"}}),
            weight=self.number(1, 100),
        )
        if self.chance.random() < 0.2:
            return {**spec, "provider": self.template()}
        return {**spec, "providerRef": {"name": self.chance.choice(NAMES)}}

    def template(self):
        spec = self.some(
            amiFamily=self.pick("AL2", "Bottlerocket", "Ubuntu", "Windows2022", "Custom"),
            amiSelector=self.pick(*IMAGES),
            instanceProfile=self.pick("p"),
            tags=self.pick({"a": "b"}, {"karpenter.sh/nodepool": "x"}),
            metadataOptions=self.pick({}, {"httpTokens": "optional"}),
            detailedMonitoring=self.pick(True, False),
        )
        if self.chance.random() < 0.1:
            spec["launchTemplate"] = "lt"
        return {
            "subnetSelector": self.selector(),
            "securityGroupSelector": self.selector(),
            **spec,
        }

    def beta_pool(self):
        template = self.some(requirements=self.requirements, kubelet=self.pick(*KUBELETS))
        ref = {"nodeClassRef": {"name": self.chance.choice(NAMES)}}
        disruption = self.some(
            expireAfter=self.pick("Never", "24h"),
            consolidationPolicy=self.pick("WhenEmpty", "WhenUnderutilized"),
            consolidateAfter=self.pick("Never", "30s"),
        )
        return {"template": {"spec": {**ref, **template}}, "disruption": disruption}

    def beta_class(self):
        spec = self.some(amiSelectorTerms=self.pick([{"id": "ami-1"}]), tags=self.pick({"a": "b"}))
        terms = {"subnetSelectorTerms": [{"id": "subnet-1"}]}
        groups = {"securityGroupSelectorTerms": [{"id": "sg-1"}]}
        family = {"amiFamily": self.chance.choice(("AL2", "AL2023", "Bottlerocket"))}
        return {**terms, **groups, **family, "role": "r", **spec}

    def stream(self):
        makers = {
            "Provisioner": self.provisioner,
            "AWSNodeTemplate": self.template,
            "NodePool": self.beta_pool,
            "EC2NodeClass": self.beta_class,
        }
        wanted = [(kind, name) for kind in makers for name in NAMES]
        chosen = self.chance.sample(wanted, self.chance.randint(0, 7))
        return [(kind, name, makers[kind]()) for kind, name in chosen]


SEEDS = st.integers(0, 2**32)


def decoded(one):
    kind, name, spec = one
    return msgspec.convert({"metadata": {"name": name}, "spec": spec}, KINDS[kind].struct)


@given(SEEDS, st.sampled_from([None, 30, 34]))
def test_what_is_made_applies_and_can_be_used(seed, minor):
    stream = Maker(seed).stream()
    profile = ConvertOptions(kubernetes_minor=minor, instance_profile="p")
    conversion = convert_legacy([decoded(one) for one in stream], profile)
    for made in conversion.made:
        manifest = write_manifest(made.object)
        struct = BY_NAME[manifest["apiVersion"], manifest["kind"]].struct
        assert admit(manifest, struct) == []
        assert msgspec.convert(manifest, struct).spec == made.object.spec
        if isinstance(made.object, NodePool):
            assert validate_nodepool(made.object) == []
        if isinstance(made.object, EC2NodeClass):
            assert validate_ec2nodeclass(made.object, kubernetes_minor=minor) == []


@given(SEEDS)
def test_what_is_not_made_was_refused(seed):
    stream = Maker(seed).stream()
    conversion = convert_legacy([decoded(one) for one in stream])
    made = {one.source for one in conversion.made}
    refused = {note.source for note in conversion.notes if note.kind == "refused"}
    assert {f"{kind}/{name}" for kind, name, _ in stream} <= made | refused


@given(SEEDS)
def test_every_pool_finds_the_class_that_its_old_one_named(seed):
    stream = Maker(seed).stream()
    conversion = convert_legacy([decoded(one) for one in stream])
    classes = {one.metadata.name: one for one in conversion.of_type(EC2NodeClass)}
    assert len(classes) == len(conversion.of_type(EC2NodeClass))
    kubelets = {
        name: spec.get("kubeletConfiguration", {})
        for kind, name, spec in stream
        if kind == "Provisioner"
    }
    for made in conversion.made:
        name = made.object.metadata.name
        if made.source == f"Provisioner/{name}" and isinstance(made.object, NodePool):
            used = classes.get(made.object.spec.template.spec.node_class_ref.name)
            wanted = {k: v for k, v in kubelets[name].items() if k != "containerRuntime"}
            assert used is None or used.spec.kubelet == wanted
