"""What the tests of the whole controller need: a cluster that is ready for it, and its processes."""

import os
import signal
import subprocess
import sys
import urllib.request
from functools import cache
from pathlib import Path

import msgspec

from e2e.kube_rig import NAMESPACE, ROLE, role_access
from nodewright.crds.document import definitions

KWOK_ROLE = ROLE.with_name("clusterrole-kwok.yaml")
SHAPES = 50
CLAIM = "karpenter.sh/nodeclaim"


@cache
def furnish(cluster):
    """Put on a cluster what the controller works with; give the kubeconfig of its identity."""
    document = {"apiVersion": "v1", "kind": "List", "items": definitions(kwok=True)}
    cluster.kubectl(
        "apply", "--server-side", "--force-conflicts", "-f", "-",
        stdin=msgspec.json.encode(document),
    )  # fmt: skip
    cluster.wait_for(
        "the kinds are served",
        lambda: cluster.run_kubectl("get", "nodepools,nodeclaims,kwoknodeclasses").returncode == 0,
    )
    access = role_access(cluster)
    cluster.kubectl("apply", "-f", str(KWOK_ROLE))
    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "nodewright-kwok"},
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": "ClusterRole",
            "name": "nodewright-kwok",
        },
        "subjects": [{"kind": "ServiceAccount", "name": "nodewright", "namespace": NAMESPACE}],
    }
    cluster.kubectl("apply", "-f", "-", stdin=msgspec.json.encode(binding))
    return write_kubeconfig(cluster, access)


