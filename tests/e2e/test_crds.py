"""The definitions on a real API server: taken as they are, and judging every case as it says."""

import http.client
import ssl
from urllib.parse import urlsplit

import msgspec
import pytest

from crds import cases, cases_aws
from nodewright.crds.definitions import CURRENT, LEGACY
from nodewright.crds.document import as_yaml, definitions
from nodewright.model.resource import KWOK_NODE_CLASSES

pytestmark = pytest.mark.e2e

CASES = (*cases.CASES, *cases_aws.CASES)
PLURALS = {(d.kind.api_version, d.kind.kind): d for d in (*CURRENT, *LEGACY)}


class Server:
    """One connection that creates and replaces objects."""

    def __init__(self, cluster):
        pki = cluster.sandbox.folder.certificates
        tls = ssl.create_default_context(cafile=str(pki / "authority.crt"))
        tls.load_cert_chain(pki / "admin.crt", pki / "admin.key")
        place = urlsplit(cluster.server)
        self.connection = http.client.HTTPSConnection(place.hostname, place.port, context=tls)

    def ask(self, verb, path, body=None):
        headers = {"Content-Type": "application/json"}
        self.connection.request(verb, path, msgspec.json.encode(body) if body else None, headers)
        answer = self.connection.getresponse()
        return answer.status, msgspec.json.decode(answer.read())

    def judge(self, case):
        """Give the server's sentence on a case, or nothing where it takes the object."""
        definition = PLURALS[case.object["apiVersion"], case.object["kind"]]
        namespace = "/namespaces/default" if definition.namespaced else ""
        path = f"/apis/{definition.kind.api_version}{namespace}/{definition.plural}"
        if case.before is None:
            status, said = self.ask("POST", f"{path}?dryRun=All", case.object)
            return "" if status == http.HTTPStatus.CREATED else said["message"]
        status, old = self.ask("POST", path, case.before)
        assert status == http.HTTPStatus.CREATED, old
        try:
            metadata = {"name": "case", "resourceVersion": old["metadata"]["resourceVersion"]}
            changed = {**case.object, "metadata": metadata}
            status, said = self.ask("PUT", f"{path}/case?dryRun=All", changed)
            return "" if status == http.HTTPStatus.OK else said["message"]
        finally:
            self.ask("DELETE", f"{path}/case")


@pytest.fixture(scope="module")
def server(cluster):
    stream = "---\n".join(as_yaml(one) for one in definitions(legacy=True))
    cluster.kubectl("apply", "--server-side", "-f", "-", stdin=stream.encode())
    names = [f"crd/{definition.name}" for definition in PLURALS.values()]
    cluster.kubectl("wait", "--for=condition=Established", "--timeout=60s", *names)
    found = Server(cluster)
    yield found
    found.connection.close()


def test_every_case_is_judged_on_the_server_as_it_says(server):
    wrong = []
    for case in CASES:
        said = server.judge(case)
        if (case.refused not in said) or bool(said) != bool(case.refused):
            wrong.append(f"{case.name}: wanted {case.refused or 'no refusal'!r}, got {said!r}")
    assert wrong == []


def test_no_definition_breaks_the_rules_of_structure(server, cluster):
    for one in cluster.get("crds")["items"]:
        found = {condition["type"]: condition for condition in one["status"]["conditions"]}
        assert "NonStructuralSchema" not in found, one["metadata"]["name"]
        assert found["NamesAccepted"]["status"] == "True"


def test_the_category_lists_all_of_them(server, cluster):
    listed = cluster.kubectl("api-resources", "--categories", "karpenter", "-o", "name").split()
    # Tests that play machines install their own kind on the same cluster, before or after this one.
    expected = {definition.name for definition in PLURALS.values()}
    assert set(listed) - {KWOK_NODE_CLASSES.name} == expected
    assert len(listed) == len(set(listed))


def test_a_pool_gets_its_defaults_and_its_columns(server, cluster):
    pool = next(case.object for case in CASES if case.name == "the least pool")
    cluster.create({**pool, "metadata": {"name": "defaults"}})
    try:
        stored = cluster.get("nodepool", "defaults")
        assert stored["spec"]["disruption"] == {
            "budgets": [{"nodes": "10%"}],
            "consolidateAfter": "0s",
            "consolidationPolicy": "WhenEmptyOrUnderutilized",
        }
        assert stored["spec"]["template"]["spec"]["expireAfter"] == "720h"
        table = cluster.kubectl("get", "nodepool", "defaults", "-o", "wide").split("\n")[0]
        assert table.split() == [
            "NAME",
            "NODECLASS",
            "NODES",
            "READY",
            "AGE",
            "WEIGHT",
            "CPU",
            "MEMORY",
        ]
    finally:
        cluster.kubectl("delete", "nodepool", "defaults")


def test_a_static_pool_scales(server, cluster):
    pool = next(case.object for case in CASES if case.name == "static pool")
    cluster.create({**pool, "metadata": {"name": "static"}})
    try:
        cluster.kubectl("scale", "nodepool", "static", "--replicas=5")
        assert cluster.get("nodepool", "static")["spec"]["replicas"] == 5
    finally:
        cluster.kubectl("delete", "nodepool", "static")
