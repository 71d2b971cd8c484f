"""Metrics: a witness that counts decisions and what came of them, and writes the page that is scraped.

Counters and durations grow as it is told. What is there now (nodes, pods, pools, verdicts) is read off
a World when the page is asked for. Only what was really done is counted, once: a claim that was there
already, or a delete that has to be tried again, is not.
"""

import platform
from collections.abc import Callable, Sequence
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)

from nodewright.core.interruption import MEANINGS
from nodewright.model import decision as d
from nodewright.model.decision import Decision
from nodewright.model.world import World
from nodewright.observe.cluster import fill
from nodewright.observe.conditions import Conditions, fill_conditions
from nodewright.observe.disruption import NAME as DISRUPTION
from nodewright.observe.disruption import REPAIR, Disruptions
from nodewright.observe.facts import NARROW, WHOLE
from nodewright.observe.families import COUNTERS, GAUGES, HISTOGRAMS, SUMMARIES
from nodewright.observe.family import Family
from nodewright.observe.fresh import WORDS, Fresh, code_of
from nodewright.observe.hearing import Hearing
from nodewright.observe.lives import Lives, seconds_since
from nodewright.observe.money import Money
from nodewright.observe.onsale import OnSale
from nodewright.observe.page import Page
from nodewright.observe.predictions import Predictions
from nodewright.observe.provisioned import Provisioned
from nodewright.observe.quantiles import Summary
from nodewright.observe.waits import Waits
from nodewright.ports.kube import Answer, Outcome

FAMILIES: Final[tuple[Family, ...]] = (*COUNTERS, *HISTOGRAMS, *SUMMARIES, *GAUGES)
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
LEADING: Final = "nodewright_leading"
_REASONS_MAX: Final = 200
_CODES_MAX: Final = 200
_OTHER: Final = "other"
_PLANNERS: Final = {"provisioning": "provisioner", "disruption": "disruption"}
"""Controllers that plan for pods, with the names that Karpenter's metrics have for them."""

_EVICTION_CODES: Final = {
    Outcome.DONE: "201",
    Outcome.NOTHING_TO_DO: "404",
    Outcome.NOT_FOUND: "404",
    Outcome.CONFLICT: "409",
    Outcome.BLOCKED: "429",
    Outcome.BUSY: "429",
    Outcome.FORBIDDEN: "403",
    Outcome.INVALID: "422",
}
_FAILED: Final = frozenset({
    Outcome.INVALID, Outcome.FORBIDDEN, Outcome.TOO_LARGE, Outcome.BUSY, Outcome.UNREACHABLE,
})  # fmt: skip
"""What may not happen to an act in a healthy cluster."""

_VERDICTS: Final = {("Refuse", "Pod"): "pod", ("Tell", "Node"): "node"}
"""Decisions that are verdicts, by kind and subject, and what metrics call whom they are about."""

_STEPS: Final = {
    "karpenter_pods_scheduling_decision_duration_seconds": "decided",
    "karpenter_pods_bound_duration_seconds": "bound",
    "karpenter_pods_startup_duration_seconds": "ready",
}
_DAEMON_CODE: Final = "NW-1215"
_INVALID_PREFIX: Final = "NW-10"


