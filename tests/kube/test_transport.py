"""Proxies are chosen as other tools choose them; broken certificates are sentences."""

import ssl

import pytest

from nodewright.kube.access import Access, Source, User
from nodewright.kube.transport import Pool, choose_proxy, make_context, stamp_of
from nodewright.model.errors import UserError

PROXY = {"HTTPS_PROXY": "http://proxy:3128"}


@pytest.mark.parametrize(
    ("server", "exempt", "wanted"),
    [
        ("https://api.example.org", "", "http://proxy:3128"),
        ("https://api.example.org", "other.org", "http://proxy:3128"),
        ("https://api.example.org", "example.org", ""),
        ("https://api.example.org", ".example.org", ""),
        ("https://api.example.org", "*.example.org", ""),
        ("https://badexample.org", "example.org", "http://proxy:3128"),
        ("https://api.example.org", "*", ""),
        ("https://172.20.0.1", "10.0.0.0/8, 172.16.0.0/12", ""),
        ("https://172.20.0.1", "172.20.0.1", ""),
        ("https://172.20.0.1", "example.org", "http://proxy:3128"),
        ("https://127.0.0.1:6443", "", ""),
        ("https://localhost", "", ""),
        ("http://api.example.org", "", ""),
    ],
)
def test_the_environment_names_a_proxy_and_who_needs_none(server, exempt, wanted):
    assert choose_proxy(Access(server), PROXY | {"no_proxy": exempt}) == wanted


def test_the_proxy_of_the_kubeconfig_beats_the_environment():
    access = Access("https://api.example.org", proxy_url="socks5://other:1080")

    assert choose_proxy(access, PROXY | {"NO_PROXY": "*"}) == "socks5://other:1080"


async def test_http_and_socks_proxies_can_be_used_and_others_are_told():
    for url in ("http://p:1", "https://p:1", "socks5://p:1"):
        pool = Pool(Access("https://x", insecure=True, proxy_url=url), None)
        await pool.retire()
    with pytest.raises(UserError, match="proxy cannot be used"):
        Pool(Access("https://x", insecure=True, proxy_url="ftp://p:1"), None)


def test_no_verification_is_only_had_by_asking():
    assert make_context(Access("https://x"), None).verify_mode == ssl.CERT_REQUIRED
    assert make_context(Access("https://x", insecure=True), None).verify_mode == ssl.CERT_NONE


@pytest.mark.parametrize(
    "access",
    [
        Access("https://x", authority=Source(data=b"nonsense")),
        Access("https://x", user=User(certificate=Source(data=b"a"), key=Source(data=b"b"))),
    ],
    ids=["authority", "certificate"],
)
def test_a_broken_certificate_is_one_sentence(access):
    with pytest.raises(UserError, match="cannot be read"):
        make_context(access, None)


def test_a_replaced_file_calls_for_a_new_pool(tmp_path):
    path = tmp_path / "ca.crt"
    path.write_text("one")
    access = Access("https://x", authority=Source(path=str(path)))
    before = stamp_of(access, None)
    (tmp_path / "next").write_text("two")
    (tmp_path / "next").rename(path)

    assert stamp_of(access, None) != before
    assert stamp_of(access, (b"c", b"k")) != stamp_of(access, None)
