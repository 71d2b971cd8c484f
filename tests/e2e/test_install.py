"""Whole installations: a real control plane, an account that enforces policies, and the controller as itself.

The controller runs as the service account that was installed, with the role that was installed, and nothing
besides: what it may not do was left out of the installation.
"""

import base64
import contextlib
import json
import subprocess
import sys

import httpx2
import pytest

from e2e.aws_rig import an_account
from e2e.controller_rig import Replica, write_kubeconfig
from e2e.limited_person import Person
from nodewright.kube.access import Access, Source, User
from nodewright.sandbox.accounts import scenario
from nodewright.sandbox.aws.dump import diff

pytestmark = pytest.mark.e2e
# What an account asks for besides; every account that the sandbox has is here.
CHOICES = {"no-node-group": ("--fargate",), "stale-role": ("--remove-leftovers",)}
SAMPLE = "karpenter-v1"
REST = [name for name in scenario.names() if name != SAMPLE]
SCENARIOS = [SAMPLE, *(pytest.param(name, marks=pytest.mark.soak) for name in REST)]
LEFT = ["instance-profile", "launch-template", "policy", "queue", *["role"] * 3, *["rule"] * 4]
# What machines leave in lists for an hour after they have ended.
ENDED = {"instance", "volume", "interface", "fleet", "spot-request"}
MEASURED = {"modifiedAt", "ApproximateNumberOfMessages", "AvailableIpAddressCount"}
ROLE_NOTE = "eks.amazonaws.com/role-arn"


