"""Words are short, with units, `~` for estimates and `?` for what nobody knows."""

from datetime import UTC

import pytest

from nodewright.model.instance import NANO
from nodewright.view import words
from nodewright.view.values import BudgetRow, Next, NodeRow, PoolRow, Verb

NOW = 1_790_000_000_000
MINUTE = 60_000


@pytest.mark.parametrize(
    ("ms", "said"),
    [(0, "0s"), (38_000, "38s"), (90 * MINUTE, "1h"), (3 * 1440 * MINUTE, "3d"), (-5, "0s")],
)
def test_a_length_has_one_unit(ms, said):
    assert words.length(ms) == said
    assert words.age(NOW - ms, NOW) == said


def test_a_wait_counts_down():
    assert words.wait(NOW + 42_000, NOW) == "0:42"
    assert words.wait(NOW + 185 * MINUTE, NOW) == "3:05:00"
    assert words.wait(NOW + 5 * 1440 * MINUTE, NOW) == "5d"
    assert words.wait(NOW - 1, NOW) == "0:00"


def test_money_is_marked_and_unknown_is_no_zero():
    assert words.dollars(9 * NANO + NANO // 2) == "$9.50"
    assert words.dollars(NANO // 8, mark=True) == "~$0.125"
    assert words.dollars(-NANO // 4) == "-$0.250"
    assert words.dollars(None) == "?"
    assert words.per_month(NANO) == "$730"
    assert words.price(NodeRow("n")) == "?"
    assert words.price(NodeRow("n", price_nanousd_hour=NANO, price_is_estimate=True)) == "~1.000"


def test_amounts_are_short():
    assert [words.cores(one) for one in (250, 1500, 4000, 268_400)] == ["0.25", "1.5", "4", "268"]
    assert words.memory(1536 * 1024**2 * 1000) == "1.5Gi"
    assert words.memory(0) == "0"
    assert words.percent(None) == "?"
    assert words.clock(0, UTC) == "00:00:00"
    assert words.moment(NOW, NOW, UTC) == words.clock(NOW, UTC)[:5]
    assert words.moment(NOW + 1440 * MINUTE, NOW, UTC)[:3] in "MonTueWedThuFriSatSun"


def test_pods_are_counted_with_those_on_their_way():
    assert words.count_pods(NodeRow("n", pods=3, pods_max=58)) == "3/58"
    assert words.count_pods(NodeRow("n", pods=3, pods_max=58, pods_expected=2)) == "3+2/58"
    assert words.count_pods(NodeRow("c", is_node=False, pods_expected=4)) == "4 →"


def test_what_becomes_of_a_node_has_its_verb_its_reason_and_when():
    def said(state="Ready", detail="", **following):
        row = NodeRow("n", state=state, state_detail=detail, next=Next(**following))
        return words.following(row, NOW)

    assert said(verb=Verb.KEEP, code="NW-4202", reason="NothingCheaper") == (
        "keep: nothing cheaper NW-4202"
    )
    assert said(verb=Verb.GO, code="NW-4301", reason="Empty", until_ms=NOW + 9_000) == (
        "go in 0:09: empty NW-4301"
    )
    assert said(verb=Verb.KEEP, code="NW-4104", reason="TooBusy", until_ms=NOW + 9_000) == (
        "keep 0:09: too busy NW-4104"
    )
    assert said(verb=Verb.KEEP, code="NW-4009", blockers=("a/b", "pdb/a/web")) == (
        "keep: pdb/a/web NW-4009"
    )
    assert said("Draining", "waiting for pods", verb=Verb.GO) == "waits: pods"
    assert said() == "?"


def test_a_budget_says_what_is_left_or_until_when_it_is_closed():
    def said(**traits):
        one = BudgetRow("Empty", **{"allowed": 3, "free": 1, "used": 2, "total": 9, **traits})
        return words.budget(PoolRow("p", budgets=(one,)), NOW)

    assert said() == "1 of 3 left"
    assert said(free=None) == "no budget"
    assert said(broken="oops") == "broken: oops"
    assert said(free=0, closed_by="0") == "closed by 0"
    assert said(free=0, closed_by="0", opens_ms=NOW).startswith("closed until ")
    paused = PoolRow("p", paused_until_ms=NOW + 1, pause_reason="release")
    assert words.budget(paused, NOW) == "paused: release"
