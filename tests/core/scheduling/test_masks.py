"""Masks: the bits of an integer, spread out."""

from hypothesis import given
from hypothesis import strategies as st

from nodewright.core.scheduling.masks import pack, unpack


@given(st.integers(0, 2**70), st.integers(1, 70))
def test_bits_become_a_mask(bits, rows):
    assert unpack(bits, rows).tolist() == [bool(bits >> row & 1) for row in range(rows)]


def test_all_bits_set_is_a_mask_too():
    assert unpack(-1, 3).tolist() == [True, True, True]


@given(st.integers(-(2**70), 2**70), st.integers(1, 70))
def test_single_bits_can_be_looked_at(bits, rows):
    packed = pack(bits, rows)
    seen = [bool(packed[row >> 3] >> (row & 7) & 1) for row in range(rows)]
    assert seen == [bool(bits >> row & 1) for row in range(rows)]