class Site:
    """A cluster of EKS on which somebody installs."""

    def __init__(self, account, folder):
        self.account = account
        self.folder = folder
        self.url = account.sandbox.record.aws_url

    def run(self, *arguments):
        """Run a command as a person does, and give its status and what it said."""
        done = subprocess.run(
            [sys.executable, "-m", "nodewright", *arguments],
            env=self.account.environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    def dump(self):
        """Everything that the account holds, but for what ended machines leave."""
        reply = httpx2.post(f"{self.url}/_standin/dump", json={}, timeout=30)
        return {kind: table for kind, table in reply.json().items() if kind not in ENDED}

    def token(self, name, *flags):
        """Write a token of the controller's service account to a file."""
        said = self.account.kubectl("create", "token", "nodewright", "-n", "nodewright", *flags)
        path = self.folder / name
        path.write_text(said.strip())
        return path

    def identity(self):
        """The variables by which EKS tells a pod of its role."""
        notes = self.account.get("serviceaccount", "nodewright", "-n", "nodewright")["metadata"]
        role = notes.get("annotations", {}).get(ROLE_NOTE)
        if role:
            token = self.token("web", "--audience", "sts.amazonaws.com")
            token.write_text(self._issued_by_eks(token.read_text()))
            return {"AWS_ROLE_ARN": role, "AWS_WEB_IDENTITY_TOKEN_FILE": str(token)}
        token = self.token("pod", "--audience", "pods.eks.amazonaws.com")
        return {
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{self.url}/v1/credentials/{self.account.name}",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": str(token),
        }

    def _issued_by_eks(self, token):
        """Give a token as EKS's own API server would write it: the sandbox's has another issuer."""
        head, claims, sign = token.split(".")
        read = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
        told = self.account.client("eks").describe_cluster(name=self.account.name)["cluster"]
        read["iss"] = told["identity"]["oidc"]["issuer"]
        written = base64.urlsafe_b64encode(json.dumps(read).encode()).decode().rstrip("=")
        return f"{head}.{written}.{sign}"

    @contextlib.contextmanager
    def controller(self):
        """Run the controller as what was installed."""
        keys = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
        bare = {key: value for key, value in self.account.environment.items() if key not in keys}
        deployment = self.account.get("deployment", "nodewright", "-n", "nodewright")
        [container] = deployment["spec"]["template"]["spec"]["containers"]
        told = {one["name"]: one["value"] for one in container["env"] if "value" in one}
        token = self.token("api", "--duration", "1h").read_bytes()
        authority = Source(path=str(self.account.sandbox.folder.certificates / "authority.crt"))
        access = Access(self.account.server, User(token=Source(data=token)), authority)
        replica = Replica(
            write_kubeconfig(self.account, access), self.folder, "installed",
            cloud="aws", environment={**bare, **told, **self.identity()},
        )  # fmt: skip
        replica.start()
        try:
            yield
        finally:
            replica.kill()

    def refusals(self):
        """What the controller was not allowed, of all that it asked."""
        reply = httpx2.post(f"{self.url}/_standin/calls", json={}, timeout=30)
        role = ":assumed-role/NodewrightControllerRole-"
        refused = ("UnauthorizedOperation", "AccessDenied", "AccessDeniedException")
        mine = [one for one in reply.json() if role in one["principal"]]
        assert mine, "the controller asked nothing with its role"
        return sorted({one["name"] for one in mine if one["error"] in refused})


@pytest.mark.parametrize("name", SCENARIOS)
def test_an_installation_makes_nodes_changes_nothing_again_and_goes_as_it_came(
    name, programs, tmp_path
):
    with an_account(programs, name, "install") as account:
        site = Site(account, tmp_path)
        keep_idle_nodes(account)
        before, scalers, claims = site.dump(), replicas_of(account), claims_of(account)
        person = Person(account)
        which = ("--cluster", "shop", "--kubeconfig", person.kubeconfig)
        order = ("install", *which, *CHOICES.get(name, ()))

        # What is missing is named before anything is done, and the rules that are named are enough.
        status, said = site.run(*order, "--yes")
        assert (status, "error[NW-9710]: you may not" in said) == (2, True), said
        assert differences(before, site.dump()) == []
        assert "nodewright" not in account.kubectl("get", "namespaces,clusterroles", "-o", "name")
        person.allow(said)
        status, said = site.run(*order, "--yes", "--no-smoke-test")
        assert status == 0, said
        # Before the controller runs, because that makes and removes things by itself.
        installed = site.dump()
        status, said = site.run("uninstall", *which, "--yes")
        assert (status, "error[NW-9710]: you may not delete" in said) == (2, True), said
        assert differences(installed, site.dump()) == []
        person.allow(said)
        with site.controller():
            status, said = site.run(*order, "--smoke-test")
            assert status == 0, said
            assert "nothing to do: everything is as it should be" in said
            assert "and gone again" in said
            assert site.refusals() == []
            # Who takes over replaces nothing.
            assert claims.items() <= claims_of(account).items()

            status, said = site.run("uninstall", *which, "--yes")
            assert status == 0, said
        found = differences(before, site.dump())
        if name == "stale-role":
            assert sorted(one.split()[1] for one in found if one.startswith("removed ")) == LEFT
            found = [one for one in found if not one.startswith("removed ")]
        assert found == []
        assert replicas_of(account) == scalers
        assert claims_of(account) == claims
        assert "nodewright" not in account.kubectl("get", "namespaces,clusterroles", "-o", "name")


@pytest.mark.soak
def test_a_cluster_without_a_node_group_is_refused_with_the_reason(programs, tmp_path):
    with an_account(programs, "no-node-group", "refused") as account:
        site = Site(account, tmp_path)
        before = site.dump()

        status, said = site.run("install", "--cluster", "shop", "--yes")

        assert status == 2
        assert "has nowhere to run: it cannot run on nodes that it makes itself" in said
        assert "--fargate" in said
        assert differences(before, site.dump()) == []


@pytest.mark.soak
def test_node_groups_are_moved_off_one_at_a_time_and_handed_back(programs, tmp_path):
    with an_account(programs, "cluster-autoscaler", "moved") as account:
        site = Site(account, tmp_path)
        before, scalers = site.dump(), replicas_of(account)
        order = ("install", "--cluster", "shop", "--yes", "--no-smoke-test")
        status, said = site.run(*order)
        assert status == 0, said
        assert "`--move-group large` later moves them off one group" in said
        account.create(*work_on("large"))
        account.wait_for("the work runs", lambda: nodes_of_work(account))

        with site.controller():
            status, said = site.run(*order, "--move-group", "large")
            assert status == 0, said
            assert "node group large" in said
            account.wait_for("the work moved", lambda: is_on_a_pool(account))
            assert not account.get("nodes", "-l", "eks.amazonaws.com/nodegroup=large")["items"]
            status, said = site.run(*order, "--move-group", "large")
            assert "nothing to do: everything is as it should be" in said
            status, said = site.run(*order, "--move-group", "main")
            assert (status, "the only node group with machines" in said) == (2, True)

            status, said = site.run("install", "--cluster", "shop", "--hand-back", "--yes")
            assert status == 0, said
            assert replicas_of(account) == {**scalers, "nodewright": 0, "work": 2}
            assert account.get("nodes", "-l", "eks.amazonaws.com/nodegroup=large")["items"]
            account.kubectl("delete", "deployment", "work", "-n", "default")
            status, said = site.run("uninstall", "--cluster", "shop", "--yes")
            assert status == 0, said
        assert differences(before, site.dump()) == []
        assert replicas_of(account) == scalers


def work_on(group):
    """A Deployment that prefers the nodes of a group, and runs anywhere else as well."""
    term = {"key": "eks.amazonaws.com/nodegroup", "operator": "In", "values": [group]}
    liked = {"weight": 100, "preference": {"matchExpressions": [term]}}
    affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [liked]}}
    pod = {
        "affinity": affinity,
        "containers": [
            {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1500m"}}},
        ],
    }
    labels = {"app": "work"}
    spec = {
        "replicas": 2,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": pod},
    }
    meta = {"namespace": "default", "name": "work"}
    return ({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec},)


def nodes_of_work(account):
    """The nodes on which the work runs, once all of it does."""
    pods = account.get("pods", "-n", "default", "-l", "app=work")["items"]
    running = [one for one in pods if one.get("status", {}).get("phase") == "Running"]
    return [one["spec"]["nodeName"] for one in running] if len(running) == len(pods) == 2 else []


def is_on_a_pool(account):
    """Tell whether some of the work runs on a node of a pool, and all of it runs."""
    pooled = {
        one["metadata"]["name"]
        for one in account.get("nodes", "-l", "karpenter.sh/nodepool")["items"]
    }
    return bool(pooled & set(nodes_of_work(account)))


def differences(before, after):
    """What differs between two dumps, but for moments and what is measured."""
    return [
        f"{one.what} {one.kind} {one.name} {one.paths}"
        for one in diff(before, after)
        if one.what != "changed" or not MEASURED.issuperset(one.paths)
    ]


def replicas_of(account):
    """How many pods each Deployment wants, by name."""
    return {
        one["metadata"]["name"]: one["spec"]["replicas"]
        for one in account.get("deployments", "-A")["items"]
    }


def keep_idle_nodes(account):
    """Have no pool give up an idle node, however long this takes: who replaces what is asked here."""
    if claims_of(account):
        never = {"spec": {"disruption": {"consolidateAfter": "Never"}}}
        patch = ("--type", "merge", "-p", json.dumps(never))
        for pool in account.kubectl("get", "nodepools", "-o", "name").split():
            account.kubectl("patch", pool, *patch)


def claims_of(account):
    """The machine of each claim, by name; none where the cluster does not know claims."""
    if account.run_kubectl("get", "crd", "nodeclaims.karpenter.sh").returncode:
        return {}
    return {
        one["metadata"]["name"]: one.get("status", {}).get("providerID")
        for one in account.get("nodeclaims")["items"]
    }
