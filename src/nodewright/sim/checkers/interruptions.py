"""Promises about machines that are taken back: their claims go in time, and their pods run elsewhere.

A warning may get lost, come twice or come late; the promise is about machines and not about messages.
Beside every other trouble a claim may go late, but it goes. Where nothing but messages goes wrong, the
node is empty before its machine ends, and soon its pods have all been replaced.
"""

from typing import Final

from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import NODE_CLAIMS, NODES, PODS, key_of
from nodewright.sim.checkers.checker import Checker, Scene
from nodewright.sim.checkers.machines import must_leave
from nodewright.sim.cloud.ec2 import BY_SPOT, Instance

HEEDED_MS: Final = 600_000
REPLACED_MS: Final = 240_000


class HeededWarnings(Checker):
    """The claim of a machine that is taken back does not stay."""

    name = "heeded-warnings"

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._warned_ms: dict[str, int] = {}
        scene.ec2.on_warning.append(self._warned)

    def _warned(self, machine: Instance) -> None:
        # One that never became a node is a claim that does not begin, which is another promise.
        if self._node(machine.provider_id):
            self._warned_ms.setdefault(machine.provider_id, self.loop.now_ms())

    def look(self) -> None:
        """Look for claims whose machines were taken back long ago."""
        late_ms = self.loop.now_ms() - HEEDED_MS
        for provider_id in [one for one, at_ms in self._warned_ms.items() if at_ms <= late_ms]:
            del self._warned_ms[provider_id]
            claim = self._claim(provider_id)
            if claim is not None and claim.metadata.deletion_timestamp is None:
                self.complain(
                    f"NodeClaim {claim.metadata.name} stays, and its machine was taken back "
                    f"{HEEDED_MS // 60_000} minutes ago",
                    provider_id,
                    f"nodeclaims/{claim.metadata.name}",
                )

    def _claim(self, provider_id: str) -> NodeClaim | None:
        claims = self.api.each(NODE_CLAIMS)
        return next((one for one in claims if one.status.provider_id == provider_id), None)

    def _node(self, provider_id: str) -> str:
        nodes = self.api.each(NODES)
        found = (one.metadata.name for one in nodes if one.spec.provider_id == provider_id)
        return next(found, "")


class ReplacedInTime(HeededWarnings):
    """A machine that is taken back is empty when it ends, and its pods have all been replaced soon."""

    name = "replaced-in-time"

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        scene.ec2.on_end.append(self._ended)

    def _warned(self, machine: Instance) -> None:
        super()._warned(machine)
        node = self._node(machine.provider_id)
        pods = self.scene.cluster.nodes.pods_on(node) if node else ()
        now_ms = self.loop.now_ms()
        owners = {
            owner.uid
            for pod in pods
            if must_leave(pod, now_ms)
            for owner in pod.metadata.owner_references
        }
        for owner in sorted(owners):
            count = self._running(owner)
            self.loop.after_ms(REPLACED_MS, self._judge, machine.provider_id, owner, count)

    def _ended(self, machine: Instance) -> None:
        node = self._node(machine.provider_id)
        if machine.ended_by != BY_SPOT or not node:
            return
        now_ms = self.loop.now_ms()
        pods = self.scene.cluster.nodes.pods_on(node)
        left = [one for one in pods if must_leave(one, now_ms)]
        if left:
            key = key_of(left[0].metadata)
            self.complain(
                f"node {node} still ran {key} when its machine was taken back",
                machine.provider_id,
                f"nodes/{node}",
                f"pods/{key}",
            )

    def _judge(self, provider_id: str, owner: str, count: int) -> None:
        found = self._running(owner)
        if found < count:
            self.complain(
                f"of {count} pods only {found} run {REPLACED_MS // 1000} s after the warning of "
                f"machine {provider_id}",
                provider_id,
            )

    def _running(self, owner: str) -> int:
        return sum(
            pod.status.phase == "Running"
            for pod in self.api.each(PODS)
            if any(one.uid == owner for one in pod.metadata.owner_references)
        )
