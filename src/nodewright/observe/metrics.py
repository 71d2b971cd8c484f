"""Metrics: a witness that counts decisions and what came of them, and writes the page that is scraped.

Counters and durations grow as it is told. What is there now (nodes, pods, pools, verdicts) is read off
a World when the page is asked for. Only what was really done is counted, once: a claim that was there
already, or a delete that has to be tried again, is not.
"""

import platform
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)

from nodewright.core.interruption import CHECKS, PLANNED
from nodewright.model import decision as d
from nodewright.model.decision import Decision
from nodewright.model.instant import read_instant
from nodewright.model.labels import CAPACITY_TYPE, NODEPOOL, ZONE
from nodewright.model.resource import NODE_CLAIMS, NODES
from nodewright.model.world import World
from nodewright.observe.cluster import fill
from nodewright.observe.disruption import NAME as DISRUPTION
from nodewright.observe.disruption import REPAIR, Disruptions
from nodewright.observe.facts import NARROW
from nodewright.observe.families import COUNTERS, GAUGES, HISTOGRAMS, SUMMARIES
from nodewright.observe.family import Family
from nodewright.observe.fresh import WORDS, Fresh
from nodewright.observe.onsale import OnSale
from nodewright.observe.page import Page
from nodewright.observe.quantiles import Summary
from nodewright.observe.waits import Waits
from nodewright.ports.kube import Answer, Outcome

FAMILIES: Final[tuple[Family, ...]] = (*COUNTERS, *HISTOGRAMS, *SUMMARIES, *GAUGES)
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_REASONS_MAX: Final = 200
_CODES_MAX: Final = 200
_OTHER: Final = "other"
_PLANNERS: Final = {"provisioning": "provisioner", "disruption": "disruption"}
"""Controllers that plan for pods, with the names that Karpenter's metrics have for them."""

_DISRUPTED: Final = frozenset((
    "insufficient_capacity", "nodeclass_not_ready", "launch_timeout", "registration_timeout",
    "garbage_collected", "expired", "unhealthy", "underutilized", "empty", "drifted",
    "spot_interrupted", "scheduled_change", "instance_stopped", "instance_terminated",
    "rebalance_recommendation", "capacity_reservation_interrupted", "instance_status",
    "system_status", "event_status",
))  # fmt: skip
"""Reasons that count as a disruption; other deletions follow from somebody else's."""

_UNWELL: Final = frozenset((*CHECKS, PLANNED))
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
_DAEMON_CODE: Final = "NW-1215"
_INVALID_PREFIX: Final = "NW-10"


