"""Pods on a wrong build of Windows: what the runtime says is the evidence, one finding a workload."""

import asyncio

import pytest

from nodewright.doctor.look import Look, Subject
from nodewright.doctor.windows_builds import Facts, Misfit, judge, probe
from nodewright.model.labels import OS, WINDOWS_BUILD

BUILD = "10.0.20348"
SAID = 'failed to pull image "web:ltsc2019": no match for platform in manifest: not found'


def a_pod(name="web-5d-x", node="win-1", **state):
    owner = {"kind": "ReplicaSet", "name": "web-5d"}
    labels = {"pod-template-hash": "5d"}
    meta = {"namespace": "shop", "name": name, "labels": labels, "uid": name}
    status = {"name": "app", "image": "web:ltsc2019", "state": state}
    return {
        "metadata": {**meta, "ownerReferences": [owner]},
        "spec": {"nodeName": node},
        "status": {"containerStatuses": [status]},
    }


def a_node(name="win-1", system="windows"):
    return {"metadata": {"name": name, "labels": {OS: system, WINDOWS_BUILD: BUILD}}}


class Cluster:
    """Answers lists by their paths."""

    def __init__(self, nodes=(), pods=(), events=()):
        self._lists = {"nodes": list(nodes), "pods": list(pods), "events": list(events)}

    async def list(self, path):
        return self._lists[path.rpartition("/")[2].partition("?")[0]]


def seen(**lists):
    async def look():
        return await probe(Look(Subject("shop", "", 0), None, Cluster(**lists)), ("Windows2022",))

    return asyncio.run(look())


def failed(name, message):
    return {"reason": "Failed", "involvedObject": {"uid": name}, "message": message}


@pytest.mark.parametrize(
    ("pod", "events"),
    [
        (a_pod(waiting={"reason": "ErrImagePull", "message": SAID}), ()),
        (a_pod(waiting={"reason": "ImagePullBackOff"}), (failed("web-5d-x", SAID),)),
        (
            a_pod(
                terminated={
                    "reason": "StartError",
                    "message": "hcs: The container operating system does not match the host operating system.",
                }
            ),
            (),
        ),
    ],
    ids=["pull", "event", "start"],
)
def test_the_words_of_the_runtime_give_it_away(pod, events):
    found = seen(nodes=[a_node()], pods=[pod], events=events)

    assert [(one.build, one.image) for one in found.misfits] == [(BUILD, "web:ltsc2019")]
    assert found.builds == (BUILD,)


@pytest.mark.parametrize(
    "lists",
    [
        {"nodes": [a_node(system="linux")]},
        {"nodes": [a_node()], "pods": [a_pod(running={})]},
        {"nodes": [a_node()], "pods": [a_pod(waiting={"reason": "ImagePullBackOff"})]},
        {
            "nodes": [a_node()],
            "pods": [a_pod(node="other", waiting={"reason": "ErrImagePull", "message": SAID})],
        },
    ],
    ids=["no windows", "runs", "another reason", "on Linux"],
)
def test_nothing_else_is_taken_for_a_wrong_build(lists):
    assert seen(**lists).misfits == ()


def test_pods_of_one_workload_are_one_finding_with_the_builds_to_choose_from():
    misfits = tuple(Misfit(a_pod(name), BUILD, "web:ltsc2019", SAID) for name in ("w-1", "w-2"))

    [found] = judge(Facts(misfits, ("10.0.17763", BUILD)))

    assert found.objects == ("Deployment/shop/web", "Pod/shop/w-1", "Pod/shop/w-2")
    assert f'"{WINDOWS_BUILD}":"10.0.17763"' in found.commands[1]
    assert len(found.commands) == 2


def test_a_pod_of_nobody_is_made_again():
    pod = a_pod()
    pod["metadata"]["ownerReferences"] = []

    [found] = judge(Facts((Misfit(pod, BUILD, "web:ltsc2019", SAID),), (BUILD,)))

    assert found.objects == ("Pod/shop/web-5d-x",)
    assert found.commands[1].startswith("kubectl delete pod -n shop web-5d-x")
