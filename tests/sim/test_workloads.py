import msgspec

from nodewright.model.resource import PODS, key_of
from nodewright.sim.objects import DEPLOYMENTS, REPLICA_SETS
from sim.stage import Stage


def annotated(deployment, mark):
    template = deployment.spec.template
    meta = msgspec.structs.replace(template.metadata, annotations={"round": mark})
    template = msgspec.structs.replace(template, metadata=meta)
    return msgspec.structs.replace(
        deployment, spec=msgspec.structs.replace(deployment.spec, template=template)
    )


def test_a_deployment_has_as_many_pods_as_it_wants():
    stage = Stage(nodes=2)
    stage.work(replicas=6)
    stage.run()

    assert len(stage.pods(phase="Running")) == 6


def test_a_pod_that_is_lost_is_replaced():
    stage = Stage(nodes=1)
    stage.work(replicas=2)
    stage.run()
    lost = stage.pods()[0]
    stage.api.delete(PODS, key_of(lost.metadata), "user")
    stage.run()

    names = [pod.metadata.name for pod in stage.pods(phase="Running")]
    assert len(names) == 2
    assert lost.metadata.name not in names


def test_a_rollout_never_goes_below_what_it_may_miss():
    stage = Stage(nodes=2)
    stage.work(replicas=8)
    stage.run()
    fewest = [8]

    def heard(_):
        fewest.append(len(stage.pods(phase="Running")))

    stage.api.listen(PODS, heard)
    stage.api.change(DEPLOYMENTS, "default/web", lambda one: annotated(one, "2"), "user")
    stage.run(3)

    sizes = sorted(one.spec.replicas for one in stage.api.each(REPLICA_SETS))
    assert sizes == [0, 8]
    assert min(fewest) >= 6


def test_a_shrinking_set_gives_up_the_unsettled_first():
    stage = Stage(nodes=1, cpu="1")
    stage.work(replicas=5, cpu="400m")
    stage.run()
    assert len(stage.pods(phase="Running")) == 2
    stage.resize("Deployment", "web", 2)
    stage.run()

    assert [pod.status.phase for pod in stage.pods()] == ["Running", "Running"]


def test_a_deleted_deployment_takes_everything_along():
    stage = Stage(nodes=1)
    stage.work(replicas=3)
    stage.run()
    stage.api.delete(DEPLOYMENTS, "default/web", "user")
    stage.run()

    assert (stage.pods(), stage.api.count(REPLICA_SETS)) == ([], 0)


def test_pods_that_are_only_bound_or_told_something_make_nobody_count_again():
    stage = Stage(nodes=2)
    stage.work(replicas=20)
    stage.run()
    (owner,) = stage.api.each(REPLICA_SETS)

    notes = [
        line
        for line in stage.sim.ground.history.lines
        if line.subject.startswith("replicasets/") and line.verb == "MODIFIED"
    ]
    assert owner.status.ready_replicas == 20
    assert len(notes) < 20
