"""Promises about how things end: claims come to an end state, and the world settles after trouble."""

from typing import Final

import msgspec

from nodewright.core.scheduling.solve import solve
from nodewright.model.instant import parse_instant
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.plan import Plan
from nodewright.model.pod import Pod
from nodewright.model.resource import NODE_CLAIMS, NODES, PODS, key_of
from nodewright.sim.apiserver import ApiServer
from nodewright.sim.checkers.checker import Checker
from nodewright.sim.checkers.machines import ALIVE, must_leave
from nodewright.sim.checkers.pods import is_held
from nodewright.sim.cloud.ec2 import Ec2
from nodewright.sim.objects import PHASE_ENDED
from nodewright.sim.worldview import build_world

BIRTH_MS: Final = 45 * 60_000
DEATH_MS: Final = 30 * 60_000


class ClaimsEnd(Checker):
    """Every claim becomes a node that works, or goes away."""

    name = "claims-end"

    def look(self) -> None:
        """Look for claims that are stuck."""
        now_ms = self.loop.now_ms()
        for claim in self.api.each(NODE_CLAIMS):
            meta = claim.metadata
            if meta.deletion_timestamp is not None:
                age_ms = now_ms - parse_instant(meta.deletion_timestamp)
                if age_ms > DEATH_MS and not self._is_held_up(claim):
                    self._stuck(claim, "has been going away", age_ms)
            elif not is_true(claim, "Initialized"):
                age_ms = now_ms - parse_instant(meta.creation_timestamp or "")
                if age_ms > BIRTH_MS:
                    self._stuck(claim, "has been starting", age_ms)

    def _stuck(self, claim: NodeClaim, what: str, age_ms: int) -> None:
        name = claim.metadata.name
        self.complain(
            f"NodeClaim {name} {what} for {age_ms // 60_000} minutes", f"nodeclaims/{name}"
        )

    def _is_held_up(self, claim: NodeClaim) -> bool:
        """Tell whether pods that may stay keep the node: a budget, or their own mark."""
        now_ms = self.loop.now_ms()
        for pod in self.scene.cluster.nodes.pods_on(claim.status.node_name):
            if must_leave(pod, now_ms) and self._may_stay(pod, now_ms):
                return True
        return False

    def _may_stay(self, pod: Pod, now_ms: int) -> bool:
        budgets = self.scene.cluster.evictions.budgets_of(pod)
        return is_held(pod, now_ms) or any(b.status.disruptions_allowed <= 0 for b in budgets)


def is_true(claim: NodeClaim, kind: str) -> bool:
    """Tell whether a claim's condition is true."""
    return any(one.type == kind and one.status == "True" for one in claim.status.conditions)


def is_at_rest(api: ApiServer, ec2: Ec2) -> bool:
    """Tell whether nothing is on its way: pods run, claims are nodes, and machines are claimed."""
    if any(pod.status.phase not in ("Running", *PHASE_ENDED) for pod in api.each(PODS)):
        return False
    owned = set()
    for claim in api.each(NODE_CLAIMS):
        if claim.metadata.deletion_timestamp is not None or not is_true(claim, "Initialized"):
            return False
        owned.add(claim.status.provider_id)
    return all(one.provider_id in owned for one in ec2.instances.values() if one.state in ALIVE)


class Settled(Checker):
    """When trouble is over, all pods that can run do run, and nothing is left behind."""

    name = "settled"

    def conclude(self) -> None:
        """Look at how it all ended."""
        self._check_pods()
        for claim in self.api.each(NODE_CLAIMS):
            name = claim.metadata.name
            if claim.metadata.deletion_timestamp is None and not is_true(claim, "Initialized"):
                self.complain(f"NodeClaim {name} never became a node", f"nodeclaims/{name}")
        for node in self.api.each(NODES):
            name, provider_id = node.metadata.name, node.spec.provider_id
            if self.scene.ec2.is_gone(provider_id):
                self.complain(f"node {name} is there and its machine is gone", f"nodes/{name}")

    def _check_pods(self) -> None:
        pending = [
            pod
            for pod in self.api.each(PODS)
            if pod.status.phase not in ("Running", *PHASE_ENDED)
            and pod.metadata.deletion_timestamp is None
            and not pod.spec.scheduling_gates
        ]
        if not pending:
            return
        plan = self._plan()
        for pod in pending:
            key = key_of(pod.metadata)
            if pod.spec.node_name or key not in plan.unschedulable:
                self.complain(f"pod {key} could run and does not", f"pods/{key}")

    def _plan(self) -> Plan:
        now_ms = self.loop.now_ms()
        types = self.scene.ec2.market.instance_types(now_ms)
        world = build_world(self.api.each, types, now_ms)
        return solve(msgspec.structs.replace(world, node_overlays=()))
