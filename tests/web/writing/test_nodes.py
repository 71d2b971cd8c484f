"""The table of nodes: whoever looked before gets what is new, and nothing is lost between."""

from hypothesis import given
from hypothesis import strategies as st

from nodewright.view.values import NodeRow, Origin, View
from nodewright.web.writing.nodes import Asked, Ledger, write_nodes

LOOKS = st.lists(
    st.dictionaries(st.sampled_from("abcde"), st.integers(0, 2), max_size=5), min_size=1, max_size=8
)


def rows(look):
    return tuple(NodeRow(name, pods=count) for name, count in look.items())


def as_dict(found):
    return dict(zip(found.name, found.pods, strict=True))


@given(LOOKS, st.data())
def test_what_was_known_and_what_is_new_make_what_is_there(looks, data):
    ledger, known = Ledger(), None
    for revision, look in enumerate(looks, 1):
        view = View(0, Origin("live"), nodes=rows(look))
        ledger.note(view.nodes, revision)
        if known is None or data.draw(st.booleans()):
            found = write_nodes(view, ledger, Asked(known[0] if known else 0), {})
            before = {} if found.whole else known[1]
            now = {k: v for k, v in before.items() if k not in found.gone} | as_dict(found)
            assert now == look
            known = (found.revision, now)


def test_rows_that_did_not_change_are_not_sent_again():
    ledger, same = Ledger(), NodeRow("same")
    ledger.note((same, NodeRow("other")), 10)
    ledger.note((same, NodeRow("other", pods=1)), 11)

    news, gone = ledger.news(10)
    assert [one.name for one in news] == ["other"]
    assert gone == ()


def test_a_revision_that_is_too_old_or_not_ours_gets_everything():
    ledger = Ledger()
    ledger.note((NodeRow("a"),), 10)

    assert ledger.news(9) is None
    assert ledger.news(11) is None


def test_labels_are_given_as_columns():
    view = View(0, Origin("live"), nodes=(NodeRow("a"), NodeRow("b")))
    ledger = Ledger()
    ledger.note(view.nodes, 1)

    found = write_nodes(view, ledger, Asked(labels=("team",)), {"a": {"team": "x", "zone": "z"}})
    assert found.labels == {"team": ("x", "")}
    assert found.label_keys == ("team", "zone")
