"""Promises about machines: each has an owner, a claim has one, limits hold, drains come first."""

from typing import Final

from nodewright.core.scheduling.rules.taints import first_untolerated
from nodewright.model.instant import parse_instant
from nodewright.model.labels import DISRUPTED_TAINT, REGISTERED
from nodewright.model.metadata import Taint
from nodewright.model.pod import Pod
from nodewright.model.quantity import MILLI, Milli, add, parse_resources, print_quantity
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, NODES, key_of
from nodewright.sim.apiserver import DELETED, Change, ends_at_ms
from nodewright.sim.checkers.checker import Checker, Scene, is_controller
from nodewright.sim.cloud.ec2 import Instance
from nodewright.sim.cloud.provider import ASKED, CLAIM_TAG, CLAIM_UID_TAG, POOL_TAG
from nodewright.sim.objects import PHASE_ENDED

ORPHAN_MS: Final = 360_000
DEADLINE: Final = "karpenter.sh/nodeclaim-termination-timestamp"
ALIVE: Final = ("pending", "running")
_DISRUPTED: Final = Taint(key=DISRUPTED_TAINT, effect="NoSchedule")


class OwnedMachines(Checker):
    """No machine stays without a claim beyond the grace."""

    name = "owned-machines"

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._alone_since: dict[str, int] = {}

    def look(self) -> None:
        """Look for machines that nobody owns."""
        now_ms = self.loop.now_ms()
        for machine in self._alone():
            since_ms = self._alone_since.setdefault(machine.provider_id, now_ms)
            if now_ms - since_ms > ORPHAN_MS:
                minutes = (now_ms - since_ms) // 60_000
                self.complain(
                    f"machine {machine.provider_id} has had no NodeClaim for {minutes} minutes",
                    machine.provider_id,
                )

    def conclude(self) -> None:
        """Look for machines that were left behind."""
        for machine in self._alone():
            self.complain(
                f"machine {machine.provider_id} was left behind without a NodeClaim",
                machine.provider_id,
            )

    def _alone(self) -> list[Instance]:
        owned = {claim.status.provider_id for claim in self.api.each(NODE_CLAIMS)}
        alone = [
            one
            for one in self.scene.ec2.instances.values()
            if one.state in ALIVE
            and one.provider_id not in owned
            and self.api.get(NODE_CLAIMS, one.tags.get(CLAIM_TAG, "")) is None
        ]
        kept = {one.provider_id for one in alone}
        for provider_id in [one for one in self._alone_since if one not in kept]:
            del self._alone_since[provider_id]
        return alone


class OneLaunch(Checker):
    """No claim has two machines."""

    name = "one-launch"

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._by_claim: dict[str, list[Instance]] = {}
        scene.ec2.on_launch.append(self._launched)

    def _launched(self, machine: Instance) -> None:
        claim = machine.tags.get(CLAIM_UID_TAG, "")
        if not claim:
            return
        earlier = [one for one in self._by_claim.get(claim, ()) if one.state in ALIVE]
        self._by_claim[claim] = [*earlier, machine]
        if earlier:
            self.complain(
                f"NodeClaim {machine.tags.get(CLAIM_TAG)} has two machines: "
                f"{earlier[0].provider_id} and {machine.provider_id}",
                earlier[0].provider_id,
                machine.provider_id,
                f"nodeclaims/{machine.tags.get(CLAIM_TAG)}",
            )


class Limits(Checker):
    """No NodePool has more than its limits allow; what is going away does not count any more."""

    name = "limits"

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        scene.ec2.on_launch.append(self._launched)

    def _launched(self, machine: Instance) -> None:
        pool = self.api.get(NODE_POOLS, machine.tags.get(POOL_TAG, ""))
        if pool is None or not pool.spec.limits:
            return
        used: dict[str, Milli] = {}
        for one in self.scene.ec2.instances.values():
            if one.tags.get(POOL_TAG) == pool.metadata.name and self._is_active(one):
                used = add(used, one.type.capacity, {"nodes": MILLI})
        for name, most in parse_resources(pool.spec.limits).items():
            if used.get(name, 0) > most:
                self.complain(
                    f"NodePool {pool.metadata.name} has {print_quantity(used[name], name)} of "
                    f"{name}, and its limit is {print_quantity(most, name)}",
                    machine.provider_id,
                )

    def _is_active(self, machine: Instance) -> bool:
        claim = self.api.get(NODE_CLAIMS, machine.tags.get(CLAIM_TAG, ""))
        if claim is None or machine.state not in ALIVE:
            return False
        return claim.metadata.deletion_timestamp is None


class DrainedFirst(Checker):
    """No node that runs pods is taken away undrained, unless its grace ran out."""

    name = "drained-first"

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        scene.ec2.on_end.append(self._ended)
        self.api.listen(NODES, self._node_changed)

    def _ended(self, machine: Instance) -> None:
        if machine.ended_by == ASKED:
            node = next(
                (n for n in self.api.each(NODES) if n.spec.provider_id == machine.provider_id), None
            )
            if node is not None and node.metadata.labels.get(REGISTERED) == "true":
                self._judge(node.metadata.name, machine.provider_id, "its machine was ended")

    def _node_changed(self, change: Change) -> None:
        if change.verb == DELETED and is_controller(change.actor):
            provider_id = change.new.spec.provider_id
            machine = self.scene.ec2.instances.get(provider_id)
            if machine is not None and machine.state in ALIVE:
                self._judge(change.key, provider_id, "it was removed")

    def _judge(self, node: str, provider_id: str, what: str) -> None:
        deadline_ms = self._deadline(provider_id)
        now_ms = self.loop.now_ms()
        if deadline_ms is not None and deadline_ms <= now_ms:
            return
        left = [pod for pod in self.scene.cluster.nodes.pods_on(node) if must_leave(pod, now_ms)]
        if left:
            self.complain(
                f"node {node} still ran {key_of(left[0].metadata)} when {what}",
                f"nodes/{node}",
                provider_id,
                f"pods/{key_of(left[0].metadata)}",
            )

    def _deadline(self, provider_id: str) -> int | None:
        for claim in self.api.each(NODE_CLAIMS):
            if claim.status.provider_id == provider_id:
                stamp = claim.metadata.annotations.get(DEADLINE)
                return parse_instant(stamp) if stamp else None
        return None


def must_leave(pod: Pod, now_ms: int) -> bool:
    """Tell whether a drain has to wait for a pod."""
    if pod.status.phase in PHASE_ENDED:
        return False
    if any(owner.kind in ("DaemonSet", "Node") for owner in pod.metadata.owner_references):
        return False
    if first_untolerated((_DISRUPTED,), pod.spec.tolerations) is None:
        return False
    if pod.metadata.deletion_timestamp is not None:
        return ends_at_ms(pod.metadata) > now_ms
    return True
