"""A snapshot is shown at once, and its nodes and waiting pods are judged after that."""

from builders.views import small_world
from nodewright.app.viewing_snapshot import SnapshotSource
from nodewright.state.snapshot import Snapshot
from nodewright.state.writing import SnapshotMetadata


async def test_it_is_shown_before_it_is_judged():
    taken = Snapshot(small_world(), SnapshotMetadata(name="shop"), ("odd",))
    source = SnapshotSource(lambda: taken, "file")
    shown = []
    lay = source.desk.lay
    source.desk.lay = lambda view: (shown.append(view), lay(view))
    await source.run()

    reading, first, last = shown
    assert reading.problems == ("reading the snapshot",)
    assert (first.is_complete, first.head.nodes, first.nodes[0].next.code) == (False, 5, "")
    assert (last.is_complete, last.problems) == (True, ("odd",))
    assert last.origin.name == "shop"
    assert all(row.next.code for row in last.nodes)
    assert last.pending[0].code == "NW-1204"
    assert source.world() is taken.world
    assert not source.set_pace(2.0)
