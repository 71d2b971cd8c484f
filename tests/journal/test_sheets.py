"""Sheets: what is written of Worlds one after the other is put together again as it was."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import a_node, a_pod, a_pool, a_type, a_world
from builders.lives import with_meta
from nodewright.journal.records import Look
from nodewright.journal.sheets import Damaged, SheetReader, SheetWriter
from nodewright.state.snapshot import read_snapshot


def a_look(world, reference):
    return Look("test@1", "test", world.now_ms, "start", 0, 0, "", reference)


def read_back(*worlds):
    """Write Worlds one after the other, and give what is read of each."""
    writer, reader = SheetWriter(), SheetReader()
    read = []
    for world in worlds:
        lines, reference = writer.write(world)
        for line in lines:
            reader.take(line)
        document = reader.document(a_look(world, reference))
        read.append(read_snapshot(document, "test").world)
    return read


def a_live_world(*things, **fields):
    return a_world(*things, a_type(), pending_rule="live", **fields)


def test_a_world_comes_back_as_it_was():
    world = a_live_world(a_pod("b"), a_pod("a"), a_node("n"))

    assert read_back(world) == [world]


def test_a_world_may_show_a_pod_on_a_node_that_is_gone():
    world = a_world(a_pod("p", node="gone"), a_type())

    assert read_back(world) == [world]


def test_only_what_has_changed_is_written():
    writer = SheetWriter()
    pods = tuple(a_pod(f"p{index}") for index in range(3))
    writer.write(a_live_world(pods))
    changed = with_meta(pods[1], labels={"a": "b"})
    lines, _ = writer.write(a_live_world(pods[0], changed, a_pod("p3")))

    assert [(one.field, sorted(one.put), one.gone) for one in lines] == [
        ("pods", ["default/p1", "default/p3"], ("default/p2",))
    ]


def test_equal_worlds_are_written_once_and_have_one_name():
    writer = SheetWriter()
    _, first = writer.write(a_live_world(a_pod("p")))
    lines, second = writer.write(a_live_world(a_pod("p"), now_ms=5))

    assert lines == []
    assert first == second


def test_a_look_without_pods_does_not_make_others_write_them_anew():
    writer = SheetWriter()
    pod = a_pod("p")
    writer.write(a_live_world(pod))
    writer.write(a_live_world())

    assert writer.write(a_live_world(pod))[0] == []
    assert [
        one.pods for one in read_back(a_live_world(pod), a_live_world(), a_live_world(pod))
    ] == [
        (pod,),
        (),
        (pod,),
    ]


def test_pools_that_share_their_types_still_do():
    types = (a_type("t"),)
    world = a_world(a_pool("a"), a_pool("b"), types={"a": types, "b": types})
    world = msgspec.structs.replace(world, instance_types={"a": types, "b": types})
    (read,) = read_back(world)

    assert read.instance_types["a"] is read.instance_types["b"]
    assert read == world


def test_a_lost_line_spoils_the_worlds_that_need_it():
    writer, reader = SheetWriter(), SheetReader()
    pods = (a_pod("a"), a_pod("b"))
    writer.write(a_live_world(pods[0]))
    lines, reference = writer.write(a_live_world(pods))
    for line in lines:
        reader.take(line)

    with pytest.raises(Damaged, match="pods"):
        reader.document(a_look(a_live_world(), reference))


_NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(_NAMES, st.integers(0, 2)), max_size=6))
def test_any_history_is_read_back(history):
    kept = {name: a_pod(name) for name in "abcdefgh"}
    worlds = [
        a_live_world([with_meta(kept[name], labels={"v": str(turn)}) for name in names])
        for names, turn in history
    ]

    assert read_back(*worlds) == worlds
