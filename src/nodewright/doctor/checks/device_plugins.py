"""Devices that a machine has and its node does not offer: the plugin that tells the kubelet is missing."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import DAEMON_SETS, name_of
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.waiting import Waiting, waiting_claims

_NEURON: Final = (
    ("neuron",),
    (
        "helm upgrade --install neuron-helm-chart oci://public.ecr.aws/neuron/neuron-helm-chart "
        "-n kube-system --set npd.enabled=false"
    ),
)
_PLUGINS: Final = {
    "nvidia.com/gpu": (
        ("nvidia", "gpu-operator"),
        (
            "helm upgrade --install nvidia-device-plugin nvidia-device-plugin --repo "
            "https://nvidia.github.io/k8s-device-plugin -n nvidia-device-plugin --create-namespace "
            "--set gfd.enabled=true"
        ),
    ),
    "amd.com/gpu": (
        ("amdgpu", "amd-gpu"),
        (
            "kubectl apply -f "
            "https://raw.githubusercontent.com/ROCm/k8s-device-plugin/master/k8s-ds-amdgpu-dp.yaml"
        ),
    ),
    "habana.ai/gaudi": (
        ("habana",),
        (
            "kubectl apply -f https://vault.habana.ai/artifactory/docker-k8s-device-plugin/"
            "habana-k8s-device-plugin.yaml"
        ),
    ),
    "aws.amazon.com/neuron": _NEURON,
    "aws.amazon.com/neuroncore": _NEURON,
    "vpc.amazonaws.com/efa": (
        ("efa",),
        (
            "helm upgrade --install aws-efa-k8s-device-plugin aws-efa-k8s-device-plugin --repo "
            "https://aws.github.io/eks-charts -n kube-system"
        ),
    ),
}
"""By which words a plugin's daemon set is known, and how its makers say that it is installed.

Read in their own guides in November 2026: NVIDIA/k8s-device-plugin, ROCm/k8s-device-plugin, Intel's Gaudi
documentation, the Neuron documentation, and aws/eks-charts for EFA. The chart of NVIDIA keeps to nodes with a
label of feature discovery, which it brings along only where it is told to.
"""


class Facts(msgspec.Struct, frozen=True):
    """Claims that wait, and the daemon sets that are there."""

    waiting: tuple[Waiting, ...]
    daemons: tuple[str, ...]


async def probe(look: Look) -> Facts:
    """Read the claims that wait and the names of daemon sets."""
    daemons = tuple(name_of(one) for one in await look.all(DAEMON_SETS))
    return Facts(await waiting_claims(look), daemons)


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield each device that a node lacks."""
    for one in facts.waiting:
        for resource, (words, command) in _PLUGINS.items():
            promised = one.amounts("capacity").get(resource, "0")
            if one.stage != "registered" or promised in ("0", 0):
                continue
            if one.amounts("allocatable").get(resource, "0") not in ("0", 0):
                continue
            there = [name for name in facts.daemons if any(word in name for word in words)]
            yield _finding(one, resource, there, command)


def _finding(one: Waiting, resource: str, there: list[str], command: str) -> Finding:
    node = f"Node/{one.node_name}"
    cause = (
        say(
            "the plugin {name} is there and does not report the device on this node",
            "플러그인 {name}이(가) 있으나 이 노드에서 장치를 보고하지 않음",
            name=there[0],
        )
        if there
        else say(
            "no daemon set is there that tells the kubelet of {resource}",
            "kubelet에 {resource}을(를) 알리는 데몬셋이 없음",
            resource=resource,
        )
    )
    look = (
        f"kubectl logs -n {there[0].partition('/')[0]} ds/{there[0].partition('/')[2]}"
        if there
        else command
    )
    return Finding(
        objects=(node, one.name),
        message=say(
            "{node} does not offer {resource} after {minutes} min, so it is never initialized",
            "{node}이(가) {minutes}분이 지나도 {resource}을(를) 제공하지 않아 초기화되지 않습니다",
            node=node,
            resource=resource,
            minutes=one.minutes,
        ),
        cause=cause,
        facts=(
            fact(one.name, f"status.capacity[{resource}]", one.amounts("capacity")[resource]),
            fact(
                node,
                f"status.allocatable[{resource}]",
                one.amounts("allocatable").get(resource, "none"),
            ),
        ),
        advice=(look,),
    )


CHECK = Check(
    code="NW-3024",
    section="nodes",
    severity="error",
    title=Text("devices are offered by their plugins", "장치 플러그인이 장치를 제공함"),
    why=Text(
        "The node is not initialized before it offers its devices: it is paid for, and takes no pods.",
        "장치를 제공하기 전에는 노드가 초기화되지 않아 비용만 들고 파드를 받지 못합니다.",
    ),
    answer=Text(
        "Install the device plugin; which one and how is the owner's choice, and the usual command is printed.",
        "장치 플러그인을 설치하십시오. 무엇을 어떻게 설치할지는 선택이며, 흔히 쓰는 명령을 보여 줍니다.",
    ),
    probe=probe,
    judge=judge,
)
