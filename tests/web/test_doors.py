"""Doors: whose token is whose, and what the API server says is remembered."""

import msgspec

from nodewright.kube.client import Reply, Unreachable
from nodewright.web.doors import PATH, TOKEN_MAX, Admission, ReviewDoor, TokenDoor


class ApiServer:
    """Knows two tokens, of which one may look; it can be away."""

    def __init__(self):
        self.asked = []
        self.is_away = False

    async def ask(self, request):
        if self.is_away:
            raise Unreachable("away")
        spec = msgspec.json.decode(request.body)["spec"]
        self.asked.append(spec)
        if request.path.endswith("tokenreviews"):
            name = spec["token"].removeprefix("token of ")
            known = name in ("ann", "ben")
            user = {"username": name, "uid": "7", "groups": ["people"]} if known else {}
            return said(authenticated=known, user=user)
        assert spec["nonResourceAttributes"] == {"path": PATH, "verb": "get"}
        return said(allowed=spec["user"] == "ann" and spec["groups"] == ["people"])


def said(**status):
    return Reply(201, msgspec.json.encode({"status": status}))


class Time:
    now = 0

    def __call__(self):
        return self.now


async def test_a_token_is_known_or_not():
    door = TokenDoor("the one")

    assert await door.judge("the one") is Admission.GRANTED
    assert await door.judge("another") is Admission.UNKNOWN
    assert await door.judge("") is Admission.UNKNOWN


async def test_an_empty_token_opens_nothing():
    assert await TokenDoor("").judge("") is Admission.UNKNOWN


async def test_the_cluster_says_whose_token_it_is_and_whether_they_may_look():
    door = ReviewDoor(ApiServer(), Time())

    assert await door.judge("token of ann") is Admission.GRANTED
    assert await door.judge("token of ben") is Admission.FORBIDDEN
    assert await door.judge("token of eve") is Admission.UNKNOWN
    assert await door.judge("x" * (TOKEN_MAX + 1)) is Admission.UNKNOWN


async def test_what_it_said_is_remembered_for_a_minute_and_then_asked_again():
    server, time = ApiServer(), Time()
    door = ReviewDoor(server, time)

    await door.judge("token of ann")
    time.now = 59_000
    await door.judge("token of ann")
    assert len(server.asked) == 2
    time.now = 60_000
    await door.judge("token of ann")
    assert len(server.asked) == 4


async def test_while_it_does_not_answer_nobody_new_is_let_in():
    server = ApiServer()
    door = ReviewDoor(server, Time())
    server.is_away = True

    assert await door.judge("token of ann") is Admission.UNDECIDED
    server.is_away = False
    assert await door.judge("token of ann") is Admission.GRANTED
