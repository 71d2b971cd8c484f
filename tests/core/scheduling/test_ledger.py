"""The ledger: what is free on the machine that a draft pays for, in columns."""

import numpy as np

from builders import a_pod, a_pool, a_type, pods
from builders.solving import a_board
from nodewright.core.scheduling.ledger import Ledger


def a_ledger(*things, count=1, worth=(1.0, 0.0)):
    board, (shape,) = a_board(*things)
    for _ in range(count):
        draft = board.new_draft(board.supplies[0])
        board.put_on_draft(shape, 0, draft, board.on_draft(shape, shape.ladder[0], draft))
    return Ledger(board, np.array(worth)), board, shape


def test_a_draft_pays_for_the_cheapest_machine_that_holds_it():
    ledger, board, _ = a_ledger(a_pod(cpu=1), a_type("s", cpu=2), a_type("l", cpu=8))
    (draft,) = board.drafts
    assert draft.supply.types[ledger.paid_type(draft)].name == "s"
    assert ledger.free_row(0) == [1000, 109_000]


def test_the_limit_of_a_pool_bounds_what_is_paid_for():
    ledger, board, _ = a_ledger(
        a_pod(cpu=1),
        a_pool(limits={"cpu": 4}),
        a_type("cheap", cpu=8, price=0.01),
        a_type("s", cpu=4),
    )
    assert board.drafts[0].supply.types[ledger.paid_type(board.drafts[0])].name == "s"


def test_rows_follow_what_is_put_on_a_draft():
    ledger, board, shape = a_ledger(pods(3, cpu=1), a_type("s", cpu=2), a_type("l", cpu=8))
    (draft,) = board.drafts
    board.put_easily(shape, 0, draft, 2)
    board.freshen(draft)
    ledger.refresh(draft)
    assert ledger.free_row(0) == [5000, 107_000]


def test_roomy_rows_hold_a_size_without_paying_more():
    ledger, _, _ = a_ledger(pods(3, cpu=1), a_type(cpu=4), count=3)
    ledger.write_row(1, [500, 1000])
    assert ledger.roomy((3000, 1000)).tolist() == [True, False, True]
    assert ledger.roomy((0, 0)).tolist() == [True, True, True]


def test_the_tightest_rows_come_first():
    ledger, _, _ = a_ledger(pods(3, cpu=1), a_type(cpu=4), count=3)
    ledger.write_row(1, [500, 1000])
    everything = np.ones(3, dtype=np.bool_)
    assert ledger.tightest(everything) == [1, 0, 2]
    assert ledger.tightest(everything, 1) == [1]


def test_many_rows_are_written_at_once_and_the_columns_grow():
    ledger, _, _ = a_ledger(a_pod(cpu=1), a_type(cpu=4))
    ledger.write_rows(1, 400, [2000, 5000])
    assert ledger.rows == 401
    assert ledger.free_row(400) == [2000, 5000]
    assert int(ledger.roomy((2500, 0)).sum()) == 1
