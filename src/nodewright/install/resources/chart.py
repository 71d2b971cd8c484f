"""The objects of the chart, made without Helm: what `helm template` gives for the same values.

Helm's templates stay the place to read; a test renders both from many values and holds them equal. Blocks
that a user hands through (tolerations, resources, …) are taken as they are, and empty ones are left out.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from nodewright.install.resources.chart_pod import pod_spec
from nodewright.install.resources.values import (
    BAD_VALUES,
    Release,
    Values,
    merge_values,
    name_release,
    read_chart_file,
    read_dashboards,
    without_empty,
)
from nodewright.model.errors import UserError

type Object = dict[str, Any]

_RBAC: Final = "rbac.authorization.k8s.io"
_FLOW: Final = "flowcontrol.apiserver.k8s.io/v1"
_READ: Final = ("get", "list", "watch")
_AGGREGATED: Final[Mapping[str, tuple[str, ...]]] = {
    "admin": (*_READ, "create", "delete", "patch", "update"),
    "view": _READ,
}
_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "karpenter.sh": ("nodepools", "nodeclaims", "nodeoverlays"),
    "karpenter.k8s.aws": ("ec2nodeclasses",),
    "nodewright.dev": ("nodepolicies",),
}


RELEASE: Final = Release()


def render_chart(wanted: Mapping[str, Any], release: Release = RELEASE) -> tuple[Object, ...]:
    """Give the objects of the chart for values that are laid over its defaults."""
    return tuple(_Chart(merge_values(wanted), release).objects())


class _Chart:
    def __init__(self, values: Values, release: Release) -> None:
        self.values = values
        self.release = release
        self.names = name_release(values, release)

    def objects(self) -> Iterator[Object]:
        """Give everything that is to be applied, in an order in which it can be."""
        if self.values["serviceAccount"]["create"]:
            annotations = self.values["serviceAccount"]["annotations"]
            yield self._object("v1", "ServiceAccount", self.names.account, annotations=annotations)
        yield from self._roles()
        if self.values["flowSchemas"]["enabled"]:
            yield from self._flow_schemas()
        if self.values["networkPolicy"]["enabled"]:
            yield self._network_policy()
        budget = self.values["podDisruptionBudget"]
        yield self._object(
            "policy/v1",
            "PodDisruptionBudget",
            budget["name"],
            spec={
                "maxUnavailable": budget["maxUnavailable"],
                "selector": {"matchLabels": dict(self.names.own)},
            },
        )
        yield self._service()
        if self.values["web"]["enabled"]:
            yield from self._web()
        yield self._deployment()
        if self.values["serviceMonitor"]["enabled"]:
            yield self._service_monitor()
        if self.values["prometheusRule"]["enabled"]:
            yield self._alerts()
        if self.values["dashboards"]["enabled"]:
            yield self._dashboards()

    def _object(self, version: str, kind: str, name: str, **body: Any) -> Object:
        """Make an object in the release's namespace, with the labels that everything has."""
        added = body.pop("labels", {})
        annotations = self.values["additionalAnnotations"] | body.pop("annotations", {})
        metadata = {
            "name": name,
            "namespace": self.release.namespace,
            "labels": self._labels() | added,
            "annotations": annotations,
        }
        return {"apiVersion": version, "kind": kind, "metadata": without_empty(metadata), **body}

    def _wide(self, version: str, kind: str, name: str, **body: Any) -> Object:
        """Make an object of the whole cluster."""
        made = self._object(version, kind, name, **body)
        del made["metadata"]["namespace"]
        return made

    def _labels(self) -> dict[str, str]:
        version = {"app.kubernetes.io/version": self.names.version}
        return {**self.names.own, **version, **self.values["additionalLabels"]}

    def _roles(self) -> Iterator[Object]:
        rules = read_chart_file("files/clusterrole.yaml")["rules"]
        if self.values["settings"]["cloud"] == "kwok":
            rules += read_chart_file("files/clusterrole-kwok.yaml")["rules"]
        web = self.values["web"]
        if web["enabled"] and web["auth"] == "kubernetes":
            rules += read_chart_file("files/clusterrole-web.yaml")["rules"]
        rules += self.values["additionalClusterRoleRules"]
        yield self._wide(f"{_RBAC}/v1", "ClusterRole", self.names.full_name, rules=rules)
        for who, verbs in _AGGREGATED.items():
            yield self._wide(
                f"{_RBAC}/v1",
                "ClusterRole",
                f"{self.names.full_name}-{who}",
                labels={f"{_RBAC}/aggregate-to-{who}": "true"},
                rules=[_rule(group, kinds, verbs) for group, kinds in _KINDS.items()],
            )
        subject = {
            "kind": "ServiceAccount",
            "name": self.names.account,
            "namespace": self.release.namespace,
        }
        yield self._wide(
            f"{_RBAC}/v1",
            "ClusterRoleBinding",
            self.names.full_name,
            roleRef={"apiGroup": _RBAC, "kind": "ClusterRole", "name": self.names.full_name},
            subjects=[subject],
        )

    def _flow_schemas(self) -> Iterator[Object]:
        leases = {
            "apiGroups": ["coordination.k8s.io"],
            "namespaces": ["*"],
            "resources": ["leases"],
            "verbs": ["get", "list", "create", "update", "patch"],
        }
        everything = {
            "apiGroups": ["*"],
            "clusterScope": True,
            "namespaces": ["*"],
            "resources": ["*"],
            "verbs": ["*"],
        }
        paths = {"nonResourceURLs": ["*"], "verbs": ["*"]}
        yield self._flow_schema(
            "leader-election", "leader-election", 200, {"resourceRules": [leases]}
        )
        rule = {"nonResourceRules": [paths], "resourceRules": [everything]}
        yield self._flow_schema("workload", "workload-high", 1000, rule)

    def _flow_schema(self, name: str, level: str, precedence: int, rule: Object) -> Object:
        account = {"name": self.names.account, "namespace": self.release.namespace}
        subject = {"kind": "ServiceAccount", "serviceAccount": account}
        return self._wide(
            _FLOW,
            "FlowSchema",
            f"{self.names.full_name}-{name}",
            spec={
                "distinguisherMethod": {"type": "ByUser"},
                "matchingPrecedence": precedence,
                "priorityLevelConfiguration": {"name": level},
                "rules": [{**rule, "subjects": [subject]}],
            },
        )

    def _network_policy(self) -> Object:
        metrics = {"ports": [{"port": "http-metrics", "protocol": "TCP"}]}
        readers = self.values["networkPolicy"]["metricsFrom"]
        probes = {"ports": [{"port": "http", "protocol": "TCP"}]}
        return self._object(
            "networking.k8s.io/v1",
            "NetworkPolicy",
            self.names.full_name,
            spec={
                "podSelector": {"matchLabels": dict(self.names.own)},
                "policyTypes": ["Ingress"],
                "ingress": [
                    without_empty({**metrics, "from": readers}),
                    probes,
                    *self._web_ingress(),
                ],
            },
        )

    def _service(self) -> Object:
        port = {
            "name": "http-metrics",
            "port": self.values["controller"]["metrics"]["port"],
            "targetPort": "http-metrics",
            "protocol": "TCP",
        }
        spec = {"type": "ClusterIP", "ports": [port], "selector": dict(self.names.own)}
        return self._object("v1", "Service", self.names.full_name, spec=spec)

    def _web_ingress(self) -> Iterator[Object]:
        if self.values["web"]["enabled"]:
            port = {"port": "http-web", "protocol": "TCP"}
            readers = self.values["networkPolicy"]["webFrom"]
            yield without_empty({"ports": [port], "from": readers})

    def _web(self) -> Iterator[Object]:
        """Give the Service of the dashboard, and the role of those who may look."""
        web, name = self.values["web"], self.names.full_name
        if web["auth"] == "token" and not web["tokenSecret"]["name"]:
            raise UserError(
                "web.auth is token: name the Secret in web.tokenSecret.name", code=BAD_VALUES
            )
        rule = {"nonResourceURLs": ["/nodewright/dashboard"], "verbs": ["get"]}
        yield self._wide(f"{_RBAC}/v1", "ClusterRole", f"{name}-dashboard", rules=[rule])
        port = {
            "name": "http-web",
            "port": web["service"]["port"],
            "targetPort": "http-web",
            "protocol": "TCP",
        }
        yield self._object(
            "v1",
            "Service",
            f"{name[:59].removesuffix('-')}-web",
            annotations=web["service"]["annotations"],
            spec={
                "type": web["service"]["type"],
                "ports": [port],
                "selector": dict(self.names.own),
            },
        )

    def _service_monitor(self) -> Object:
        monitor = self.values["serviceMonitor"]
        relabelings = {name: monitor[name] for name in ("metricRelabelings", "relabelings")}
        endpoint = {"port": "http-metrics", "path": "/metrics", **without_empty(relabelings)}
        return self._object(
            "monitoring.coreos.com/v1",
            "ServiceMonitor",
            self.names.full_name,
            labels=monitor["additionalLabels"],
            spec={
                "namespaceSelector": {"matchNames": [self.release.namespace]},
                "selector": {"matchLabels": dict(self.names.own)},
                "endpoints": [endpoint | monitor["endpointConfig"]],
            },
        )

    def _alerts(self) -> Object:
        return self._object(
            "monitoring.coreos.com/v1",
            "PrometheusRule",
            self.names.full_name,
            labels=self.values["prometheusRule"]["additionalLabels"],
            spec=read_chart_file("files/alerts.yaml"),
        )

    def _dashboards(self) -> Object:
        wanted = self.values["dashboards"]
        return self._object(
            "v1",
            "ConfigMap",
            f"{self.names.full_name}-dashboards",
            labels=wanted["additionalLabels"],
            annotations=wanted["annotations"],
            data={f"nodewright-{name}": text for name, text in read_dashboards().items()},
        )

    def _deployment(self) -> Object:
        values = self.values
        metadata = {
            "labels": self._labels() | values["podLabels"],
            "annotations": values["podAnnotations"],
        }
        spec = {
            "replicas": values["replicas"],
            "revisionHistoryLimit": values["revisionHistoryLimit"],
            "strategy": values.get("strategy"),
            "selector": {"matchLabels": dict(self.names.own)},
            "template": {"metadata": without_empty(metadata), "spec": pod_spec(values, self.names)},
        }
        if not spec["strategy"]:
            del spec["strategy"]
        return self._object("apps/v1", "Deployment", self.names.full_name, spec=spec)


def _rule(group: str, kinds: Iterable[str], verbs: Iterable[str]) -> Object:
    resources = [name for kind in kinds for name in (kind, f"{kind}/status")]
    return {"apiGroups": [group], "resources": resources, "verbs": list(verbs)}
