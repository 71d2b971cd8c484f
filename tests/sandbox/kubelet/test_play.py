"""Machines join, also when their name is still that of a node which is on its way out."""

import asyncio

from nodewright.sandbox.kubelet.play import Play
from sandbox.kubelet.test_node import a_body, an_instance


class Ec2:
    """One machine that runs."""

    def look_anew(self):
        pass

    def instances(self):
        return [an_instance()]


class Cluster:
    """A cluster whose server refuses names for a while."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.registered = []

    async def nodes(self):
        return self.registered

    async def surroundings(self):
        return None

    async def create(self, node):
        is_made = self.answers.pop(0)
        self.registered += [node] if is_made else []
        return is_made


class Healthy(Play):
    """Kubelets of machines in which nothing is wrong."""

    def _examine(self, instance, attempt, around):
        del attempt, around
        return a_body(instance=instance), ()


def test_a_name_that_is_still_taken_is_asked_for_again():
    cluster, said = Cluster(False, True), []
    play = Healthy(Ec2(), cluster, lambda *words: said.append(words))
    for now_ms in (0, 10_000, 20_000):
        asyncio.run(play.step(now_ms, "2026-01-01T00:00:00Z"))

    assert [one["spec"]["providerID"] for one in cluster.registered] == [an_instance().provider_id]
    assert cluster.answers == []
    assert [text for _, text in said] == [
        "a node of this name is there still; trying again",
        "node registered",
    ]
