"""The gate: who is answered, what may be sent, and what every reply says."""

import pytest

from builders.dashboards import asking
from nodewright.view.source import Desk
from nodewright.view.values import Origin, View
from nodewright.web.doors import TokenDoor
from nodewright.web.gate import Rules

TOKEN = "a token of some length"
NEEDS_TOKEN = (
    "/api/overview", "/api/nodes", "/api/nodes/x", "/api/pending", "/api/decisions",
    "/api/decisions/D-1", "/api/pools", "/api/budgets", "/api/money", "/api/manifests",
    "/api/health", "/api/events", "/api/openapi.json", "/decisions", "/decisions/D-1", "/snapshot",
)  # fmt: skip


class Still:
    """A source that shows one view and knows no World."""

    def __init__(self):
        self.desk = Desk(View(0, Origin("live", "test")))

    def world(self):
        return None

    def pods_of(self, _node):
        return ()


@pytest.mark.parametrize("host", ["localhost", "localhost:8082", "127.0.0.1", "[::1]:8082"])
async def test_names_of_this_machine_are_answered(host):
    async with asking(Still()) as (client, _):
        reply = await client.get("/api/overview", headers={"host": host})

    assert reply.status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "", "127.0.0.1.nip.io:80"]
)
async def test_whoever_came_under_another_name_learns_nothing(host):
    async with asking(Still()) as (client, _):
        reply = await client.get("/api/overview", headers={"host": host})

    assert reply.status_code == 403
    assert reply.json()["message"] == "only localhost is answered here"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
@pytest.mark.parametrize("path", ["/", "/api/overview", "/api/nodes/x", "/snapshot", "/no/such"])
async def test_no_route_can_be_asked_to_change_anything(method, path):
    async with asking(Still()) as (client, _):
        reply = await client.request(method, path)

    assert reply.status_code == 405
    assert reply.headers["allow"] == "GET, HEAD"


async def test_another_page_cannot_have_a_change_worked_out():
    sent = {"manifests": "kind: NodePool"}
    async with asking(Still()) as (client, _):
        reply = await client.post(
            "/api/what-if", json=sent, headers={"origin": "https://evil.example"}
        )

    assert reply.status_code == 403


@pytest.mark.parametrize("path", ["/", "/api/overview", "/api/nodes/x", "/no/such", "/healthz"])
async def test_every_reply_forbids_browsers_to_load_anything_foreign(path):
    async with asking(Still()) as (client, _):
        reply = await client.get(path)

    policy = reply.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; ")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["x-frame-options"] == "DENY"
    assert "access-control-allow-origin" not in reply.headers


@pytest.mark.parametrize("path", NEEDS_TOKEN)
@pytest.mark.parametrize(
    "header", [{}, {"authorization": "Bearer wrong"}, {"authorization": f"Basic {TOKEN}"},
               {"authorization": "Bearer"}, {"authorization": "Bearer é".encode("latin-1")}]
)  # fmt: skip
async def test_with_a_door_nothing_of_the_cluster_is_given_without_the_token(path, header):
    async with asking(Still(), Rules(TokenDoor(TOKEN))) as (client, _):
        reply = await client.get(path, headers=header)

    assert reply.status_code == 401
    assert reply.headers["www-authenticate"].startswith("Bearer")


async def test_with_the_token_everything_is_given_under_any_name():
    async with asking(Still(), Rules(TokenDoor(TOKEN))) as (client, _):
        reply = await client.get(
            "/api/overview",
            headers={"authorization": f"Bearer {TOKEN}", "host": "nodewright.example"},
        )

    assert reply.status_code == 200


async def test_the_pages_themselves_need_no_token_so_that_they_can_ask_for_it():
    async with asking(Still(), Rules(TokenDoor(TOKEN))) as (client, _):
        statuses = [(await client.get(path)).status_code for path in ("/", "/app.css", "/healthz")]

    assert statuses == [200, 200, 200]
