"""The charts by Helm itself: equal to what we make without it, and a controller that runs from them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from builders.installs import a_site
from e2e.controller_rig import a_class, a_deployment, a_node_pool, count_running, furnish, sweep
from e2e.kube_rig import NAMESPACE
from nodewright.app import installing
from nodewright.app.status import NAME as STATUS
from nodewright.cli.main import run
from nodewright.crds.document import definitions
from nodewright.install.resources.chart import render_chart
from nodewright.install.resources.values import Release
from nodewright.sandbox.nodes import render_nodes

pytestmark = pytest.mark.e2e
CHARTS = Path(__file__).parents[2] / "charts"
RELEASE = Release("tried", "tried")
KUBERNETES = "1.34.0"
AWS = {"settings": {"clusterName": "prod"}}
PLAYED = {
    "settings": {"cloud": "kwok"},
    "controller": {"metrics": {"port": 18_080}, "healthProbe": {"port": 18_081}},
}
WANTED = {
    "nothing but the cluster": AWS,
    "copies of the journal": {
        "settings": {"clusterName": "prod", "journalS3": "s3://logs/journal/prod"}
    },
    "a group of nodes": {**AWS, "nodeGroups": ["a", "b"]},
    "IRSA": {**AWS, "serviceAccount": {"annotations": {"eks.amazonaws.com/role-arn": "arn:x"}}},
    "an account that is there": {**AWS, "serviceAccount": {"create": False, "name": "there"}},
    "other names": {**AWS, "nameOverride": "scaler", "additionalLabels": {"team": "a"}},
    "a long name": {**AWS, "fullnameOverride": "n" * 62 + "-tail"},
    "a dashboard for others": {
        **AWS,
        "web": {"enabled": True, "service": {"annotations": {"who": "me"}}},
        "networkPolicy": {"enabled": True, "webFrom": [{"podSelector": {}}]},
    },
    "a dashboard with a token": {
        **AWS,
        "fullnameOverride": "n" * 62 + "-tail",
        "web": {"enabled": True, "auth": "token", "tokenSecret": {"name": "look"}},
    },
    "everything that is off": {
        **AWS,
        "serviceMonitor": {"enabled": True, "relabelings": [{"action": "keep"}]},
        "prometheusRule": {"enabled": True, "additionalLabels": {"release": "kube-prometheus"}},
        "dashboards": {"enabled": True, "annotations": {"grafana_folder": "Nodes"}},
        "networkPolicy": {"enabled": True, "metricsFrom": [{"podSelector": {}}]},
        "additionalAnnotations": {"who": "me"},
        "hostNetwork": True,
        "dnsConfig": {"nameservers": ["10.0.0.10"]},
        "imagePullSecrets": [{"name": "s"}],
    },
    "nothing that can be left out": {
        **AWS,
        "flowSchemas": {"enabled": False},
        "strategy": None,
        "podSecurityContext": None,
        "priorityClassName": "",
        "terminationGracePeriodSeconds": None,
        "nodeSelector": None,
        "affinity": {"nodeAffinity": None, "podAntiAffinity": None},
        "topologySpreadConstraints": [],
        "tolerations": [],
    },
    "more of the pod": {
        **AWS,
        "podLabels": {"a": "b"},
        "podAnnotations": {"c": "d"},
        "extraVolumes": [{"name": "v", "emptyDir": {}}],
        "journal": {"volume": {"emptyDir": None, "persistentVolumeClaim": {"claimName": "j"}}},
        "controller": {
            "image": {"repository": "mine", "tag": "9"},
            "env": [{"name": "AWS_REGION", "value": "eu-west-1"}],
            "envFrom": [{"secretRef": {"name": "e"}}],
            "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
            "extraVolumeMounts": [{"name": "v", "mountPath": "/v"}],
            "sidecarContainer": [{"name": "beside", "image": "b"}],
        },
    },
    "every setting": {
        "logLevel": "debug",
        "settings": {
            **AWS["settings"],
            "clusterEndpoint": "https://e",
            "clusterCABundle": "Y2E=",
            "interruptionQueue": "q",
            "isolatedVPC": True,
            "eksControlPlane": True,
            "enableZonalShift": True,
            "disableDryRun": True,
            "dryRun": True,
            "disableClusterStateObservability": True,
            "vmMemoryOverheadPercent": 0.05,
            "reservedENIs": 1,
            "featureGates": {"nodeRepair": True},
        },
    },
    "machines that are played": PLAYED,
}

SAMPLE = ("everything that is off", "nothing that can be left out", "every setting")
REST = [pytest.param(name, marks=pytest.mark.soak) for name in WANTED if name not in SAMPLE]


@pytest.fixture
def helm(programs, tmp_path):
    """Run Helm, with values from a file, and give what it prints."""

    def run(*arguments, values=None, kubeconfig="", check=True):
        path = tmp_path / "values.json"
        path.write_text(json.dumps(values or {}))
        given = ["--values", str(path)] if values is not None else []
        environment = {**os.environ, "HELM_CACHE_HOME": str(tmp_path), "KUBECONFIG": kubeconfig}
        done = subprocess.run(
            [programs.binaries.helm, *arguments, *given],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert not check or done.returncode == 0, done.stderr
        return done

    return run


def by_name(objects):
    return {(one["kind"], one["metadata"]["name"]): one for one in objects}


def template(helm, chart, values, release=RELEASE):
    order = ("template", release.name, str(CHARTS / chart), "--namespace", release.namespace)
    text = helm(*order, "--kube-version", KUBERNETES, values=values).stdout
    return by_name(one for one in yaml.safe_load_all(text) if one)


@pytest.mark.parametrize("name", [*SAMPLE, *REST])
def test_what_helm_makes_and_what_we_make_are_the_same(helm, name):
    values = WANTED[name]
    assert template(helm, "nodewright", values) == by_name(render_chart(values, RELEASE))


@pytest.mark.parametrize("legacy", [True, pytest.param(False, marks=pytest.mark.soak)])
def test_the_definitions_of_the_chart_are_those_of_the_command(helm, legacy):
    made = template(helm, "nodewright-crd", {"legacy": legacy, "keep": False})

    assert made == by_name(definitions(legacy=legacy))


def test_what_the_installer_prints_is_what_helm_makes_of_its_values(helm, monkeypatch, capsys):
    # What Helm has no part in: its namespace, our record of what was there, and the first pool.
    own = {
        ("Namespace", "nodewright"),
        ("ConfigMap", "nodewright-install"),
        ("EC2NodeClass", "default"),
        ("NodePool", "default"),
    }
    with a_site() as site:
        monkeypatch.setattr(installing, "_open", site.opened)
        order = ["install", "--cluster", site.name, "--print"]
        assert (run([*order, "helm-values"]), run([*order, "manifests"])) == (0, 0)
    values, *manifests = yaml.safe_load_all(capsys.readouterr().out)

    printed = by_name(manifests)
    made = template(helm, "nodewright", values, Release())
    made |= template(helm, "nodewright-crd", {"keep": False}, Release())
    assert {name: one for name, one in printed.items() if name not in own} == made
    assert own <= set(printed)


def test_helm_finds_no_fault_with_the_charts_and_names_a_value_that_is_missing(helm):
    helm("lint", str(CHARTS / "nodewright-crd"))
    helm("lint", str(CHARTS / "nodewright"), values=AWS)
    refused = helm("lint", str(CHARTS / "nodewright"), values={}, check=False)

    assert refused.returncode == 1
    assert "/settings/clusterName" in refused.stdout + refused.stderr


@pytest.fixture
def groups(cluster):
    """Two nodes of a managed group, for the replicas; gone afterwards, with all that was made."""
    manifests = json.loads(render_nodes(("group-1", "group-2")))
    for node in manifests["items"]:
        node["metadata"]["labels"]["eks.amazonaws.com/nodegroup"] = "system"
        node["spec"] = {"taints": [{"key": "CriticalAddonsOnly", "effect": "NoSchedule"}]}
    furnish(cluster)
    sweep(cluster)
    cluster.create(*manifests["items"])
    yield
    sweep(cluster)


def status_of(cluster):
    """Give the status at a glance, as one `kubectl get` shows it."""
    order = ("get", "configmap", STATUS, "-n", NAMESPACE, "-o", "jsonpath={.data.status}")
    return cluster.run_kubectl(*order).stdout.decode()


def start_as_told(cluster, pod, folder):
    """Run the container of a pod as a process: its words, its variables, its account."""
    container = pod["spec"]["containers"][0]
    account, namespace = pod["spec"]["serviceAccountName"], pod["metadata"]["namespace"]
    token = cluster.kubectl("create", "token", account, "-n", namespace).strip()
    document = yaml.safe_load(Path(cluster.kubeconfig).read_text())
    document["users"][0]["user"] = {"token": token}
    document["contexts"][0]["context"]["namespace"] = namespace
    kubeconfig = folder / "account.kubeconfig"
    kubeconfig.write_text(json.dumps(document))
    own = {f"metadata.{name}": value for name, value in pod["metadata"].items()}
    variables = {
        one["name"]: one.get("value") or own[one["valueFrom"]["fieldRef"]["fieldPath"]]
        for one in container["env"]
    }
    with (folder / "controller.log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "nodewright", *container["args"], "--api-port", "0"],
            env={
                **os.environ, **variables,
                "KUBECONFIG": str(kubeconfig), "XDG_STATE_HOME": str(folder),
            },
            stdout=log, stderr=subprocess.STDOUT,
        )  # fmt: skip


def test_a_controller_that_helm_installed_makes_nodes_and_goes_without_the_definitions(
    cluster, namespace, helm, groups, tmp_path
):
    # The definitions are there without Helm: it has to be told that they are its own from now on.
    where = ("--namespace", RELEASE.namespace, "--create-namespace", "--take-ownership")
    config = {"kubeconfig": cluster.kubeconfig}
    helm("upgrade", "--install", "defined", str(CHARTS / "nodewright-crd"), *where, **config)
    order = ("upgrade", "--install", RELEASE.name, str(CHARTS / "nodewright"), *where)
    values = {**PLAYED, "nodeGroups": ["system"]}
    helm(*order, "--wait", "--timeout", "90s", values=values, **config)

    pods = cluster.get("pods", "-n", RELEASE.namespace)["items"]
    assert {one["spec"]["nodeName"] for one in pods} == {"group-1", "group-2"}
    process = start_as_told(cluster, pods[0], tmp_path)
    try:
        cluster.create(a_class(), a_node_pool(), a_deployment(namespace, 0, 3))
        cluster.wait_for("the pods run", lambda: count_running(cluster, namespace) == 3)
        cluster.wait_for("the status tells of them", lambda: "perHour" in status_of(cluster))
    finally:
        process.terminate()
        process.wait(20)
    assert process.returncode == 0, (tmp_path / "controller.log").read_text()
    helm("uninstall", RELEASE.name, "--namespace", RELEASE.namespace, "--wait", **config)
    helm("uninstall", "defined", "--namespace", RELEASE.namespace, **config)

    left = cluster.kubectl(
        "get", "deployments,serviceaccounts", "-n", RELEASE.namespace, "-o", "name"
    )
    assert left.split() == ["serviceaccount/default"]
    assert "nodepools.karpenter.sh" in cluster.kubectl("get", "crds", "-o", "name")
