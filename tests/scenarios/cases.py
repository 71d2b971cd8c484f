"""What conformance cases are written with: their register, and manifests in a few words."""

CASES = {}


def case(function):
    """Register a case under its name."""
    CASES[function.__name__] = function
    return function


def good(reply):
    assert reply.status in (200, 201, 202), reply
    return reply


def a_config(name="thing", **more):
    """A PodDisruptionBudget stands for any object with a spec: it has no defaults to compare."""
    selector = {"matchLabels": {"app": "nobody"}}
    return {"metadata": {"name": name, **more}, "spec": {"minAvailable": 1, "selector": selector}}


def a_pod(plane, name="pod", cpu="100m", labels=None, **spec):
    container = {
        "name": "main",
        "image": "none",
        "resources": {"requests": {"cpu": cpu, "memory": "16Mi"}},
    }
    return {
        "metadata": {"name": name, "labels": labels or {"app": "web"}},
        "spec": {"containers": [container], "nodeSelector": {"case": plane.namespace}, **spec},
    }


def a_workload(plane, name, replicas, cpu="100m", labels=None, **spec):
    labels = labels or {"app": name}
    pod = a_pod(plane, cpu=cpu, labels=labels, **spec)
    return {
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod["spec"]},
        },
    }


def pods(plane, **labels):
    return [
        one
        for one in plane.each("Pod")
        if labels.items() <= one["metadata"].get("labels", {}).items()
    ]


def node_of(plane, name):
    return plane.get("Pod", name).body.get("spec", {}).get("nodeName", "")


def bound(plane, **labels):
    return [one for one in pods(plane, **labels) if one["spec"].get("nodeName")]


def running(plane, count, **labels):
    def holds():
        ready = [
            one
            for one in pods(plane, **labels)
            if any(
                c["type"] == "Ready" and c["status"] == "True"
                for c in one["status"].get("conditions", [])
            )
            and not one["metadata"].get("deletionTimestamp")
        ]
        return ready if len(ready) == count else None

    return plane.settle(holds)


def is_unschedulable(plane, name):
    conditions = plane.get("Pod", name).body["status"].get("conditions", [])
    return any(c["type"] == "PodScheduled" and c["reason"] == "Unschedulable" for c in conditions)
