"""Routes: what is asked for is checked, answered as the OpenAPI page says, and nothing secret gets out."""

import json

import msgspec
import pytest

from builders.dashboards import EXAMPLE, asking, looked_at
from nodewright.web.answers.nodes import Nodes
from nodewright.web.answers.overview import Overview
from nodewright.web.described import ROUTES
from nodewright.web.writing.manifests import HIDDEN

PLANTED = "planted-secret-value"
ANSWERS = {one.path: one.gives for one in ROUTES if one.gives is not None and one.method == "get"}


@pytest.fixture(scope="module")
def document():
    return EXAMPLE.read_bytes()


def plant(document):
    """Give the example with secrets wherever objects of a cluster may hold them."""
    whole = json.loads(document)
    for thing in whole["objects"]:
        metadata = thing.setdefault("metadata", {})
        metadata.setdefault("annotations", {})[
            "kubectl.kubernetes.io/last-applied-configuration"
        ] = PLANTED
        spec = thing.setdefault("spec", {})
        if thing["kind"] == "EC2NodeClass":
            spec["userData"] = f"#!/bin/sh\nexport PASSWORD={PLANTED}\n"
        for holder in (spec, spec.get("template", {}).get("spec", {})):
            for container in holder.get("containers", []):
                container["env"] = [{"name": "PASSWORD", "value": PLANTED}]
                container["args"] = [f"--password={PLANTED}"]
                container["envFrom"] = [{"secretRef": {"name": "s"}}]
    whole["objects"].append(
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"k": PLANTED}}
    )
    return json.dumps(whole).encode()


async def fetch_all(client):
    """Ask every route, every node among them."""
    found = {}
    for path in ANSWERS:
        if "{" not in path:
            found[path] = await client.get(path)
    names = found["/api/nodes"].json()["name"]
    for name in names:
        found[f"/api/nodes/{name}"] = await client.get(f"/api/nodes/{name}")
    return found


async def test_every_route_answers_as_the_openapi_page_says(document):
    source = await looked_at(document)
    async with asking(source) as (client, _):
        found = await fetch_all(client)

    for path, reply in found.items():
        kind = ANSWERS.get(path) or ANSWERS["/api/nodes/{name}"]
        assert reply.status_code == 200, (path, reply.text)
        msgspec.json.decode(reply.content, type=kind)


async def test_no_secret_environment_or_user_data_gets_out(document):
    source = await looked_at(plant(document))
    async with asking(source) as (client, _):
        found = await fetch_all(client)

    assert [path for path, reply in found.items() if PLANTED in reply.text] == []
    assert HIDDEN in found["/api/manifests"].json()["manifests"][-1]["text"]


async def test_the_numbers_are_those_of_the_view(document):
    source = await looked_at(document)
    async with asking(source) as (client, _):
        overview = msgspec.json.decode((await client.get("/api/overview")).content, type=Overview)
        nodes = msgspec.json.decode((await client.get("/api/nodes")).content, type=Nodes)

    view = source.desk.view
    assert overview.head.nodes == view.head.nodes == len(nodes.name)
    assert overview.head.pods_pending == view.head.pods_pending
    assert nodes.name == tuple(one.name for one in view.nodes)
    assert overview.cost.at == overview.counts.at


async def test_of_nodes_only_what_is_new_is_given_to_whoever_looked_before(document):
    source = await looked_at(document)
    async with asking(source) as (client, _):
        first = (await client.get("/api/nodes")).json()
        again = (await client.get("/api/nodes", params={"since": first["revision"]})).json()
        ancient = (await client.get("/api/nodes", params={"since": 5})).json()

    assert first["whole"]
    assert (again["whole"], again["name"], again["gone"]) == (False, [], [])
    assert (ancient["whole"], ancient["name"]) == (True, first["name"])


async def test_a_reply_that_is_known_is_not_sent_again(document):
    source = await looked_at(document)
    async with asking(source) as (client, _):
        first = await client.get("/api/money", headers={"accept-encoding": "gzip"})
        again = await client.get("/api/money", headers={"if-none-match": first.headers["etag"]})

    assert first.headers["content-encoding"] == "gzip"
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/nodes/no-such-node", 404),
        ("/api/nodes/" + "x" * 500, 400),
        ("/api/nodes/%00%ff", 404),
        ("/api/nodes?since=-1", 400),
        ("/api/nodes?since=ten", 400),
        ("/api/nodes?what=1", 400),
        ("/api/decisions?since=yesterday", 400),
        ("/api/decisions?limit=0", 400),
        ("/api/decisions?limit=1000000", 400),
        ("/api/decisions?all=perhaps", 400),
        ("/api/decisions/D-000", 404),
        ("/api/no-such-route", 404),
        ("/..%2f..%2fpyproject.toml", 404),
        ("/static/../app.py", 404),
    ],
)
async def test_what_cannot_be_answered_is_one_sentence(document, path, status):
    source = await looked_at(document)
    async with asking(source) as (client, _):
        reply = await client.get(path)

    assert reply.status_code == status
    assert reply.json()["message"]
    assert "Traceback" not in reply.text


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{}", "application/json", 400),
        (b"not json", "application/json", 400),
        (b'{"manifests":"","more":1}', "application/json", 400),
        (b'{"manifests":"","simulateHours":999}', "application/json", 400),
        (b'{"manifests":"\xff"}', "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b'{"manifests":""}', "text/plain", 415),
        (b'{"manifests":"' + b"x" * (1 << 20) + b'"}', "application/json", 413),
        (b'{"manifests":"kind: NodePool"}', "application/json", 200),
    ],
)
async def test_a_question_about_a_change_is_read_with_care(document, body, kind, status):
    source = await looked_at(document)
    async with asking(source) as (client, _):
        reply = await client.post("/api/what-if", content=body, headers={"content-type": kind})

    assert reply.status_code == status


async def test_two_changes_are_not_worked_out_at_once(document):
    source = await looked_at(document)

    async def ask_inside(snapshot, request):
        reply = await client.post("/api/what-if", json={"manifests": ""})
        return msgspec.json.encode({"status": reply.status_code})

    async with asking(source, foretell=ask_inside) as (client, _):
        reply = await client.post("/api/what-if", json={"manifests": ""})

    assert reply.json() == {"status": 429}


async def test_events_begin_with_the_head_of_now(document):
    source = await looked_at(document)
    async with asking(source) as (_, shown):
        greeting = shown.office.herald.greeting()

    name, data, *_ = greeting.decode().split("\n")
    assert name == "event: change"
    assert json.loads(data.removeprefix("data: "))["head"]["nodes"] == source.desk.view.head.nodes


async def test_health_says_how_many_look(document):
    source = await looked_at(document)
    async with asking(source) as (client, shown):
        shown.office.hub.join()
        reply = await client.get("/api/health")

    assert reply.json()["clients"] == 1
