"""Pods that wait: one card a cause, with the way through every pool."""

from nodewright.web.answers.shared import Answer, Place, Step


class Miss(Answer, frozen=True):
    """The type that came nearest."""

    instance_type: str
    resource: str
    needs: str
    has: str
    short: str
    text: str


class PoolFunnel(Answer, frozen=True):
    """What one pool said to a pod."""

    name: str
    funnel: tuple[Step, ...]
    code: str = ""
    reason: str = ""
    nearest_miss: Miss | None = None
    makes: Place | None = None


class StoppedNodes(Answer, frozen=True):
    """How many nodes one rule keeps a pod off, and an example."""

    code: str
    reason: str
    nodes: int
    example: str
    most_free: str = ""


class Help(Answer, frozen=True):
    """The smallest change that would give a pod a place, as words and as commands to copy."""

    text: str
    commands: tuple[str, ...]
    place: Place
    extra_per_hour: float


class PendingCause(Answer, frozen=True):
    """One cause that keeps pods waiting; funnel, nodes and help are those of `example`.

    `pods` are at most a hundred of `podCount`.
    """

    code: str
    title: str
    summary: str
    deferred: bool
    pod_count: int
    pods: tuple[str, ...]
    example: str
    asks: str
    owner: str
    since: str | None
    node_pools: tuple[PoolFunnel, ...]
    existing_nodes: int
    existing_takes: tuple[str, ...]
    existing_stopped: tuple[StoppedNodes, ...]
    help: Help | None


class Placing(Answer, frozen=True):
    """Waiting pods that get a place: on a node that is there, or on one that is to be made."""

    place: Place
    pod_count: int
    pods: tuple[str, ...]
    also_fits: tuple[str, ...] = ()


class Pending(Answer, frozen=True):
    """Pods that wait, one card a cause, and those that get a place."""

    revision: int
    at: str
    pods: int
    causes: tuple[PendingCause, ...]
    placing: tuple[Placing, ...]
