"""A node that waits is told of where the network plugin fails on it, and left alone where it only boots."""

import pytest

from nodewright.doctor.plugin_pods import Facts, judge
from nodewright.doctor.waiting import Waiting

CLAIM = {"metadata": {"name": "c"}}
NODE = {"metadata": {"name": "n"}}
WAITING = (Waiting(CLAIM, "registered", 3_600_000, NODE),)
CRASHED = {"terminated": {"reason": "Error", "message": "ipamd gave up"}}


def a_pod(owner="aws-node", **status):
    owners = [{"kind": "DaemonSet", "name": owner}]
    meta = {"namespace": "kube-system", "name": f"{owner}-x", "uid": "u", "ownerReferences": owners}
    return {"metadata": meta, "spec": {"nodeName": "n"}, "status": {"containerStatuses": [status]}}


def an_event(uid="u"):
    said = "plugin type aws-cni failed: failed to assign an IP address to container"
    return {"involvedObject": {"uid": uid}, "message": said}


@pytest.mark.parametrize(
    "facts",
    [
        Facts(WAITING, (a_pod(state={"waiting": {"reason": "CrashLoopBackOff"}}),)),
        Facts(WAITING, (a_pod(state={"running": {}}, lastState=CRASHED),)),
        Facts(WAITING, (a_pod("app", ready=True),), (an_event(),)),
    ],
    ids=["crashes", "crashed", "no address"],
)
def test_a_plugin_that_fails_on_a_node_is_told_with_what_it_says(facts):
    [found] = judge(facts)

    assert found.objects[:2] == ("Node/n", "NodeClaim/c")
    assert found.facts
    assert found.commands
    assert not found.is_fixable


@pytest.mark.parametrize(
    "facts",
    [
        Facts(WAITING, (a_pod(ready=True, lastState=CRASHED),)),
        Facts(WAITING, (a_pod(state={"waiting": {"reason": "ContainerCreating"}}),)),
        Facts(WAITING, (a_pod("kube-proxy", lastState=CRASHED),)),
        Facts(WAITING, (a_pod(ready=True),), (an_event("another"),)),
        Facts(),
    ],
    ids=["runs again", "starts", "another daemon", "another's event", "nobody waits"],
)
def test_a_plugin_that_runs_or_starts_is_left_alone(facts):
    assert list(judge(facts)) == []
