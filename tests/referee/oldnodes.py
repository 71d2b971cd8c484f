"""Existing and in-flight nodes: what is left of them, and whom they let in."""

from collections.abc import Iterator

from referee.amounts import lacking, total, untolerated
from referee.board import Board
from referee.daemons import daemons_still_to_come, sum_of
from referee.labels import pod_accepts
from referee.newnodes import judge_ports
from referee.places import OldPlace
from referee.verdict import Violation


def judge_old_nodes(board: Board) -> Iterator[Violation]:
    """Everything that is wrong with the pods put on nodes that are there already."""
    yield from board.faults
    for place in board.old:
        if place.pods:
            yield from _judge_node(place, board)


def _judge_node(place: OldPlace, board: Board) -> Iterator[Violation]:
    if place.is_leaving:
        yield Violation("leaving", place.name, "is being deleted and takes no pods")
    for pod in place.pods:
        for taint in untolerated(pod, place.taints):
            yield Violation("taint", pod.key, f"does not tolerate {taint.key} of {place.name}")
        if not pod_accepts(pod, place.labels, place.node.metadata.name if place.node else ""):
            yield Violation("labels", pod.key, f"refuses the labels of {place.name}")
    yield from judge_ports(place.name, place.pods, place.bound)
    need = total(
        (sum_of(place.pods), sum_of(place.bound), daemons_still_to_come(place, board.daemons))
    )
    asked = sum_of(place.pods)
    short = [name for name in lacking(need, place.allocatable) if asked.get(name, 0)]
    if short:
        yield Violation("fit", place.name, f"has too little {', '.join(short)} left")
