"""A real control plane for the tests of this folder: one for the session, a namespace each."""

import http.client
import os
import re
import ssl
import sys
import time
from collections.abc import Callable, Iterator

import msgspec
import pytest

from nodewright.model.errors import UserError
from nodewright.sandbox.binaries import Chosen, locate
from nodewright.sandbox.cluster import Sandbox, running
from nodewright.sandbox.folder import Spec

# Long enough for a machine with ten times more to do than it can.
_WAIT_S = 120.0
_POLL_S = 0.2


class Cluster:
    """A sandbox with what tests want of it."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.kubeconfig = sandbox.kubeconfig
        self.server = sandbox.record.server
        self.kubectl = sandbox.kubectl
        self.run_kubectl = sandbox.run_kubectl
        self.signal_program = sandbox.signal_program

    def get(self, *arguments: str) -> dict:
        """Give what `kubectl get` finds, decoded."""
        return msgspec.json.decode(self.kubectl("get", *arguments, "-o", "json"))

    def create(self, *objects: dict) -> None:
        """Create objects; a refusal of the API server is an error."""
        document = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        self.kubectl("create", "-f", "-", stdin=msgspec.json.encode(document))

    def wait_for(self, what: str, check: Callable[[], object], limit_s: float = _WAIT_S):
        """Wait until the check gives something true, and give that."""
        end = time.monotonic() + limit_s
        while not (found := check()):
            assert time.monotonic() < end, f"not after {limit_s} s: {what}"
            time.sleep(_POLL_S)
        return found

    def compact_etcd(self) -> int:
        """Throw away the history of every object up to now, and give the revision that is kept."""
        revision = int(self._ask_etcd("range", {"key": "AA=="})["header"]["revision"])
        self._ask_etcd("compaction", {"revision": revision, "physical": True})
        return revision

    def _ask_etcd(self, verb: str, body: dict) -> dict:
        port = next(m.port for m in self.sandbox.record.programs if m.name == "etcd")
        pki = self.sandbox.folder.certificates
        tls = ssl.create_default_context(cafile=str(pki / "authority.crt"))
        tls.load_cert_chain(pki / "admin.crt", pki / "admin.key")
        connection = http.client.HTTPSConnection("127.0.0.1", port, context=tls)
        try:
            connection.request("POST", f"/v3/kv/{verb}", msgspec.json.encode(body))
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        assert answer.status == http.HTTPStatus.OK, text
        return msgspec.json.decode(text)

    def wait_ready(self) -> None:
        """Wait until the API server answers, as after it was killed."""
        self.wait_for(
            "the API server is ready",
            lambda: self.run_kubectl("get", "--raw", "/readyz").returncode == 0,
        )


@pytest.fixture(scope="session")
def programs(request: pytest.FixtureRequest) -> Chosen:
    """The programs of the control plane; built on first use, which takes minutes.

    Without Go the tests fail, in CI and elsewhere: a skip is what nobody notices.
    """
    capture = request.config.pluginmanager.getplugin("capturemanager")

    def say(line: str) -> None:
        with capture.global_and_fixture_disabled():
            sys.stderr.write(line + "\n")

    try:
        return locate(None, os.environ, say)
    except UserError as problem:
        pytest.fail(f"error[{problem.code}]: {problem}\n  help: {problem.advice}", pytrace=False)


@pytest.fixture(scope="session")
def cluster(programs: Chosen) -> Iterator[Cluster]:
    """A control plane with RBAC and KWOK, without nodes, that ends with this session."""
    spec = Spec(
        name=f"pytest-{os.getpid()}",
        kubernetes_version=programs.version,
        binaries=programs.binaries,
        owned=True,
    )
    with running(spec, lambda _: None) as sandbox:
        yield Cluster(sandbox)


@pytest.fixture
def namespace(cluster: Cluster, request: pytest.FixtureRequest) -> Iterator[str]:
    """A namespace of the test's own, whose service account is there, gone after the test."""
    stem = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower())[:40].strip("-")
    name = f"{stem}-{time.monotonic_ns() % 1_000_000}"
    cluster.kubectl("create", "namespace", name)
    # Pods are refused before their namespace has its service account.
    cluster.wait_for(
        f"the service account of {name}",
        lambda: cluster.run_kubectl("get", "serviceaccount", "default", "-n", name).returncode == 0,
    )
    yield name
    cluster.kubectl("delete", "namespace", name, "--wait=false")
