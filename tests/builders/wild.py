"""Manifests like those in the wild: every era, every common habit, and now and then a mistake.

One seed gives one stream. Most are what an API server would take; some carry the mistakes that
people make, so that nothing that meets them may fall over.
"""

from random import Random

import yaml

ZONES = ("eu-west-1a", "eu-west-1b", "eu-west-1c")
FAMILIES = ("m5", "m6i", "c6g", "r7i", "t3", "g5", "c7i-flex")
TYPES = ("m5.large", "c6g.xlarge", "r7i.2xlarge", "t3.medium", "g5.4xlarge")
TEAMS = ("payments", "search", "batch")


def some(dice, choices, most=3):
    """Give a few of the choices."""
    return dice.sample(list(choices), dice.randint(1, min(most, len(choices))))


def requirements(dice):
    """Give requirements as people write them."""
    group = "karpenter.k8s.aws/instance-"
    menu = [
        {
            "key": "karpenter.sh/capacity-type",
            "operator": "In",
            "values": some(dice, ("spot", "on-demand")),
        },
        {"key": "kubernetes.io/arch", "operator": "In", "values": some(dice, ("amd64", "arm64"))},
        {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": some(dice, ZONES)},
        {"key": f"{group}category", "operator": "In", "values": some(dice, "cmrt")},
        {
            "key": f"{group}generation",
            "operator": dice.choice(("Gt", "Lt")),
            "values": [str(dice.randint(2, 7))],
        },
        {
            "key": f"{group}family",
            "operator": dice.choice(("In", "NotIn")),
            "values": some(dice, FAMILIES),
        },
        {"key": f"{group}size", "operator": "NotIn", "values": ["nano", "micro", "metal"]},
        {
            "key": f"{group}cpu",
            "operator": dice.choice(("Gt", "Lt")),
            "values": [str(dice.randint(1, 64))],
        },
        {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": some(dice, TYPES)},
        {"key": f"{group}hypervisor", "operator": "In", "values": ["nitro"]},
        {"key": "example.com/team", "operator": "Exists"},
        {"key": "beta.kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
    ]
    return dice.sample(menu, dice.randint(0, 6))


def taints(dice):
    """Give one or two taints."""
    return [
        {"key": f"example.com/{dice.choice(TEAMS)}", "value": "true", "effect": effect}
        for effect in some(dice, ("NoSchedule", "NoExecute", "PreferNoSchedule"), 2)
    ]


def kubelet(dice):
    """Give kubelet settings."""
    menu = {
        "maxPods": dice.randint(10, 110),
        "clusterDNS": ["10.0.1.100"],
        "containerRuntime": "containerd",
        "evictionHard": {"memory.available": "5%"},
        "kubeReserved": {"cpu": "200m", "memory": "100Mi"},
        "evictionMaxPodGracePeriod": 60,
        "imageGCHighThresholdPercent": 85,
    }
    return {name: menu[name] for name in dice.sample(sorted(menu), dice.randint(1, 3))}


def selector(dice):
    """Give a selector of the first kind."""
    return dice.choice(
        [
            {"karpenter.sh/discovery": "prod"},
            {"kubernetes.io/cluster/prod": "owned"},
            {"aws-ids": "subnet-01234567,subnet-89abcdef"},
            {"Name": "*private*", "Env": "a,b"},
        ]
    )


def devices(dice):
    """Give a root volume."""
    ebs = {"volumeSize": f"{dice.randint(20, 500)}Gi", "volumeType": "gp3", "encrypted": True}
    return [{"deviceName": "/dev/xvda", "ebs": ebs}]


def maybe(dice, fields, share=0.5):
    """Keep some of the fields; what is callable is asked only then."""
    return {
        name: value(dice) if callable(value) else value
        for name, value in fields.items()
        if dice.random() < share
    }


def a_provisioner(dice, name, template):
    """Give a Provisioner."""
    spec = {
        "requirements": requirements(dice),
        **maybe(
            dice,
            {
                "labels": {"team": dice.choice(TEAMS)},
                "annotations": {"example.com/owner": "me"},
                "taints": taints,
                "startupTaints": [{"key": "node.cilium.io/agent-not-ready", "effect": "NoExecute"}],
                "kubeletConfiguration": kubelet,
                "limits": {
                    "resources": {"cpu": dice.choice((1000, "1k", "500")), "memory": "1000Gi"}
                },
                "ttlSecondsUntilExpired": dice.choice((0, 2592000, 604800)),
                "weight": dice.randint(1, 100),
            },
        ),
    }
    spec |= dice.choice(
        [{}, {"ttlSecondsAfterEmpty": dice.choice((0, 30))}, {"consolidation": {"enabled": True}}]
    )
    if dice.random() < 0.2:
        spec["provider"] = {"subnetSelector": {"a": "b"}, "securityGroupSelector": {"a": "b"}}
    else:
        spec["providerRef"] = {"name": template}
    return {
        "apiVersion": "karpenter.sh/v1alpha5",
        "kind": "Provisioner",
        "metadata": {"name": name},
        "spec": spec,
    }


def a_template(dice, name):
    """Give an AWSNodeTemplate."""
    spec = {
        "subnetSelector": selector(dice),
        "securityGroupSelector": {"karpenter.sh/discovery": "prod"},
        **maybe(
            dice,
            {
                "amiFamily": dice.choice(("AL2", "Bottlerocket", "Windows2022")),
                "instanceProfile": "KarpenterNodeInstanceProfile-prod",
                "userData": "#!/bin/bash\necho ${HOME}\n",
                "tags": {"Name": "x", "cost": "shop"},
                "blockDeviceMappings": devices,
                "detailedMonitoring": True,
                "metadataOptions": {"httpTokens": "required"},
            },
        ),
    }
    return {
        "apiVersion": "karpenter.k8s.aws/v1alpha1",
        "kind": "AWSNodeTemplate",
        "metadata": {"name": name},
        "spec": spec,
    }


def a_nodepool(dice, name, node_class, era):
    """Give a NodePool of v1 or v1beta1."""
    beta = era == "v1beta1"
    ref = {"kind": "EC2NodeClass", "name": node_class}
    ref["apiVersion" if beta else "group"] = (
        "karpenter.k8s.aws/v1beta1" if beta else "karpenter.k8s.aws"
    )
    inner = {"nodeClassRef": ref, "requirements": requirements(dice)}
    inner |= maybe(
        dice, {"taints": taints, **({"kubelet": kubelet} if beta else {"expireAfter": "720h"})}
    )
    disruption = dice.choice(
        [
            {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "30s"},
            {"consolidationPolicy": "WhenUnderutilized" if beta else "WhenEmptyOrUnderutilized"}
            | ({} if beta else {"consolidateAfter": "1m"}),
        ]
    )
    disruption |= maybe(
        dice,
        {
            "budgets": [
                {"nodes": "20%"},
                {"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"},
            ],
            **({"expireAfter": "720h"} if beta else {}),
        },
    )
    spec = {"template": {"spec": inner}, "disruption": disruption}
    spec["template"] |= maybe(dice, {"metadata": {"labels": {"team": dice.choice(TEAMS)}}})
    spec |= maybe(dice, {"limits": {"cpu": "1000"}, "weight": dice.randint(1, 100)})
    return {
        "apiVersion": f"karpenter.sh/{era}",
        "kind": "NodePool",
        "metadata": {"name": name},
        "spec": spec,
    }


def a_nodeclass(dice, name, era):
    """Give an EC2NodeClass of v1 or v1beta1."""
    terms = [{"tags": {"karpenter.sh/discovery": "prod"}}]
    spec = {
        "subnetSelectorTerms": terms,
        "securityGroupSelectorTerms": terms,
        "role": "KarpenterNodeRole-prod",
    }
    if era == "v1":
        spec["amiSelectorTerms"] = [
            {"alias": dice.choice(("al2023@latest", "bottlerocket@v1.20.0"))}
        ]
        spec |= maybe(dice, {"kubelet": {"maxPods": 20}})
    else:
        spec["amiFamily"] = dice.choice(("AL2", "AL2023", "Bottlerocket"))
    spec |= maybe(
        dice, {"blockDeviceMappings": devices, "tags": {"a": "b"}, "detailedMonitoring": True}
    )
    return {
        "apiVersion": f"karpenter.k8s.aws/{era}",
        "kind": "EC2NodeClass",
        "metadata": {"name": name},
        "spec": spec,
    }


def spoil(dice, value):
    """Make a mistake somewhere, as people do."""
    spec = value["spec"]
    match dice.randrange(7):
        case 0:
            spec["requirments"] = []
        case 1:
            spec["weight"] = "heavy"
        case 2:
            spec["tags"] = {"Name": "${CLUSTER_NAME}"}
        case 3:
            spec.pop(next(iter(spec)))
        case 4:
            spec[next(iter(spec))] = None
        case 5:
            value["metadata"]["name"] = 5
        case 6:
            for one in spec.get("requirements") or ():
                one["requirements"] = None
    return value


def a_stream(seed):
    """Give one stream of pools and their classes as text."""
    dice = Random(seed)
    era = dice.choice(("v1alpha", "v1alpha", "v1beta1", "v1"))
    objects = []
    for number in range(dice.randint(1, 3)):
        if era == "v1alpha":
            objects.append(a_provisioner(dice, f"pool-{number}", "main"))
        else:
            objects.append(a_nodepool(dice, f"pool-{number}", "main", era))
    objects.append(a_template(dice, "main") if era == "v1alpha" else a_nodeclass(dice, "main", era))
    if dice.random() < 0.25:
        objects[0] = spoil(dice, objects[0])
    return yaml.dump_all(objects, Dumper=yaml.CSafeDumper, sort_keys=False)
