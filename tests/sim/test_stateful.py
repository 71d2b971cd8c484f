from nodewright.model.resource import PODS, VOLUME_CLAIMS, VOLUMES
from nodewright.sim.objects import ATTACHMENTS
from sim.stage import Stage

CLASS = {
    "kind": "StorageClass",
    "metadata": {"name": "gp3"},
    "provisioner": "ebs.csi.aws.com",
    "volumeBindingMode": "WaitForFirstConsumer",
}


def a_database(stage, replicas=3):
    stage.put(CLASS)
    stage.work("db", kind="StatefulSet", replicas=replicas, volume="gp3")


def test_pods_are_made_in_order_and_keep_their_volumes():
    stage = Stage(nodes=1)
    made = []
    stage.api.listen(PODS, lambda c: made.append(c.key) if c.verb == "ADDED" else None)
    a_database(stage)
    stage.run(3)

    assert made == ["default/db-0", "default/db-1", "default/db-2"]
    claims = {one.metadata.name: one.spec.volume_name for one in stage.api.each(VOLUME_CLAIMS)}
    assert sorted(claims) == ["data-db-0", "data-db-1", "data-db-2"]
    assert stage.api.count(VOLUMES) == stage.api.count(ATTACHMENTS) == 3


def test_a_smaller_set_lets_its_volumes_go_but_keeps_its_claims():
    stage = Stage(nodes=1)
    a_database(stage)
    stage.run(3)
    stage.resize("StatefulSet", "db", 1)
    stage.run(3)

    assert [pod.metadata.name for pod in stage.pods()] == ["db-0"]
    assert (stage.api.count(VOLUME_CLAIMS), stage.api.count(ATTACHMENTS)) == (3, 1)


def test_a_pod_that_comes_back_goes_where_its_volume_lies():
    stage = Stage()
    stage.node("a", zone="zone-a")
    stage.node("b", zone="zone-b")
    a_database(stage, replicas=1)
    stage.run(2)
    (first,) = stage.places()
    for _ in range(3):
        stage.api.delete(PODS, "default/db-0", "user")
        stage.run(2)
        assert stage.places() == [first]
