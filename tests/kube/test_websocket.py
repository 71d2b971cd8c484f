"""Frames are those of RFC 6455, and come out the same however the bytes are cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.kube.websocket import (
    BadFrame,
    Frames,
    Message,
    Opcode,
    accept_of,
    apply_mask,
    write_frame,
)

MASK = bytes.fromhex("37fa213d")


def from_server(opcode, payload, *, is_final=True):
    """Write a frame as servers do."""
    first = (0x80 if is_final else 0) | opcode
    if len(payload) < 126:
        return bytes((first, len(payload))) + payload
    if len(payload) < 1 << 16:
        return bytes((first, 126)) + len(payload).to_bytes(2) + payload
    return bytes((first, 127)) + len(payload).to_bytes(8) + payload


def test_the_example_of_the_standard_is_written_to_the_letter():
    assert write_frame(Opcode.TEXT, b"Hello", MASK).hex() == "818537fa213d7f9f4d5158"
    assert accept_of("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="


def test_the_examples_of_the_standard_are_read():
    whole, ping = bytes.fromhex("810548656c6c6f"), bytes.fromhex("890548656c6c6f")
    pieces = bytes.fromhex("010348656c") + ping + bytes.fromhex("80026c6f")

    assert Frames().feed(whole) == [Message(Opcode.TEXT, b"Hello")]
    assert Frames().feed(pieces) == [
        Message(Opcode.PING, b"Hello"),
        Message(Opcode.TEXT, b"Hello"),
    ]


@pytest.mark.parametrize(("size", "head"), [(125, 2), (126, 4), (65_535, 4), (65_536, 10)])
def test_a_length_takes_as_many_bytes_as_it_needs(size, head):
    payload = bytes(size)

    assert len(write_frame(Opcode.BINARY, payload, MASK)) == head + len(MASK) + size
    assert Frames().feed(from_server(Opcode.BINARY, payload)) == [Message(Opcode.BINARY, payload)]


@given(
    payloads=st.lists(st.binary(max_size=300), max_size=5),
    cuts=st.lists(st.integers(1, 40), min_size=1),
)
def test_messages_come_out_the_same_however_the_bytes_are_cut(payloads, cuts):
    data = b"".join(from_server(Opcode.BINARY, one) for one in payloads)
    frames, found, turn = Frames(), [], 0
    while data:
        size = cuts[turn % len(cuts)]
        found += frames.feed(data[:size])
        data, turn = data[size:], turn + 1

    assert [one.payload for one in found] == payloads


@given(payload=st.binary(max_size=100), mask=st.binary(min_size=4, max_size=4))
def test_a_mask_comes_off_again(payload, mask):
    assert apply_mask(apply_mask(payload, mask), mask) == payload


@pytest.mark.parametrize(
    "data",
    [
        from_server(0x3, b""),
        from_server(Opcode.MORE, b"x"),
        from_server(Opcode.TEXT, b"a", is_final=False) + from_server(Opcode.TEXT, b"b"),
        write_frame(Opcode.TEXT, b"masked", MASK),
        bytes((0xC2, 0)),
        bytes((0x82, 127)) + (1 << 40).to_bytes(8),
    ],
    ids=["unknown", "goes-on-with-nothing", "two-at-once", "masked", "reserved", "endless"],
)
def test_what_is_no_frame_of_a_server_is_refused(data):
    with pytest.raises(BadFrame):
        Frames().feed(data)