class Metrics:
    """A witness that counts."""

    def __init__(
        self,
        look: Callable[[], World | None] | None = None,
        *,
        version: str = "",
        now_ms: Callable[[], int] | None = None,
    ) -> None:
        # The library would add a series with the time of birth to each of ours.
        disable_created_metrics()
        self.registry = CollectorRegistry()
        self._counters = {
            one.name: Counter(one.name, one.about, one.labels, registry=self.registry)
            for one in COUNTERS
        }
        self._histograms = {
            one.name: Histogram(
                one.name, one.about, one.labels, buckets=one.buckets, registry=self.registry
            )
            for one in HISTOGRAMS
        }
        self._summaries = {one.name: Summary(one) for one in SUMMARIES}
        self.on_sale = OnSale()
        self.hearing = Hearing()
        self._look = look
        self._version = version
        self._world: World | None = None
        self._fresh = Fresh()
        self._now = now_ms
        self._unsynced_ms = now_ms() if now_ms is not None else None
        self._waits = Waits(self._waited)
        self._provisioned = Provisioned(self.note)
        self._conditions = Conditions(self.count, self.note)
        self._predictions = Predictions(self.count)
        self.money = Money(self.add)
        self.gauges: dict[str, Callable[[], float | None]] = {}
        self.lease = ""
        self._disruptions = Disruptions(self.count, self.note)
        self._lives = Lives(self, self._disruptions)
        self._reasons: set[str] = set()
        self._codes: set[str] = set()
        self._refused: dict[str, str] = {}
        self._depths: dict[str, int] = {}
        for summary in self._summaries.values():
            self.registry.register(summary)
        # What rarely happens is there from the beginning: the first time would not look like a rise.
        for kind in sorted(MEANINGS):
            self.add("karpenter_interruption_received_messages_total", 0, kind)

    def count(self, name: str, *labels: str) -> None:
        """Count one more."""
        self.add(name, 1, *labels)

    def add(self, name: str, amount: float, *labels: str) -> None:
        """Add to what was counted."""
        counter = self._counters[name]
        (counter.labels(*labels) if labels else counter).inc(amount)

    def note(self, name: str, seconds: float, *labels: str) -> None:
        """Take note of a duration."""
        if name in self._summaries:
            self._summaries[name].observe(seconds, *labels)
            return
        histogram = self._histograms[name]
        (histogram.labels(*labels) if labels else histogram).observe(seconds)

    def asked(self, service: str, operation: str, code: str, duration_ms: int) -> None:
        """Take note of one request to AWS."""
        self.count("nodewright_aws_requests_total", service, operation, self._narrow(code))
        seconds = duration_ms / 1000
        self.note("nodewright_aws_request_duration_seconds", seconds, service, operation)

    def failed_launch(self, zone: str, zone_id: str, capacity_type: str, reason: str) -> None:
        """Take note of one way to have a machine that was tried in vain."""
        name = "karpenter_cloudprovider_instance_launch_failures_total"
        self.count(name, zone, zone_id, capacity_type, self._narrow(reason))

    def _narrow(self, code: str) -> str:
        """Give a code of the cloud, or one word for all of them once there are too many."""
        if code not in self._codes and len(self._codes) >= _CODES_MAX:
            return _OTHER
        self._codes.add(code)
        return code

    def page(self) -> bytes:
        """Write everything as Prometheus reads it."""
        return generate_latest(self.registry) + self._gauges() + self.on_sale.write()

    def decided(
        self, controller: str, world: World, decisions: Sequence[Decision], duration_ms: int
    ) -> None:
        """Take note of all that one look at a World led to."""
        if controller not in NARROW:
            self._world = world
            self.money.learn(world)
        if controller in WHOLE:
            self._follow(world)
        self._looked(controller, duration_ms / 1000)
        fresh = self._fresh.pick(controller, decisions)
        for one in fresh:
            self._count_decision(controller, one)
            self._count_verdict(one)
        planner = _PLANNERS.get(controller)
        if planner is not None:
            seconds = duration_ms / 1000
            self.note("karpenter_scheduler_scheduling_duration_seconds", seconds, planner)
        if controller == DISRUPTION:
            self._disruptions.decided(decisions, fresh, duration_ms / 1000)
        if controller == REPAIR:
            self._disruptions.repaired(world, decisions)
        if controller == "provisioning":
            self._waits.decide(world, decisions)
            self._provisioned.decide(world, decisions)
            self._predictions.decide(world, decisions)
            self._refused = {
                one.subject.uid: one.code for one in decisions if isinstance(one, d.Refuse)
            }
            asked = [one for one in decisions if isinstance(one, d.Nominate | d.Refuse)]
            self._depths["provisioner"] = len({one.subject.uid for one in asked})

    def came_of(
        self, controller: str, decision: Decision, answer: Answer, duration_ms: int
    ) -> None:
        """Take note of what came of acting on a decision."""
        kind = decision.kind
        self.count("nodewright_acts_total", controller, kind, answer.outcome.value)
        self.note("nodewright_act_duration_seconds", duration_ms / 1000, controller, kind)
        if answer.outcome in _FAILED:
            self.count("controller_runtime_reconcile_total", controller, "error")
            self.count("controller_runtime_reconcile_errors_total", controller)
        if isinstance(decision, d.Evict):
            code = _EVICTION_CODES.get(answer.outcome, "500")
            self.count("karpenter_pods_eviction_requests_total", code)
        self._disruptions.came_of(decision, answer, self._world or World(now_ms=0))
        if answer.outcome is Outcome.DONE:
            if not isinstance(decision, WORDS):
                self._count_decision(controller, decision)
            self._lives.done(decision, self._world or World(now_ms=0))

    def _count_decision(self, controller: str, decision: Decision) -> None:
        reason = decision.reason
        if reason not in self._reasons and len(self._reasons) >= _REASONS_MAX:
            reason = _OTHER
        self._reasons.add(reason)
        self.count("nodewright_decisions_total", controller, decision.kind, reason)

    def _count_verdict(self, decision: Decision) -> None:
        about = _VERDICTS.get((decision.kind, decision.subject.resource.kind))
        code = code_of(decision)
        if about is not None and code:
            self.count("nodewright_verdicts_total", about, code)

    def _looked(self, controller: str, seconds: float) -> None:
        self.note("nodewright_decide_duration_seconds", seconds, controller)
        self.note("controller_runtime_reconcile_time_seconds", seconds, controller)
        self.count("controller_runtime_reconcile_total", controller, "success")
        # A controller that has not failed yet is there, so that its first failure looks like a rise.
        self.add("controller_runtime_reconcile_errors_total", 0, controller)

    def _waited(self, name: str, seconds: float) -> None:
        self.note(name, seconds)
        self.note("nodewright_pod_wait_seconds", seconds, _STEPS[name])

    def _follow(self, world: World) -> None:
        """Take note of how far pods and conditions have come."""
        self._waits.look(world)
        self._provisioned.look(world)
        self._predictions.look(world)
        self._conditions.look(world)

    def _gauges(self) -> bytes:
        """Write what is made anew for each page."""
        page = Page()
        row = (self._version, f"python{platform.python_version()}", platform.machine(), "")
        page.set("karpenter_build_info", 1, row)
        world = self._look() if self._look is not None else self._world
        if world is not None:
            self._unsynced_ms = None
            self._follow(world)
            fill(page, world)
            fill_conditions(page, world)
            self._fill_verdicts(page, world)
            self._disruptions.fill(page, world)
            self._provisioned.fill(page, world)
            self.money.fill(page, world)
        self._fill_own(page, is_known=world is not None)
        return page.write()

    def _fill_own(self, page: Page, *, is_known: bool) -> None:
        """Write what is known of this process."""
        page.set("karpenter_cluster_state_synced", int(is_known))
        now_ms = self._now() if self._now is not None else None
        if not is_known and now_ms is not None and self._unsynced_ms is None:
            self._unsynced_ms = now_ms
        unsynced_s = seconds_since(self._unsynced_ms, now_ms) if now_ms is not None else None
        page.set("karpenter_cluster_state_unsynced_time_seconds", unsynced_s or 0)
        ratio = self._predictions.mismatch_ratio
        if ratio is not None:
            page.set("nodewright_placement_mismatch_ratio", ratio)
        for name, ask in sorted(self.gauges.items()):
            value = ask()
            if value is not None:
                page.set(name, value)
            if name == LEADING and self.lease:
                page.set("leader_election_master_status", int(bool(value)), (self.lease,))

    def _fill_verdicts(self, page: Page, world: World) -> None:
        """Count what was last said to pods that still wait."""
        waiting = {pod.metadata.uid for pod in world.pods if not pod.spec.node_name}
        codes = [code for uid, code in self._refused.items() if uid in waiting]
        codes += ["NW-1001"] * len(world.bad_pods)
        for code in sorted(set(codes)):
            page.set("nodewright_pods_unplaced", codes.count(code), (code,))
        placeable = [one for one in codes if not one.startswith(_INVALID_PREFIX)]
        behind = sum(one != _DAEMON_CODE for one in placeable)
        page.set("karpenter_scheduler_unschedulable_pods_count", behind, ("provisioner",))
        page.set("karpenter_scheduler_ignored_pods_count", len(codes) - len(placeable))
        for controller, depth in self._depths.items():
            page.set("karpenter_scheduler_queue_depth", depth, (controller, ""))
