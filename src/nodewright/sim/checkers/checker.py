"""What a checker is: it watches the world, and says in one sentence what must not have happened."""

from collections.abc import Callable

import msgspec

from nodewright.sim.cloud.ec2 import Ec2
from nodewright.sim.cluster import Cluster
from nodewright.sim.ground import Ground
from nodewright.sim.process import CONTROLLER


class Violation(msgspec.Struct, frozen=True):
    """A promise that was broken: which, when, by what, about what."""

    checker: str
    instant_ms: int
    sentence: str
    subjects: tuple[str, ...] = ()


class Scene(msgspec.Struct, frozen=True):
    """What checkers may look at, and where they complain."""

    ground: Ground
    cluster: Cluster
    ec2: Ec2
    complain: Callable[[str, str, tuple[str, ...]], None]


class Checker:
    """Watches for one kind of broken promise.

    It listens to changes as they happen, is asked to look over everything once a virtual minute, and
    once more at the end, when all faults are over and the world has had time to settle.
    """

    name = ""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.api = scene.ground.api
        self.loop = scene.ground.loop

    def look(self) -> None:
        """Look over everything that has no single moment."""

    def conclude(self) -> None:
        """Look at how it all ended."""

    def complain(self, sentence: str, *subjects: str) -> None:
        """Say what is wrong."""
        self.scene.complain(self.name, sentence, subjects)


def is_controller(actor: str) -> bool:
    """Tell whether the controller under test did something, and not the cluster itself."""
    return actor.startswith(CONTROLLER)
