"""Joining: the short way in gives the same answers as the long one."""

import pytest

from builders import a_pod, a_pool, a_spread, a_term, a_type, an_offering, pods, want
from builders.solving import a_board
from nodewright.core.scheduling.board import Fitting
from nodewright.core.scheduling.joining import MANY, Joining
from nodewright.model.labels import HOSTNAME, INSTANCE_TYPE, ZONE

WEB = {"app": "web"}


def opened(*things):
    """A board with one pod of the first shape on a draft."""
    board, shapes = a_board(*things)
    shape = shapes[0]
    draft = board.new_draft(board.supplies[0])
    fitting = board.on_draft(shape, shape.ladder[0], draft)
    assert isinstance(fitting, Fitting)
    board.put_on_draft(shape, 0, draft, fitting)
    return board, shape, draft


@pytest.mark.parametrize(
    ("easy", "things"),
    [
        (True, [a_pod(cpu=1)]),
        (True, [a_pod(cpu=1, selector={ZONE: "zone-a"})]),
        (True, [a_pod(cpu=1, labels=WEB, spread=[a_spread()])]),
        (True, [a_pod(cpu=1, labels=WEB, apart=[a_term(HOSTNAME)])]),
        (False, [a_pod(cpu=1, ports=[80])]),
        (
            False,
            [
                a_pod(cpu=1),
                a_pool(requirements=[want(INSTANCE_TYPE, "Exists", at_least=1)]),
            ],
        ),
    ],
)
def test_a_pod_joins_its_like_easily_unless_it_brings_something_new(easy, things):
    board, shape, draft = opened(*things, a_type())
    assert Joining(board).is_easy(draft.state, shape.ladder[0]) is easy


def test_a_pod_that_narrows_the_draft_does_not_join_easily():
    board, shapes = a_board(a_pod(cpu=1, selector={ZONE: "zone-a"}), a_type())
    start = board.tables[board.supplies[0]].start
    assert not Joining(board).is_easy(start, shapes[0].ladder[0])


def test_reserved_capacity_is_never_joined_easily():
    reserved = a_type(offerings=[an_offering(reservation="cr", left=1), an_offering()])
    board, shape, draft = opened(a_pod(cpu=1), reserved)
    assert not Joining(board).is_easy(draft.state, shape.ladder[0])


@pytest.mark.parametrize(
    ("room", "pod"),
    [
        (MANY, {}),
        (0, {"apart": [a_term(HOSTNAME)]}),
        (0, {"spread": [a_spread(HOSTNAME)]}),
        (2, {"spread": [a_spread(HOSTNAME, 3)]}),
        (0, {"spread": [a_spread()]}),
        (4, {"spread": [a_spread(skew=5)]}),
        (MANY, {"near": [a_term(ZONE)]}),
        (MANY, {"spread": [a_spread(selector=None)]}),
    ],
)
def test_neighbours_say_how_many_more_may_join(room, pod):
    board, shape, draft = opened(pods(9, cpu="100m", labels=WEB, **pod), a_type())
    assert Joining(board).room(draft, shape.ladder[0]) == room
    fitting = board.on_draft(shape, shape.ladder[0], draft)
    assert isinstance(fitting, Fitting) is (room > 0)
