"""Jobs and CronJobs: pods that run to an end, so many at a time, and jobs by the calendar."""

from typing import Final

import msgspec

from nodewright.model.cron import next_hit_ms, parse_schedule
from nodewright.model.metadata import ObjectMeta
from nodewright.model.resource import PODS, key_of
from nodewright.sim.apiserver import DELETED, Change
from nodewright.sim.ground import Ground, Worklist
from nodewright.sim.objects import CRON_JOBS, JOBS, CronJob, Job, WorkloadStatus
from nodewright.sim.workloads import Brood, controller_ref, is_active, make_pod

_DELAY_MS: Final = 25
_KEPT_JOBS: Final = 3
_replace = msgspec.structs.replace


class JobController:
    """Runs the pods of each Job until enough have succeeded."""

    actor: Final = "job-controller"

    def __init__(self, ground: Ground) -> None:
        self._loop = ground.loop
        self._api = ground.api
        self._ended: dict[str, list[int]] = {}
        self._work = Worklist(ground.loop, _DELAY_MS, self._sync)
        self._brood = Brood(ground, "Job", self._work)
        self._api.listen(JOBS, self._job_changed)
        self._api.listen(PODS, self._pod_changed)

    def _job_changed(self, change: Change) -> None:
        if change.verb == DELETED:
            self._ended.pop(change.new.metadata.uid, None)
        self._work.add(change.key)

    def _pod_changed(self, change: Change) -> None:
        old, new = change.old, change.new
        if change.verb == DELETED:
            # A pod that is taken away before its end has failed.
            ended_now = new.status.phase not in ("Succeeded", "Failed")
            succeeded = False
        else:
            ended_now = old is not None and old.status.phase != new.status.phase
            succeeded = new.status.phase == "Succeeded"
            ended_now = ended_now and new.status.phase in ("Succeeded", "Failed")
        if ended_now:
            for owner in new.metadata.owner_references:
                if owner.kind == "Job":
                    counts = self._ended.setdefault(owner.uid, [0, 0])
                    counts[0 if succeeded else 1] += 1

    def _sync(self, key: str) -> None:
        job = self._api.get(JOBS, key)
        if job is None or job.metadata.deletion_timestamp is not None:
            return
        if job.status.completion_time is not None:
            return
        succeeded, failed = self._ended.get(job.metadata.uid, (0, 0))
        pods = [pod for pod in self._brood.of(job.metadata.uid) if is_active(pod)]
        completions = 1 if job.spec.completions is None else job.spec.completions
        over = succeeded >= completions or failed > job.spec.backoff_limit
        at_once = 1 if job.spec.parallelism is None else job.spec.parallelism
        wanted = 0 if over else min(at_once, completions - succeeded)
        for _ in range(wanted - len(pods)):
            self._api.create(PODS, make_pod(JOBS, job, job.spec.template), self.actor)
        for pod in pods[wanted:]:
            self._api.delete(PODS, key_of(pod.metadata), self.actor)
        status = WorkloadStatus(
            observed_generation=job.metadata.generation,
            active=max(wanted, 0),
            succeeded=succeeded,
            failed=failed,
            completion_time=self._api.stamp() if over else None,
        )
        self._api.change(JOBS, key, lambda one: _replace(one, status=status), self.actor)
        if over:
            self._clear(job)

    def _clear(self, job: Job) -> None:
        ttl = job.spec.ttl_seconds_after_finished
        if ttl is not None:
            self._loop.after_ms(ttl * 1000, self._delete, key_of(job.metadata), job.metadata.uid)

    def _delete(self, key: str, uid: str) -> None:
        job = self._api.get(JOBS, key)
        if job is not None and job.metadata.uid == uid:
            self._api.delete(JOBS, key, "ttl-controller")


class CronJobController:
    """Makes Jobs by the calendar."""

    actor: Final = "cronjob-controller"

    def __init__(self, ground: Ground) -> None:
        self._loop = ground.loop
        self._api = ground.api
        self._made: dict[str, list[str]] = {}
        self._api.listen(CRON_JOBS, self._changed)

    def _changed(self, change: Change) -> None:
        if change.verb == DELETED:
            self._made.pop(change.new.metadata.uid, None)
        elif change.old is None or change.old.spec != change.new.spec:
            self._plan(change.new)

    def _plan(self, cron: CronJob) -> None:
        if not cron.spec.suspend:
            due_ms = next_hit_ms(parse_schedule(cron.spec.schedule), self._loop.now_ms())
            if due_ms is not None:
                known = key_of(cron.metadata), cron.metadata.generation
                self._loop.at_ms(due_ms, self._fire, *known)

    def _fire(self, key: str, generation: int) -> None:
        cron = self._api.get(CRON_JOBS, key)
        if cron is None or cron.metadata.generation != generation:
            return
        made = self._made.setdefault(cron.metadata.uid, [])
        running = [name for name in made if self._is_running(name)]
        if not (running and cron.spec.concurrency_policy == "Forbid"):
            if cron.spec.concurrency_policy == "Replace":
                for name in running:
                    self._api.delete(JOBS, name, self.actor)
            self._make(cron, made)
        self._plan(cron)

    def _make(self, cron: CronJob, made: list[str]) -> None:
        template = cron.spec.job_template
        job = Job(
            metadata=ObjectMeta(
                name=f"{cron.metadata.name}-{self._loop.now_ms() // 60_000}",
                namespace=cron.metadata.namespace,
                labels=template.metadata.labels,
                owner_references=(controller_ref(CRON_JOBS, cron),),
            ),
            spec=template.spec,
        )
        self._api.create(JOBS, job, self.actor)
        made.append(key_of(job.metadata))
        while len(made) > _KEPT_JOBS and not self._is_running(made[0]):
            old = made.pop(0)
            if self._api.get(JOBS, old) is not None:
                self._api.delete(JOBS, old, self.actor)

    def _is_running(self, key: str) -> bool:
        job = self._api.get(JOBS, key)
        return job is not None and job.status.completion_time is None
