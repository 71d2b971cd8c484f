"""The objects that every EKS cluster has, and short forms for those that a scenario adds.

Images are named as they are in the world, though nobody pulls them here: KWOK plays every pod.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import yaml

from nodewright.sandbox.kubelet.access import NODE_GROUPS, NODE_USER

type Object = dict[str, Any]

SYSTEM: Final = "kube-system"
_OWNER: Final = "eks"
_NO_FARGATE: Final = {
    "key": "eks.amazonaws.com/compute-type",
    "operator": "NotIn",
    "values": ["fargate"],
}
_LINUX: Final = {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]}
_TOLERATES_ALL: Final = [{"operator": "Exists"}]
_CRITICAL: Final = [
    {"key": "CriticalAddonsOnly", "operator": "Exists"},
    {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"},
]


def system_objects(dns_address: str) -> tuple[Object, ...]:
    """Give what EKS brings along, and metrics-server, which most people add."""
    return (
        service_account(SYSTEM, "aws-node"),
        daemon_set("aws-node", f"{_OWNER}/amazon-k8s-cni:v1.20.0", _PLUGIN_SETTINGS),
        daemon_set("kube-proxy", f"{_OWNER}/kube-proxy:v1.34.0", {}),
        deployment(SYSTEM, "coredns", f"{_OWNER}/coredns:v1.12.1", _dns_pod()),
        _dns_service(dns_address),
        deployment(SYSTEM, "metrics-server", "metrics-server:v0.8.0", _dns_pod()),
    )


_PLUGIN_SETTINGS: Final = {
    "ENABLE_POD_ENI": "false",
    "ENABLE_PREFIX_DELEGATION": "false",
    "WARM_ENI_TARGET": "1",
}


def namespace(name: str) -> Object:
    """Give a namespace."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def service_account(space: str, name: str, role: str = "") -> Object:
    """Give a service account, with a role by IRSA where one is named."""
    notes = {"eks.amazonaws.com/role-arn": role} if role else {}
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"namespace": space, "name": name, "annotations": notes},
    }


def aws_auth(node_roles: Iterable[str]) -> Object:
    """Give the ConfigMap that lets nodes with these roles in."""
    mapped = [
        {"rolearn": role, "username": NODE_USER, "groups": list(NODE_GROUPS)} for role in node_roles
    ]
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"namespace": SYSTEM, "name": "aws-auth"},
        "data": {"mapRoles": yaml.safe_dump(mapped)},
    }


def daemon_set(name: str, image: str, settings: Mapping[str, str]) -> Object:
    """Give a DaemonSet of the system's own."""
    container = {
        "name": name,
        "image": image,
        "env": [{"name": key, "value": value} for key, value in settings.items()],
        "resources": {"requests": {"cpu": "50m"}},
    }
    pod = {
        "hostNetwork": True,
        "priorityClassName": "system-node-critical",
        "tolerations": _TOLERATES_ALL,
        "affinity": node_affinity([_LINUX, _NO_FARGATE]),
        "containers": [container],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"namespace": SYSTEM, "name": name, "labels": {"k8s-app": name}},
        "spec": {
            "selector": {"matchLabels": {"k8s-app": name}},
            "template": {"metadata": {"labels": {"k8s-app": name}}, "spec": pod},
        },
    }


def deployment(space: str, name: str, image: str, pod: Mapping[str, Any]) -> Object:
    """Give a Deployment of two pods; `pod` adds to the pod's spec, `env` to its container."""
    rest = dict(pod)
    container = {
        "name": name,
        "image": image,
        "env": rest.pop("env", []),
        "resources": {"requests": rest.pop("requests", {"cpu": "100m", "memory": "70Mi"})},
    }
    labels = {"app.kubernetes.io/name": name}
    replicas = rest.pop("replicas", 2)
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"namespace": space, "name": name, "labels": labels},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [container], **rest},
            },
        },
    }


def node_affinity(*terms: list[Mapping[str, Any]]) -> Object:
    """Give an affinity that one of the terms must hold; a term's expressions must all hold."""
    written = [{"matchExpressions": list(term)} for term in terms]
    return {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": written}
        }
    }


def variables(**pairs: str) -> list[dict[str, str]]:
    """Give environment variables of a container."""
    return [{"name": name, "value": value} for name, value in pairs.items()]


def _dns_pod() -> Object:
    return {
        "priorityClassName": "system-cluster-critical",
        "tolerations": _CRITICAL,
        "affinity": node_affinity([_LINUX]),
    }


def _dns_service(address: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"namespace": SYSTEM, "name": "kube-dns", "labels": {"k8s-app": "kube-dns"}},
        "spec": {
            "clusterIP": address,
            "selector": {"app.kubernetes.io/name": "coredns"},
            "ports": [
                {"name": "dns", "port": 53, "protocol": "UDP"},
                {"name": "dns-tcp", "port": 53, "protocol": "TCP"},
            ],
        },
    }
