"""The name of the cluster is found in time, whatever hangs: by EKS, else by what the cluster says itself."""

import asyncio

import pytest

from nodewright.app.doctoring import find_cluster
from nodewright.doctor.run import LIMIT_S
from nodewright.model.errors import UserError
from nodewright.sim.loop import VirtualLoop

ADDRESS = "https://here.example"
CONTROLLER = {
    "metadata": {
        "namespace": "kube-system",
        "name": "karpenter",
        "labels": {"app.kubernetes.io/name": "karpenter"},
    },
    "spec": {
        "template": {
            "spec": {"containers": [{"env": [{"name": "CLUSTER_NAME", "value": "settings"}]}]}
        }
    },
}


class Objects:
    """A cluster with one Deployment, or one whose Deployments may not be seen, or that hangs."""

    server = ADDRESS
    authority = ""

    def __init__(self, *deployments, hangs=False, forbids=False):
        self._deployments = list(deployments)
        self._hangs = hangs
        self._forbids = forbids

    async def list(self, _path):
        if self._hangs:
            await asyncio.Event().wait()
        if self._forbids:
            raise UserError("you may not list deployments")
        return self._deployments


class Eks:
    """EKS that knows clusters by their addresses, or hangs."""

    def __init__(self, hangs=False, **addresses):
        self._hangs = hangs
        self._addresses = addresses

    async def list(self, _call, _items):
        if self._hangs:
            await asyncio.Event().wait()
        return sorted(self._addresses)

    async def find(self, _call, name):
        address = self._addresses.get(name)
        return {"cluster": {"endpoint": address}} if address else None


def found(asking, objects, context=""):
    """Find the name in virtual time; give it, and the seconds that it took."""
    loop = VirtualLoop(0)

    async def find():
        return await find_cluster(asking, objects, context), loop.time()

    return loop.run_until_complete(find())


@pytest.mark.parametrize(
    ("asking", "objects", "name"),
    [
        (Eks(other="https://there.example", shop=ADDRESS), Objects(), "shop"),
        (Eks(shop=ADDRESS), Objects(CONTROLLER), "shop"),
        (Eks(shop=ADDRESS), Objects(forbids=True), "shop"),
        (Eks(hangs=True), Objects(CONTROLLER), "settings"),
        (Eks(shop=ADDRESS), Objects(hangs=True), "shop"),
        (None, Objects(CONTROLLER), "settings"),
    ],
)
def test_the_name_is_found_while_there_is_time_left_to_look(asking, objects, name):
    named, spent_s = found(asking, objects)

    assert named == name
    assert spent_s < LIMIT_S / 2


def test_where_nobody_says_it_one_is_asked_to():
    with pytest.raises(UserError, match="EKS does not say within 5 s") as refused:
        found(Eks(hangs=True), Objects())

    assert refused.value.advice == "add --cluster NAME"
