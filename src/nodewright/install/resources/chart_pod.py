"""The pod of the chart: where it runs, as whom, and what its one container is told."""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any, Final

from nodewright.install.resources.values import Names, Values, without_empty

type Object = dict[str, Any]

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_NODE_GROUP: Final = "eks.amazonaws.com/nodegroup"
_JOURNAL: Final = "/var/lib/nodewright/journal"
# The one place besides the journal that the container may write to.
_SCRATCH: Final = "/tmp"  # noqa: S108
# In the order of their names, as Helm's templates go through a map.
_TEXTS: Final[Mapping[str, str]] = {
    "AMI_REFRESH_INTERVAL": "amiRefreshInterval",
    "BATCH_IDLE_DURATION": "batchIdleDuration",
    "BATCH_MAX_DURATION": "batchMaxDuration",
    "CLUSTER_CA_BUNDLE": "clusterCABundle",
    "CLUSTER_ENDPOINT": "clusterEndpoint",
    "CLUSTER_NAME": "clusterName",
    "INTERRUPTION_QUEUE": "interruptionQueue",
    "JOURNAL_S3": "journalS3",
    "MIN_VALUES_POLICY": "minValuesPolicy",
    "PREFERENCE_POLICY": "preferencePolicy",
    "RESERVED_ENIS": "reservedENIs",
    "SUBNET_REFRESH_INTERVAL": "subnetRefreshInterval",
    "VM_MEMORY_OVERHEAD_PERCENT": "vmMemoryOverheadPercent",
}
_SWITCHES: Final[Mapping[str, str]] = {
    "DISABLE_CLUSTER_STATE_OBSERVABILITY": "disableClusterStateObservability",
    "DISABLE_DRY_RUN": "disableDryRun",
    "EKS_CONTROL_PLANE": "eksControlPlane",
    "ENABLE_ZONAL_SHIFT": "enableZonalShift",
    "ISOLATED_VPC": "isolatedVPC",
}


def pod_spec(values: Values, names: Names) -> Object:
    """Give the spec of the controller's pods."""
    volumes = [
        {"name": "journal", **values["journal"]["volume"]},
        {"name": "scratch", "emptyDir": {}},
        *values["extraVolumes"],
    ]
    handed_through = (
        "imagePullSecrets",
        "priorityClassName",
        "terminationGracePeriodSeconds",
        "hostNetwork",
        "schedulerName",
        "dnsPolicy",
        "dnsConfig",
        "nodeSelector",
        "tolerations",
    )
    spread = _about_own(values.get("topologySpreadConstraints") or (), names)
    pod = {name: values[name] for name in handed_through if values.get(name)} | {
        "serviceAccountName": names.account,
        "securityContext": values.get("podSecurityContext"),
        "affinity": _affinity(values, names),
        "topologySpreadConstraints": spread,
        "containers": [_container(values, names), *values["controller"]["sidecarContainer"]],
        "volumes": volumes,
    }
    return without_empty(pod)


def _affinity(values: Values, names: Names) -> Object:
    affinity: Object = deepcopy(values.get("affinity") or {})
    apart = affinity.get("podAntiAffinity", {})
    if _REQUIRED in apart:
        apart[_REQUIRED] = _about_own(apart[_REQUIRED], names)
    required = affinity.get("nodeAffinity", {}).get(_REQUIRED, {})
    if values["nodeGroups"]:
        wanted = {"key": _NODE_GROUP, "operator": "In", "values": values["nodeGroups"]}
        for term in required.get("nodeSelectorTerms", []):
            term["matchExpressions"] = [*term.get("matchExpressions", []), wanted]
    return affinity


def _about_own(constraints: Iterable[Object], names: Names) -> list[Object]:
    """Let constraints without a selector be about the pods of the chart."""
    own = {"labelSelector": {"matchLabels": dict(names.own)}}
    return [one if one.get("labelSelector") else {**one, **own} for one in constraints]


def _container(values: Values, names: Names) -> Object:
    said = values["controller"]
    image = said["image"]
    tagged = f"{image['repository']}:{image['tag'] or names.version}"
    ports = {"http-metrics": said["metrics"]["port"], "http": said["healthProbe"]["port"]}
    if values["web"]["enabled"]:
        ports["http-web"] = values["web"]["port"]
    mounts = [
        {"name": "journal", "mountPath": _JOURNAL},
        {"name": "scratch", "mountPath": _SCRATCH},
        *said["extraVolumeMounts"],
    ]
    container = {
        "name": said["containerName"],
        "image": f"{image['repository']}@{image['digest']}" if image["digest"] else tagged,
        "imagePullPolicy": values["imagePullPolicy"],
        "args": ["controller"],
        "securityContext": said.get("securityContext"),
        "env": [*_environment(values), *said["env"]],
        "envFrom": said["envFrom"],
        "ports": [
            {"name": name, "containerPort": port, "protocol": "TCP"} for name, port in ports.items()
        ],
        "livenessProbe": _probe("/healthz", 30),
        "readinessProbe": _probe("/readyz", 5),
        "resources": said.get("resources"),
        "volumeMounts": mounts,
    }
    return without_empty(container)


def _environment(values: Values) -> Iterator[Object]:
    settings, controller = values["settings"], values["controller"]
    yield _variable("CLOUD", settings["cloud"])
    if settings["dryRun"]:
        yield _variable("DRY_RUN", "true")
    yield _variable("LOG_LEVEL", values["logLevel"])
    yield _variable("METRICS_PORT", controller["metrics"]["port"])
    yield _variable("HEALTH_PROBE_PORT", controller["healthProbe"]["port"])
    yield from _dashboard(values["web"])
    for name, field in (("SYSTEM_NAMESPACE", "namespace"), ("POD_NAME", "name")):
        yield {"name": name, "valueFrom": {"fieldRef": {"fieldPath": f"metadata.{field}"}}}
    yield _variable("FEATURE_GATES", _gates(settings["featureGates"]))
    yield _variable("AWS_FEATURE_GATES", _gates(settings["awsFeatureGates"]))
    for name, setting in _TEXTS.items():
        if settings[setting]:
            yield _variable(name, settings[setting])
    for name, setting in _SWITCHES.items():
        if settings[setting]:
            yield _variable(name, "true")


def _dashboard(web: Mapping[str, Any]) -> Iterator[Object]:
    """Give what the controller is told about a dashboard that others reach."""
    if not web["enabled"]:
        return
    yield _variable("DASHBOARD_PORT", web["port"])
    yield _variable("DASHBOARD_AUTH", web["auth"])
    if web["auth"] == "token":
        secret = {"name": web["tokenSecret"]["name"], "key": web["tokenSecret"]["key"]}
        yield {"name": "DASHBOARD_TOKEN", "valueFrom": {"secretKeyRef": secret}}


def _variable(name: str, value: object) -> Object:
    return {"name": name, "value": str(value)}


def _gates(said: Mapping[str, bool]) -> str:
    named = ((name[0].upper() + name[1:], is_on) for name, is_on in sorted(said.items()))
    return ",".join(f"{name}={str(is_on).lower()}" for name, is_on in named)


def _probe(path: str, delay_seconds: int) -> Object:
    return {
        "initialDelaySeconds": delay_seconds,
        "timeoutSeconds": 30,
        "httpGet": {"path": path, "port": "http"},
    }
