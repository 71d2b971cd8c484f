"""The table of the log: the row that says most wins, and the rest are details."""

import pytest

from builders import a_node, a_node_claim, a_pod
from nodewright.model.decision import Change, Delete, End, Evict, Launch, Release, Start, Tell
from nodewright.model.resource import NODE_CLAIMS, NODES, PODS, refer
from nodewright.observe.wording import DEBUG, INFO, Row, word, word_failure

CLAIM = a_node_claim()
ABOUT = refer(NODE_CLAIMS, CLAIM)
NODE = refer(NODES, a_node())


@pytest.mark.parametrize(
    ("decision", "row"),
    [
        (Delete(subject=ABOUT, reason="expired"), Row("disrupting nodeclaim")),
        (
            Delete(subject=ABOUT, reason="NodeDeleted"),
            Row("deleting nodeclaim of a deleted node", DEBUG),
        ),
        (
            End(subject=ABOUT, reason="Orphan", provider_id="x"),
            Row("terminating instance without a nodeclaim"),
        ),
        (
            End(subject=ABOUT, reason="Terminate", provider_id="x"),
            Row("terminating instance", DEBUG),
        ),
        (Tell(subject=NODE, reason="New", note="look", is_warning=True), Row("look", INFO)),
        (Tell(subject=NODE, reason="New", note="look"), Row("look", DEBUG)),
        (
            Tell(subject=ABOUT, reason="SpotInterrupted", note="it goes", is_warning=True),
            Row("it goes", DEBUG),
        ),
        (Change(subject=NODE, reason="Hash", change={}), Row("Change nodes/node", DEBUG)),
    ],
)
def test_the_row_that_says_most_wins(decision, row):
    assert word(decision) == row


@pytest.mark.parametrize(
    "decision",
    [
        Launch(subject=ABOUT, reason="x", claim=CLAIM),
        Start(subject=ABOUT, reason="x", claim=CLAIM),
        Change(subject=ABOUT, reason="x", change={}),
        Delete(subject=ABOUT, reason="x"),
        Evict(subject=refer(PODS, a_pod()), reason="x", node=NODE),
        End(subject=ABOUT, reason="x", provider_id="x"),
        Release(subject=ABOUT, reason="x", thing=CLAIM),
    ],
)
def test_whatever_can_fail_has_words_for_it(decision):
    assert word_failure(decision).startswith("could not ")