def write_kubeconfig(cluster, access):
    """Write the controller's identity down as a kubeconfig, beside that of the administrator."""
    path = Path(cluster.kubeconfig).with_name("controller.kubeconfig.yaml")
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "controller",
        "contexts": [{"name": "controller", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [
            {
                "name": "c",
                "cluster": {
                    "server": access.server,
                    "certificate-authority": access.authority.path,
                },
            }
        ],
        "users": [{"name": "u", "user": {"token": access.user.token.data.decode()}}],
    }
    path.write_bytes(msgspec.json.encode(document))
    return str(path)


def sweep(cluster):
    """Take away every pool, class, claim and node, by force."""
    for kind in ("nodepools", "kwoknodeclasses", "nodeclaims", "nodes"):
        cluster.kubectl("delete", kind, "--all", "--wait=false")
        for name in cluster.kubectl("get", kind, "-o", "name").split():
            cluster.run_kubectl(
                "patch", name, "--type=merge", "-p", '{"metadata":{"finalizers":null}}'
            )


class Replica:
    """One process of the controller, which can be killed and started again."""

    def __init__(
        self, kubeconfig, folder, name="replica-0", *flags, cloud="kwok", environment=None
    ):
        self._kubeconfig = kubeconfig
        self._folder = folder
        self._name = name
        self._flags = flags
        self._cloud = cloud
        self._environment = environment or os.environ
        self._lives = 0
        self._process = None

    def start(self, *flags):
        self._lives += 1
        self._flags = (*self._flags, *flags)
        log = (self._folder / f"{self._name}-{self._lives}.log").open("wb")
        self._process = subprocess.Popen(
            [
                sys.executable, "-m", "nodewright", "controller", "--cloud", self._cloud,
                "--kubeconfig", self._kubeconfig, "--leader-election-namespace", NAMESPACE,
                "--metrics-port", "0", "--health-probe-port", "0", "--api-port", "0",
                "--journal", str(self._folder / f"{self._name}-journal"), *self._flags,
            ],
            stdout=log, stderr=subprocess.STDOUT,
            env={**self._environment, "POD_NAME": self._name},
        )  # fmt: skip
        log.close()
        return self

    def kill(self):
        """End it as a broken machine would."""
        self._process.kill()
        self._process.wait()

    def stop(self):
        """End it as Kubernetes does, and give its exit status."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        return self._process.wait(20)

    def lines(self):
        """Give everything that was logged, over all lives."""
        found = []
        for number in range(1, self._lives + 1):
            text = (self._folder / f"{self._name}-{number}.log").read_text()
            for line in text.splitlines():
                try:
                    found.append(msgspec.json.decode(line))
                except msgspec.DecodeError:
                    found.append({"level": "TEXT", "message": line})
        return found

    def is_leading(self):
        """Tell whether its present life has begun to act."""
        text = (self._folder / f"{self._name}-{self._lives}.log").read_text()
        return '"message":"leading"' in text

    def has_said(self, message):
        return any(line["message"] == message for line in self.lines())

    def metrics(self):
        """Give the page of metrics of its present life."""
        ports = [one["metrics"] for one in self.lines() if one["message"] == "listening"]
        with urllib.request.urlopen(f"http://127.0.0.1:{ports[-1]}/metrics", timeout=30) as page:
            return page.read().decode()

    def complaints(self):
        """Give what should never be logged: errors, and texts that are no log lines."""
        return [line for line in self.lines() if line["level"] in ("ERROR", "TEXT")]


class NodeWatch:
    """Remembers every Node that ever was, by uid, with the claim that it was made for."""

    def __init__(self, cluster, folder):
        self._path = folder / "nodes.txt"
        columns = f"U:.metadata.uid,C:.metadata.annotations.{CLAIM.replace('.', chr(92) + '.')}"
        with self._path.open("wb") as out:
            self._process = subprocess.Popen(
                [
                    cluster.sandbox.folder.read_spec().binaries.kubectl, "--kubeconfig", cluster.kubeconfig, "get",
                    "nodes", "--watch", "--no-headers", "-o", f"custom-columns={columns}",
                ],
                stdout=out, stderr=subprocess.DEVNULL,
            )  # fmt: skip

    def close(self):
        self._process.terminate()
        self._process.wait()

    def machines(self):
        """Give the uids of the Nodes that each claim ever had."""
        found = {}
        for line in self._path.read_text().splitlines():
            uid, claim = line.split()
            found.setdefault(claim, set()).add(uid)
        return found


def a_class(delay="1s"):
    return {
        "apiVersion": "karpenter.kwok.sh/v1alpha1",
        "kind": "KWOKNodeClass",
        "metadata": {"name": "default"},
        "spec": {"nodeRegistrationDelay": delay},
    }


def a_node_pool(name="default", *requirements, **annotations):
    reference = {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"}
    wanted = [
        {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
        {
            "key": "karpenter.k8s.aws/instance-category",
            "operator": "In",
            "values": ["c", "m", "r"],
        },
        *requirements,
    ]
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": name, "annotations": annotations},
        "spec": {"template": {"spec": {"nodeClassRef": reference, "requirements": wanted}}},
    }


def a_deployment(namespace, number, replicas):
    """One of fifty shapes: sizes, zones, spreads."""
    name = f"app-{number}"
    labels = {"app": name}
    requests = {"cpu": f"{100 + 37 * (number % 25)}m", "memory": f"{128 + 96 * (number % 16)}Mi"}
    spec = {
        "terminationGracePeriodSeconds": 1,
        "containers": [{"name": "c", "image": "x", "resources": {"requests": requests}}],
    }
    if number % 5 == 1:
        spec["nodeSelector"] = {"topology.kubernetes.io/zone": f"us-east-1{'abcd'[number % 4]}"}
    if number % 5 == 2:
        spread = {
            "maxSkew": 1,
            "topologyKey": "topology.kubernetes.io/zone",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": labels},
        }
        spec["topologySpreadConstraints"] = [spread]
    if number % 5 == 3:
        spec["nodeSelector"] = {"karpenter.sh/capacity-type": "on-demand"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


def a_budget(namespace, app, at_least):
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": app, "namespace": namespace},
        "spec": {"minAvailable": at_least, "selector": {"matchLabels": {"app": app}}},
    }


def count_running(cluster, namespace, *names):
    """Count the pods that run, of all Deployments or of some; these know, and are few to read."""
    path = "jsonpath={range .items[*]}{.metadata.name} {.status.readyReplicas}{'\\n'}{end}"
    text = cluster.kubectl("get", "deployments", "-n", namespace, "-o", path)
    found = dict(line.split() for line in text.splitlines() if len(line.split()) == 2)
    return sum(int(number) for name, number in found.items() if not names or name in names)


def count(cluster, kind):
    """Count the objects of a kind that is not in a namespace."""
    return len(cluster.kubectl("get", kind, "-o", "name").split())
