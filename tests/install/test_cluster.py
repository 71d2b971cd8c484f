import msgspec
import pytest

from builders.awsclients import Hurried
from nodewright.install.cluster import KubeObjects
from nodewright.install.rights import Right
from nodewright.kube.access import Access, Source
from nodewright.kube.client import Reply, Unreachable
from nodewright.model.errors import UserError


class Patient(Hurried):
    def ticks_ms(self):
        return self.now


class Scripted:
    """A client that gives the answers of a test, one after the other."""

    access = Access("https://api", authority=Source(data=b"CA"))

    def __init__(self, *replies):
        self.replies = list(replies)
        self.asked = []
        self.machine = self
        self.clock = Patient()

    async def ask(self, request):
        self.asked.append(request)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


async def test_an_object_is_put_by_server_side_apply():
    client = Scripted(Reply(200))
    document = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}}
    await KubeObjects(client).apply(document)

    [asked] = client.asked
    assert (asked.method, asked.path) == ("PATCH", "/api/v1/namespaces/n")
    assert asked.content_type == "application/apply-patch+yaml"
    assert msgspec.json.decode(asked.body) == document


async def test_a_server_that_asks_for_patience_is_asked_again():
    client = Scripted(Reply(429, b"", 2_000), Reply(200, b'{"items":[{"a":1}]}'))

    assert await KubeObjects(client).list("/apis/x") == [{"a": 1}]
    assert client.clock.slept == [2_000]


async def test_what_is_not_there_is_none_and_is_gone_already():
    objects = KubeObjects(Scripted(Reply(404), Reply(404), Reply(404)))

    assert await objects.get("/x") is None
    assert await objects.list("/x") == []
    await objects.remove("/x")


async def test_a_refusal_and_silence_are_one_sentence_each():
    objects = KubeObjects(Scripted(Reply(403, b'{"message":"no"}'), Unreachable("gone")))

    with pytest.raises(UserError, match="the cluster refuses: no") as caught:
        await objects.get("/x")
    assert "administrator" in caught.value.advice
    with pytest.raises(UserError, match="the cluster cannot be reached: gone"):
        await objects.get("/x")


async def test_a_right_that_is_missing_is_named_with_its_rule():
    said = (
        b'{"message":"deployments.apps is forbidden: User \\"eve\\" cannot list resource '
        b'\\"deployments\\" in API group \\"apps\\" at the cluster scope"}'
    )
    with pytest.raises(UserError) as caught:
        await KubeObjects(Scripted(Reply(403, said))).list("/apis/apps/v1/deployments")

    assert caught.value.message == "you may not list deployments.apps on the cluster"
    assert (
        '{"apiGroups":["apps"],"resources":["deployments"],"verbs":["list"]}' in caught.value.advice
    )


async def test_the_server_is_asked_whether_something_is_allowed():
    allowed, denied = (
        Reply(201, b'{"status":{"allowed":%b}}' % one) for one in (b"true", b"false")
    )
    client = Scripted(allowed, denied)
    objects = KubeObjects(client)

    assert await objects.allows(Right("", "pods/eviction", "create", "shop", "p"))
    assert not await objects.allows(Right("apps", "deployments", "list"))
    spec = msgspec.json.decode(client.asked[0].body)["spec"]["resourceAttributes"]
    assert spec == {
        "group": "", "resource": "pods", "subresource": "eviction", "verb": "create",
        "namespace": "shop", "name": "p",
    }  # fmt: skip


async def test_a_budget_is_an_answer_and_a_pod_that_is_gone_was_evicted():
    client = Scripted(Reply(429), Reply(404), Reply(201))
    objects = KubeObjects(client)

    assert [await objects.evict("n", "p") for _ in range(3)] == [False, True, True]
    assert client.asked[0].path == "/api/v1/namespaces/n/pods/p/eviction"
    assert client.clock.slept == []
