"""User data is cut the way cloud-init cuts it."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.userdata import encode, mime
from nodewright.sandbox.kubelet.boot import BootError
from nodewright.sandbox.kubelet.parts import NODE_CONFIG, PLAIN, SHELL, Part, decode, read_parts


@given(st.text(max_size=1000), st.booleans())
def test_what_ec2_stores_reads_back(text, pack):
    # A text that begins like a packed one is not a text that anybody sends.
    assert decode(encode(text, pack=pack)) == text


def test_parts_come_in_their_order_with_their_kinds():
    found = read_parts(mime((SHELL, "#!/bin/bash\ntrue"), (NODE_CONFIG, "kind: NodeConfig")))

    assert [(part.kind, part.text.strip()) for part in found] == [
        (SHELL, "#!/bin/bash\ntrue"),
        (NODE_CONFIG, "kind: NodeConfig"),
    ]


def test_a_last_part_needs_no_end_mark():
    assert len(read_parts(mime((SHELL, "#!/bin/sh"), closed=False))) == 1


def test_a_wrong_boundary_leaves_no_part_and_says_so():
    broken = mime((SHELL, "#!/bin/sh")).replace("--//", "--other")

    with pytest.raises(BootError, match=r"boundary '//' finds no part"):
        read_parts(broken)


def test_text_that_is_no_mime_is_one_part():
    assert read_parts("#!/bin/sh\n") == (Part(SHELL, "#!/bin/sh\n"),)
    assert read_parts("hello") == (Part(PLAIN, "hello"),)
    assert read_parts(" \n") == ()


@pytest.mark.parametrize("data", ["%%%", base64.b64encode(b"\x1f\x8b-not-packed").decode()])
def test_what_cannot_be_decoded_is_said(data):
    with pytest.raises(BootError, match="cloud-init: user data"):
        decode(data)