class Metrics:
    """A witness that counts."""

    def __init__(
        self, look: Callable[[], World | None] | None = None, *, version: str = ""
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
        self._look = look
        self._version = version
        self._world: World | None = None
        self._fresh = Fresh()
        self._waits = Waits(self.note)
        self._disruptions = Disruptions(self.count, self.note)
        self._reasons: set[str] = set()
        self._codes: set[str] = set()
        self._refused: dict[str, str] = {}
        self._depths: dict[str, int] = {}
        for summary in self._summaries.values():
            self.registry.register(summary)

    def count(self, name: str, *labels: str) -> None:
        """Count one more."""
        counter = self._counters[name]
        (counter.labels(*labels) if labels else counter).inc()

    def note(self, name: str, seconds: float, *labels: str) -> None:
        """Take note of a duration."""
        if name in self._summaries:
            self._summaries[name].observe(seconds, *labels)
            return
        histogram = self._histograms[name]
        (histogram.labels(*labels) if labels else histogram).observe(seconds)

    def asked(self, service: str, operation: str, code: str, duration_ms: int) -> None:
        """Take note of one request to AWS."""
        if code not in self._codes and len(self._codes) >= _CODES_MAX:
            code = _OTHER
        self._codes.add(code)
        self.count("nodewright_aws_requests_total", service, operation, code)
        seconds = duration_ms / 1000
        self.note("nodewright_aws_request_duration_seconds", seconds, service, operation)

    def page(self) -> bytes:
        """Write everything as Prometheus reads it."""
        return generate_latest(self.registry) + self._gauges() + self.on_sale.write()

    def decided(
        self, controller: str, world: World, decisions: Sequence[Decision], duration_ms: int
    ) -> None:
        """Take note of all that one look at a World led to."""
        if controller not in NARROW:
            self._world = world
            self._waits.look(world)
        self.note("nodewright_decide_duration_seconds", duration_ms / 1000, controller)
        fresh = self._fresh.pick(controller, decisions)
        for one in fresh:
            self._count_decision(controller, one)
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
        if isinstance(decision, d.Evict):
            code = _EVICTION_CODES.get(answer.outcome, "500")
            self.count("karpenter_pods_eviction_requests_total", code)
        self._disruptions.came_of(decision, answer, self._world or World(now_ms=0))
        if answer.outcome is Outcome.DONE:
            if not isinstance(decision, WORDS):
                self._count_decision(controller, decision)
            self._count_done(decision)

    def _count_decision(self, controller: str, decision: Decision) -> None:
        reason = decision.reason
        if reason not in self._reasons and len(self._reasons) >= _REASONS_MAX:
            reason = _OTHER
        self._reasons.add(reason)
        self.count("nodewright_decisions_total", controller, decision.kind, reason)

    def _count_done(self, decision: Decision) -> None:
        match decision:
            case d.Launch(claim=claim):
                relaxed = claim.metadata.annotations.get(
                    "karpenter.sh/nodeclaim-min-values-relaxed", "false"
                )
                pool = claim.metadata.labels.get(NODEPOOL, "")
                reason = decision.reason.lower()
                self.count("karpenter_nodeclaims_created_total", reason, pool, relaxed)
            case d.Disrupt():
                self._disruptions.begun(decision, self._world or World(now_ms=0))
            case d.Delete(reason=reason) if reason in _DISRUPTED:
                if decision.subject.resource is NODE_CLAIMS:
                    self._disruptions.deleted(decision, self._world or World(now_ms=0))
                    if reason in _UNWELL:
                        unwell = "karpenter_interruption_instance_status_unhealthy_total"
                        self.count(unwell, reason)
            case d.Change(reason="Registration") if decision.subject.resource is NODES:
                labels = self._labels_of(decision)
                row = (labels.get(NODEPOOL, ""), labels.get(ZONE, ""))
                self.count("karpenter_nodes_created_total", *row)
            case d.Change(reason="Drained") if decision.subject.resource is NODE_CLAIMS:
                pool = self._labels_of(decision).get(NODEPOOL, "")
                self.count("karpenter_nodes_drained_total", pool)
            case d.Evict():
                self.count("karpenter_pods_drained_total", decision.reason)
            case d.Release():
                self._count_gone(decision)

    def _count_gone(self, decision: d.Release) -> None:
        meta = decision.thing.metadata
        labels, now_ms = meta.labels, self._now_ms()
        pool, zone = labels.get(NODEPOOL, ""), labels.get(ZONE, "")
        took_s = _seconds(read_instant(meta.deletion_timestamp), now_ms)
        if decision.subject.resource is NODE_CLAIMS:
            capacity = labels.get(CAPACITY_TYPE, "")
            self.count("karpenter_nodeclaims_terminated_total", pool, capacity, zone)
            if took_s is not None:
                self.note("karpenter_nodeclaims_termination_duration_seconds", took_s, pool)
        elif decision.subject.resource is NODES:
            self.count("karpenter_nodes_terminated_total", pool, zone)
            if took_s is not None:
                self.note("karpenter_nodes_termination_duration_seconds", took_s, pool)
            lived_s = _seconds(read_instant(meta.creation_timestamp), now_ms)
            if lived_s is not None:
                self.note("karpenter_nodes_lifetime_duration_seconds", lived_s, pool)

    def _labels_of(self, decision: Decision) -> Mapping[str, str]:
        """Give the labels of a claim or node as they were last seen, a node's claim's included."""
        world = self._world or World(now_ms=0)
        name = decision.subject.name
        for claim in world.node_claims:
            if claim.metadata.name == name:
                return claim.metadata.labels
        for node in world.nodes:
            if node.metadata.name == name:
                provider_id = node.spec.provider_id
                own = (
                    one.metadata.labels
                    for one in world.node_claims
                    if provider_id and one.status.provider_id == provider_id
                )
                return {**node.metadata.labels, **next(own, {})}
        return {}

    def _now_ms(self) -> int:
        return self._world.now_ms if self._world is not None else 0

    def _gauges(self) -> bytes:
        """Write what is made anew for each page."""
        page = Page()
        row = (self._version, f"python{platform.python_version()}", platform.machine(), "")
        page.set("karpenter_build_info", 1, row)
        world = self._look() if self._look is not None else self._world
        if world is not None:
            self._waits.look(world)
            fill(page, world)
            self._fill_verdicts(page, world)
            self._disruptions.fill(page, world)
        return page.write()

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


def _seconds(since_ms: int | None, now_ms: int) -> float | None:
    return None if since_ms is None else max(0, now_ms - since_ms) / 1000
