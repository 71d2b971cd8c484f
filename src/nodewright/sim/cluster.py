"""A whole cluster: the API server with everything that runs on a control plane and on nodes."""

from collections.abc import Callable
from typing import Final

from nodewright.model.metadata import ObjectMeta
from nodewright.model.pod import Namespace
from nodewright.model.resource import NAMESPACES
from nodewright.sim.budgets import DisruptionController
from nodewright.sim.collector import Collector
from nodewright.sim.daemons import DaemonSetController
from nodewright.sim.evictions import Evictions
from nodewright.sim.ground import Ground
from nodewright.sim.jobs import CronJobController, JobController
from nodewright.sim.kubelet import Kubelets, Pace
from nodewright.sim.nodelife import NodeControllers
from nodewright.sim.scheduler.scheduler import Scheduler
from nodewright.sim.stateful import StatefulSetController
from nodewright.sim.volumes import Volumes
from nodewright.sim.workloads import DeploymentController, ReplicaSetController

_NAMESPACES: Final = ("default", "kube-system")


class Cluster:
    """A control plane with its controllers, scheduler and kubelets."""

    def __init__(
        self,
        ground: Ground,
        pace: Pace | None = None,
        zones: tuple[str, ...] = ("zone-a",),
        is_gone: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.ground = ground
        self.api = ground.api
        self.loop = ground.loop
        self.evictions = Evictions(ground.api)
        self.collector = Collector(ground)
        self.budgets = DisruptionController(ground)
        self.volumes = Volumes(ground, zones)
        self.scheduler = Scheduler(ground, self.volumes, self.evictions)
        self.kubelets = Kubelets(ground, pace)
        self.kubelets.volumes_ready = self.volumes.are_ready
        self.nodes = NodeControllers(ground, is_gone)
        self.kubelets.on_silence = self.nodes.heard
        self.workloads = (
            DeploymentController(ground),
            ReplicaSetController(ground),
            StatefulSetController(ground),
            DaemonSetController(ground),
            JobController(ground),
            CronJobController(ground),
        )
        for name in _NAMESPACES:
            self.add_namespace(name)

    def add_namespace(self, name: str, **labels: str) -> None:
        """Have a namespace, with the label that each gets."""
        if self.api.get(NAMESPACES, name) is None:
            meta = ObjectMeta(name=name, labels={**labels, "kubernetes.io/metadata.name": name})
            self.api.create(NAMESPACES, Namespace(metadata=meta), "setup")

    def run_for(self, duration_ms: int) -> None:
        """Let virtual time pass."""
        self.loop.run_until_complete(self.loop.sleep_ms(duration_ms))
