"""MIME documents: what the user wrote survives, in its order."""

import email

import pytest

from builders.userdata import mime
from nodewright.aws.userdata.draft import BadUserData
from nodewright.aws.userdata.mime import entry, is_mime, read_mime, write_mime

SHELL = "text/x-shellscript"


def test_a_document_is_told_by_its_first_header():
    assert is_mime("MIME-Version: 1.0\n")
    assert is_mime("\n content-type: multipart/mixed\n")
    assert not is_mime("#!/bin/bash\nMIME-Version: 1.0\n")


def test_parts_keep_their_order_their_headers_and_their_text():
    read = read_mime(mime((SHELL, "#!/bin/sh\none\n"), ("text/cloud-config", "two: 2")))
    again = read_mime(write_mime(read))

    assert [one.headers for one in again] == [
        (("Content-Type", 'text/x-shellscript; charset="us-ascii"'),),
        (("Content-Type", 'text/cloud-config; charset="us-ascii"'),),
    ]
    assert [one.text.rstrip("\n") for one in again] == ["#!/bin/sh\none", "two: 2"]


def test_a_part_in_base64_is_passed_on_as_it_is():
    written = (
        mime((SHELL, "x"))
        .replace('charset="us-ascii"\n', 'charset="us-ascii"\nContent-Transfer-Encoding: base64\n')
        .replace("\nx\n", "\nIyEvYmluL3NoCg==\n")
    )
    [part] = email.message_from_string(write_mime(read_mime(written))).get_payload()

    assert part.get_payload(decode=True) == b"#!/bin/sh\n"


def test_documents_inside_documents_are_laid_flat():
    inner = mime((SHELL, "inside"), boundary="in").removeprefix("MIME-Version: 1.0\n")
    written = f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="out"\n\n--out\n{inner}\n--out--\n'

    assert [one.text.strip() for one in read_mime(written)] == ["inside"]


def test_a_single_part_is_a_document_too():
    [only] = read_mime(f"Content-Type: {SHELL}\n\n#!/bin/sh\n")

    assert only.text == "#!/bin/sh\n"


def test_a_wrong_boundary_is_the_user_s_mistake():
    with pytest.raises(BadUserData, match="no part that begins with its boundary 'gone'"):
        read_mime(mime((SHELL, "x")).replace('boundary="//"', 'boundary="gone"'))


def test_a_line_that_would_part_our_document_is_refused():
    with pytest.raises(BadUserData, match="begins with --//"):
        write_mime([entry(SHELL, "echo\n--//\n")])


def test_carriage_returns_are_taken_out():
    assert "\r" not in write_mime([entry(SHELL, "#!/bin/sh\r\necho\r\n")])
