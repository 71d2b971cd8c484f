"""Drafts: what a node in the making may still be only ever narrows, and can be put back."""

from builders import a_pod, a_pool, a_type, a_volume, a_volume_claim, want
from builders.solving import a_board
from nodewright.core.scheduling.drafts import State
from nodewright.model.labels import ARCH, ZONE
from nodewright.model.reason import Reason


def start_of(*things):
    board, shapes = a_board(*things)
    return board.tables[board.supplies[0]].start, [shape.ladder[0] for shape in shapes]


def test_a_wish_narrows_the_state_and_the_ways_to_buy():
    start, (wish,) = start_of(a_pod(selector={ZONE: "zone-b"}), a_type())
    merged = start.merge(wish, 0)
    assert isinstance(merged, State)
    assert merged.value(ZONE) == "zone-b"
    assert start.value(ZONE) is None
    assert merged.bits.bit_count() == 1
    assert start.bits.bit_count() == 3


def test_states_that_agree_are_the_same_object():
    start, wishes = start_of(
        a_pod("a", selector={ZONE: "zone-b"}),
        a_pod("b", terms=[[want(ZONE, "In", "zone-b")]], labels={"x": "y"}),
        a_type(),
    )
    one, other = (start.merge(wish, 0) for wish in wishes)
    assert one is other
    assert start.pin(ZONE, "zone-b") is one
    assert one.merge(wishes[0], 0) is one


def test_a_wish_that_asks_for_nothing_leaves_the_state_alone():
    start, (wish,) = start_of(a_pod(), a_type())
    assert start.merge(wish, 0) is start


def test_a_wish_that_cannot_be_merged_says_which_rule():
    arm = a_pool(requirements=[want(ARCH, "In", "arm64")])
    claim, volume = a_volume_claim(volume="v"), a_volume("v", zones=["zone-z"])
    start, wishes = start_of(
        a_pod("clash", selector={ARCH: "amd64"}),
        a_pod("unknown", selector={"team": "a"}),
        a_pod("impossible", terms=[[want(ZONE, "In", "a"), want(ZONE, "NotIn", "a")]]),
        a_pod("apart", selector={ZONE: "zone-a"}, claims=[claim]),
        claim,
        volume,
        arm,
        a_type(labels={ARCH: "arm64"}),
    )
    assert [start.merge(wish, 0) for wish in wishes] == [
        Reason.LABELS_CLASH,
        Reason.LABEL_UNDEFINED,
        Reason.LABELS_CLASH,
        Reason.VOLUME_ELSEWHERE,
    ]


def test_a_label_may_be_held_to_a_few_values():
    start, _ = start_of(a_pod(), a_type())
    held = start.pin(ZONE, "zone-a", "zone-c")
    assert held.value(ZONE) is None
    assert held.bits.bit_count() == 2


def test_a_copy_shares_nothing_that_changes():
    board, (shape,) = a_board(a_pod(cpu=1), a_type())
    draft = board.new_draft(board.supplies[0])
    board.put_on_draft(shape, 0, draft, board.on_draft(shape, shape.ladder[0], draft))
    copy = draft.copy()
    draft.empty(board.tables[draft.supply].start, {})
    assert (draft.pod_count, copy.pod_count) == (0, 1)
    assert copy.loads == {(shape, 0): 1}
    draft.restore(copy)
    assert draft.totals == copy.totals
    assert draft.totals is not copy.totals
