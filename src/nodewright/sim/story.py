"""The story of a failure: of all that happened, only what touches the things that went wrong."""

from nodewright.model.resource import NODE_CLAIMS, NODES, PODS
from nodewright.sim.checkers.checker import Violation
from nodewright.sim.history import Line
from nodewright.sim.simulation import Simulation

_ALWAYS = ("process", "checker")


def tell_story(sim: Simulation, violation: Violation, lines_max: int) -> list[str]:
    """Give the last lines about the subjects of a violation and what they hang together with."""
    subjects = related(sim, violation.subjects)

    def matters(line: Line) -> bool:
        return (
            line.subject in subjects
            or line.actor in _ALWAYS
            or (line.actor == "fault" and any(_bare(one) in line.subject for one in subjects))
        )

    return [str(line) for line in sim.ground.history.lines if matters(line)][-lines_max:]


def related(sim: Simulation, subjects: tuple[str, ...]) -> set[str]:
    """Give the subjects with their nodes, claims and machines."""
    found = set(subjects)
    for pod in sim.api.each(PODS):
        meta = pod.metadata
        if f"pods/{meta.namespace}/{meta.name}" in found and pod.spec.node_name:
            found.add(f"nodes/{pod.spec.node_name}")
    for node in sim.api.each(NODES):
        names = {f"nodes/{node.metadata.name}", node.spec.provider_id}
        if names & found:
            found |= names
    for claim in sim.api.each(NODE_CLAIMS):
        names = {f"nodeclaims/{claim.metadata.name}", claim.status.provider_id} - {""}
        if names & found:
            found |= names
    return found


def _bare(subject: str) -> str:
    return subject.rpartition("/")[2] or subject
