"""Autoscalers that each break one promise, to prove that somebody notices."""

import msgspec

from nodewright.app.run import CONTROLLERS
from nodewright.controllers.disruption import Disruption
from nodewright.controllers.loop import run_all
from nodewright.controllers.ports import Memory, Settings
from nodewright.model.labels import TERMINATION_FINALIZER
from nodewright.model.resource import NODE_CLAIMS, NODES, PODS, refer
from nodewright.ports.cloud import LaunchRequest
from nodewright.ports.kube import Options
from nodewright.sim.checkers.machines import must_leave
from nodewright.state.mirror import BY_NODE, BY_PROVIDER_ID
from scenarios.stub import Stub


class ForgetsMachines(Stub):
    """Lets claims go without ending their machines, and never collects."""

    async def terminate(self, claim):
        ref = refer(NODE_CLAIMS, claim)
        await self.ports.kube.remove_finalizer(ref, claim, TERMINATION_FINALIZER)

    async def collect_loop(self):
        return


class LaunchesTwice(Stub):
    """Asks with a new token each time, as if it had never asked before."""

    async def launch(self, claim):
        launch = self.ports.cloud.launch

        async def twice(request: LaunchRequest):
            await launch(msgspec.structs.replace(request, token=f"{request.token}-again"))
            return await launch(request)

        self.ports = self.ports._replace(cloud=Wrapped(self.ports.cloud, launch=twice))
        await super().launch(claim)


class Wrapped:
    """A port with some of its methods replaced."""

    def __init__(self, port, **methods):
        self._port = port
        self.__dict__.update(methods)

    def __getattr__(self, name):
        return getattr(self._port, name)


class IgnoresLimits(Stub):
    """Plans as if the pools had no limits."""

    async def provision(self):
        mirror = self.mirror

        def everything(resource):
            found = mirror.all(resource)
            if resource.kind != "NodePool":
                return found
            return tuple(
                msgspec.structs.replace(pool, spec=msgspec.structs.replace(pool.spec, limits=None))
                for pool in found
            )

        self.mirror = Wrapped(mirror, all=everything)
        try:
            await super().provision()
        finally:
            self.mirror = mirror


class DoesNotDrain(Stub):
    """Takes full nodes away at once, whatever runs there."""

    async def shrink(self, claim):
        await self.ports.kube.delete(refer(NODE_CLAIMS, claim))

    async def drained(self, node, now_ms):
        del node, now_ms
        return True


class DeletesPods(Stub):
    """Drains by deleting pods, and asks no budget."""

    async def shrink(self, claim):
        await self.ports.kube.delete(refer(NODE_CLAIMS, claim))

    async def drained(self, node, now_ms):
        waiting = [
            pod
            for pod in self.mirror.find(PODS, BY_NODE, node.metadata.name)
            if must_leave(pod, now_ms)
        ]
        for pod in waiting:
            await self.ports.kube.delete(refer(PODS, pod), Options(grace_s=1))
        return not waiting


class EvictsTheHeld(Stub):
    """Evicts pods that say do-not-disrupt."""

    async def shrink(self, claim):
        await self.ports.kube.delete(refer(NODE_CLAIMS, claim))

    async def drained(self, node, now_ms):
        del now_ms
        for pod in self.mirror.find(PODS, BY_NODE, node.metadata.name):
            await self.ports.kube.evict(refer(PODS, pod))
        return False


class SaysNothing(Stub):
    """Never tells a pod why it waits."""

    async def provision(self):
        kube = self.ports.kube
        self.ports = self.ports._replace(kube=Wrapped(kube, publish=lambda _: True))
        try:
            await super().provision()
        finally:
            self.ports = self.ports._replace(kube=kube)


class NeverGivesUp(Stub):
    """Waits for ever for nodes that do not register."""

    async def register(self, claim):
        if claim.status.node_name or self.mirror.find_node(claim):
            await super().register(claim)

    def __init__(self, ports):
        super().__init__(ports)
        plain = ports.mirror

        def find_node(claim):
            return plain.find(NODES, BY_PROVIDER_ID, claim.status.provider_id)

        self.mirror = Wrapped(plain, find_node=find_node)


class HoldsOn(Stub):
    """Never takes its finalizer off a claim."""

    async def terminate(self, claim):
        del claim


class LooksOnce(Stub):
    """Provisions once and never again."""

    provisioned = False

    async def provision(self):
        if not self.provisioned:
            self.provisioned = True
            await super().provision()


class Crashes(Stub):
    """Has a bug."""

    async def provision(self):
        raise ZeroDivisionError


class Greedy(Disruption):
    """Takes every budget for one that allows everything."""

    def look(self):
        world = super().look()
        open_wide = [
            msgspec.structs.replace(
                pool,
                spec=msgspec.structs.replace(
                    pool.spec,
                    disruption=msgspec.structs.replace(pool.spec.disruption, budgets=()),
                ),
            )
            for pool in world.node_pools
        ]
        return msgspec.structs.replace(world, node_pools=tuple(open_wide))


class Heedless(Disruption):
    """Takes every pod for one that nobody makes anew, and so knows no replicas."""

    def look(self):
        world = super().look()
        bare = [
            msgspec.structs.replace(
                pod, metadata=msgspec.structs.replace(pod.metadata, owner_references=())
            )
            for pod in world.pods
        ]
        return msgspec.structs.replace(world, pods=tuple(bare))


class Forgetful(Disruption):
    """Remembers nothing of what it has done."""

    def beside(self, world):
        found = super().beside(world)
        known = msgspec.structs.replace(found.disruption, gone_ms={})
        return msgspec.structs.replace(found, disruption=known)


def disrupting(kind):
    """Run our own controllers, with another disruption."""

    async def main(ports):
        memory = Memory()
        kinds = [kind if one is Disruption else one for one in CONTROLLERS]
        await run_all([one(ports, memory, Settings()) for one in kinds], is_strict=True)

    return main


greedy = disrupting(Greedy)
heedless = disrupting(Heedless)
forgetful = disrupting(Forgetful)


def running(kind):
    """Give the entry point of a kind of stub."""

    async def main(ports):
        await kind(ports).run()

    return main


crashing = running(Crashes)
never_gives_up = running(NeverGivesUp)
