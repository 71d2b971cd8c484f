from nodewright.model.resource import VOLUME_CLAIMS, VOLUMES
from sim.stage import Stage


def a_class(mode, zones=()):
    values = {"key": "topology.kubernetes.io/zone", "values": list(zones)}
    return {
        "kind": "StorageClass",
        "metadata": {"name": mode.lower()},
        "provisioner": "ebs.csi.aws.com",
        "volumeBindingMode": mode,
        **({"allowedTopologies": [{"matchLabelExpressions": [values]}]} if zones else {}),
    }


def a_claim(name, storage_class):
    return {
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"storageClassName": storage_class, "accessModes": ["ReadWriteOnce"]},
    }


def with_claim(name):
    return {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]}


def test_a_class_that_does_not_wait_binds_at_once():
    stage = Stage()
    stage.put(a_class("Immediate", ["zone-b"]))
    stage.put(a_claim("data", "immediate"))
    stage.run()

    (claim,) = stage.api.each(VOLUME_CLAIMS)
    assert claim.status.phase == "Bound"
    (volume,) = stage.api.each(VOLUMES)
    terms = volume.spec.node_affinity.required.node_selector_terms
    assert terms[0].match_expressions[0].values == ("zone-b",)


def test_a_class_that_waits_follows_the_pod():
    stage = Stage()
    stage.node("a", zone="zone-a")
    stage.node("b", zone="zone-b")
    stage.put(a_class("WaitForFirstConsumer", ["zone-b"]))
    stage.put(a_claim("data", "waitforfirstconsumer"))
    stage.run()
    assert stage.api.count(VOLUMES) == 0
    stage.work(pod=with_claim("data"))
    stage.run()

    assert stage.places() == ["b"]
    assert [pod.status.phase for pod in stage.pods()] == ["Running"]


def test_a_pod_whose_claim_is_missing_waits():
    stage = Stage(nodes=1)
    stage.work(pod=with_claim("nothing"))
    stage.run()
    assert stage.places() == [""]
    stage.put(a_class("Immediate", ["zone-a"]))
    stage.put(a_claim("nothing", "immediate"))
    stage.run(6)

    assert stage.places() == ["n0"]


def test_a_node_attaches_no_more_than_its_driver_can():
    stage = Stage(nodes=1)
    driver = {"name": "ebs.csi.aws.com", "allocatable": {"count": 2}}
    stage.put({"kind": "CSINode", "metadata": {"name": "n0"}, "spec": {"drivers": [driver]}})
    stage.put(a_class("WaitForFirstConsumer"))
    stage.work(
        "db",
        kind="StatefulSet",
        replicas=3,
        volume="waitforfirstconsumer",
        pod={},
    )
    stage.run(5)

    assert stage.places() == ["", "n0", "n0"]
