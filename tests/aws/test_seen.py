"""Memory that nodes have shown, by type and image."""

import json

from builders.awsclients import Hurried
from nodewright.aws.seen import DAY_MS, KEPT_MS, LOOK_MS, NOTED_DAYS, SeenMemory
from nodewright.model.cloudview import SeenNode
from nodewright.model.ec2nodeclass import AMIStatus

ONE, TWO = AMIStatus(id="ami-1"), AMIStatus(id="ami-2")


class Cluster:
    """Nodes that come and go, and the memory that they have left behind."""

    def __init__(self):
        self.clock = Hurried()
        self.nodes = []
        self.asked = 0
        self.seen = SeenMemory(self.clock, self.tell)

    def tell(self):
        self.asked += 1
        return self.nodes

    def look(self, *images):
        self.clock.now += LOOK_MS
        return dict(self.seen.of(images))


def test_the_smallest_that_was_seen_counts():
    cluster = Cluster()
    for memory, expected in ((70, 70), (60, 60), (80, 60)):
        cluster.nodes = [SeenNode("m5.large", "ami-1", memory)]

        assert cluster.look(ONE) == {"m5.large": expected}


def test_other_images_have_other_memory():
    cluster = Cluster()
    cluster.nodes = [SeenNode("m5.large", "ami-1", 70), SeenNode("m5.large", "ami-2", 60)]

    assert cluster.look(ONE) == {"m5.large": 70}
    assert cluster.look(ONE, TWO) == {"m5.large": 60}
    assert cluster.look() == {}


def test_it_is_kept_for_sixty_days_after_the_last_node():
    cluster = Cluster()
    cluster.nodes = [SeenNode("m5.large", "ami-1", 70)]
    cluster.look(ONE)
    cluster.nodes = []
    cluster.clock.now += KEPT_MS - 2 * LOOK_MS

    assert cluster.look(ONE) == {"m5.large": 70}
    assert cluster.look(ONE) == {}


def test_nodes_are_looked_at_now_and_then():
    cluster = Cluster()
    cluster.look(ONE)
    cluster.seen.of([ONE])

    assert cluster.asked == 1


def test_a_process_that_starts_learns_from_the_nodes_that_are_there():
    before = Cluster()
    before.nodes = [SeenNode("m5.large", "ami-1", 70), SeenNode("m5.large", "ami-1", 60)]
    known = before.look(ONE)
    after = Cluster()
    after.nodes = before.nodes

    assert dict(after.seen.of([ONE])) == known == {"m5.large": 60}


def test_what_was_noted_on_a_class_outlives_nodes_and_processes():
    before = Cluster()
    before.nodes = [SeenNode("m5.large", "ami-1", 70_000), SeenNode("c5.large", "ami-2", 40_000)]
    before.look(ONE)
    note = before.seen.note([ONE], "")
    after = Cluster()
    after.seen.recall(note)

    assert after.look(ONE, TWO) == {"m5.large": 70_000}
    after.clock.now += KEPT_MS
    assert after.look(ONE) == {}


def test_a_note_is_written_anew_only_when_it_says_something_else():
    cluster = Cluster()
    cluster.nodes = [SeenNode("m5.large", "ami-1", 70_000)]
    note = cluster.seen.note([ONE], "")

    assert json.loads(note) == {"ami-1": {"m5.large": [70, cluster.clock.now // DAY_MS]}}
    cluster.look(ONE)
    assert cluster.seen.note([ONE], note) == note
    cluster.nodes = [SeenNode("m5.large", "ami-1", 60_000)]
    cluster.look(ONE)
    smaller = cluster.seen.note([ONE], note)
    assert '"m5.large":[60,' in smaller
    cluster.clock.now += NOTED_DAYS * DAY_MS
    cluster.look(ONE)
    assert cluster.seen.note([ONE], smaller) not in (smaller, "")


def test_a_note_that_nobody_can_read_is_as_good_as_none(caplog):
    cluster = Cluster()
    cluster.seen.recall("[]")

    assert cluster.look(ONE) == {}
    assert "cannot be read" in caplog.text
    assert cluster.seen.note([ONE], "[]") == "[]"
