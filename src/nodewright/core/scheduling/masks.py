"""Masks: sets that are kept as the bits of an integer, spread out for columns to be picked by."""

import numpy as np
import numpy.typing as npt

type Mask = npt.NDArray[np.bool_]


def pack(bits: int, rows: int) -> bytes:
    """Give the first bits of an integer as bytes, where one of thousands is cheap to look at."""
    return (bits & ((1 << rows) - 1)).to_bytes((rows + 7) // 8, "little")


def unpack(bits: int, rows: int) -> Mask:
    """Spread the first bits of an integer over a mask."""
    if not bits:
        return np.zeros(rows, dtype=np.bool_)
    data = pack(bits, rows)
    return np.unpackbits(np.frombuffer(data, dtype=np.uint8), count=rows, bitorder="little").astype(
        np.bool_
    )
