"""One node's way: how far it came, and what is to be seen where it stopped."""

from nodewright.doctor.walk import Facts, judge


def a_claim(**reached):
    conditions = [
        {"type": kind, "status": "True" if is_true else "False", "message": f"{kind}?"}
        for kind, is_true in reached.items()
    ]
    return {"metadata": {"name": "c"}, "status": {"conditions": conditions}}


def a_node(*taints):
    return {
        "metadata": {"name": "n"},
        "spec": {"taints": [{"key": key, "effect": "NoSchedule"} for key in taints]},
        "status": {"conditions": [{"type": "Ready", "status": "False", "message": "no CNI"}]},
    }


def said(walk):
    return [one.en for one in walk.evidence]


def test_a_machine_that_never_registers_stops_there_with_its_console():
    walk = judge(
        Facts(
            "c",
            claim=a_claim(Launched=True, Registered=False),
            instance={
                "InstanceId": "i-1",
                "State": {"Name": "terminated"},
                "StateReason": {"Message": "Client.InternalError"},
            },
            console=("Unauthorized",),
        )
    )

    assert walk.stopped_at == "registered"
    assert walk.steps[1].message == "Registered?"
    assert "i-1 State: terminated (Client.InternalError)" in said(walk)
    assert "console: Unauthorized" in said(walk)
    assert "no Node object has appeared" in said(walk)


def test_a_node_that_is_not_initialized_shows_its_taints_and_daemons():
    daemon = {
        "metadata": {
            "name": "aws-node-1",
            "namespace": "kube-system",
            "ownerReferences": [{"name": "aws-node"}],
        },
        "spec": {},
        "status": {"phase": "Pending"},
    }
    facts = Facts(
        "n",
        claim=a_claim(Launched=True, Registered=True, Initialized=False),
        node=a_node("a/startup"),
        daemons=(daemon,),
    )

    walk = judge(facts)

    assert walk.stopped_at == "initialized"
    assert "Node/n spec.taints: a/startup:NoSchedule" in said(walk)
    assert "Pod/kube-system/aws-node-1 status.phase: Pending, not ready" in said(walk)
    assert "kube-proxy has no pod on this node" in said(walk)


def test_a_node_that_has_arrived_stops_nowhere():
    walk = judge(Facts("c", claim=a_claim(Launched=True, Registered=True, Initialized=True)))

    assert walk.stopped_at is None
