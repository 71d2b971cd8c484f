"""Amazon Linux 2: the user's scripts first, then the bootstrap script."""

import pytest

from builders.awsdrafts import a_cluster, a_draft
from builders.userdata import mime
from nodewright.aws.userdata.al2 import write_al2
from nodewright.aws.userdata.draft import BadUserData
from nodewright.sandbox.kubelet.al2 import read_al2
from nodewright.sandbox.kubelet.parts import read_parts


def test_a_plain_text_becomes_the_first_script():
    first, second = read_parts(write_al2(a_draft(written="#!/bin/bash\necho mine\n")))

    assert first.text.strip() == "#!/bin/bash\necho mine"
    assert "/etc/eks/bootstrap.sh 'demo'" in second.text


def test_parts_of_the_user_stay_in_front():
    written = mime(("text/cloud-config", "a: 1"), ("text/x-shellscript", "#!/bin/sh\nb"))
    parts = read_parts(write_al2(a_draft(written=written)))

    assert [one.kind for one in parts] == [
        "text/cloud-config",
        "text/x-shellscript",
        "text/x-shellscript",
    ]


def test_a_cluster_of_ipv6_is_named_so():
    text = write_al2(a_draft(cluster=a_cluster(dns_ip="fd30::a")))

    assert "--ip-family ipv6" in text
    assert read_al2(text).cluster_dns == ("fd30::a",)


def test_a_cluster_without_dns_or_authority_leaves_them_to_the_script():
    text = write_al2(a_draft(cluster=a_cluster(dns_ip="", authority="")))

    assert "--dns-cluster-ip" not in text
    assert "--b64-cluster-ca" not in text
    assert read_al2(text).cluster_name == "demo"


def test_a_quote_in_a_name_does_not_end_it():
    assert read_al2(write_al2(a_draft(cluster=a_cluster(endpoint="a'b")))).endpoint == "a'b"


def test_a_document_without_parts_is_refused():
    with pytest.raises(BadUserData):
        write_al2(a_draft(written='Content-Type: multipart/mixed; boundary="x"\n\nnothing\n'))
