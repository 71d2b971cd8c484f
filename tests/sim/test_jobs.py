from nodewright.sim.objects import JOBS
from sim.stage import Stage


def test_a_job_runs_until_enough_pods_have_succeeded():
    stage = Stage(nodes=1)
    stage.work("job", kind="Job", replicas=3, runs_for="30s")
    stage.run(1)

    (job,) = stage.api.each(JOBS)
    assert (job.status.succeeded, job.status.completion_time is not None) == (3, True)
    stage.run(2)
    assert (stage.api.count(JOBS), stage.pods()) == (0, [])


def test_a_pod_that_is_taken_away_is_made_anew():
    stage = Stage(nodes=1)
    stage.work("job", kind="Job", replicas=2, runs_for="30s")
    stage.run(0.3)
    stage.sim.cluster.evictions.evict(f"default/{stage.pods()[0].metadata.name}", "user")
    stage.run(1)

    (job,) = stage.api.each(JOBS)
    assert (job.status.succeeded, job.status.failed) == (2, 1)


def test_a_cron_job_makes_jobs_by_the_calendar():
    stage = Stage(nodes=1)
    stage.work("tick", kind="CronJob", schedule="*/10 * * * *", runs_for="5s")
    made = []
    stage.api.listen(JOBS, lambda c: made.append(c.key) if c.verb == "ADDED" else None)
    stage.run(35)

    assert len(made) == 3
