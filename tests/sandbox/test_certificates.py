"""Certificates, as another program would check them."""

import ssl
from datetime import UTC, datetime

import pytest
from cryptography import x509
from cryptography.x509.oid import NameOID

from nodewright.sandbox.certificates import Authority, make_key_pair

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def authority():
    return Authority("test", NOW)


def read(pem):
    return x509.load_pem_x509_certificate(pem)


def test_a_client_is_known_by_user_and_group(authority):
    subject = read(authority.issue_client("admin", "system:masters").certificate_pem).subject

    names = {attribute.oid: attribute.value for attribute in subject}
    assert names == {
        NameOID.COMMON_NAME: "admin",
        NameOID.ORGANIZATION_NAME: "system:masters",
    }


def test_certificates_are_signed_by_the_authority(authority):
    signer = read(authority.pem)

    for identity in (authority.issue_server(), authority.issue_client("kwok")):
        read(identity.certificate_pem).verify_directly_issued_by(signer)


def test_a_certificate_holds_from_before_the_start_for_most_of_a_year(authority):
    certificate = read(authority.issue_server().certificate_pem)

    assert certificate.not_valid_before_utc < NOW
    assert (certificate.not_valid_after_utc - NOW).days == 365


def test_a_strict_client_accepts_the_server_by_name_and_by_address(tmp_path):
    authority = Authority("test", datetime.now(UTC))
    identity = authority.issue_server()
    (tmp_path / "server.pem").write_bytes(identity.certificate_pem + identity.key_pem)
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server_side.load_cert_chain(tmp_path / "server.pem")
    client_side = ssl.create_default_context(cadata=authority.pem.decode())
    client_side.verify_flags |= ssl.VERIFY_X509_STRICT

    for name in ("127.0.0.1", "localhost", "kubernetes.default.svc"):
        assert shake_hands(client_side, server_side, name)


def shake_hands(client_side, server_side, name):
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = client_side.wrap_bio(to_client, to_server, server_hostname=name)
    server = server_side.wrap_bio(to_server, to_client, server_side=True)
    waiting = [client, server]
    for _ in range(10):
        for end in list(waiting):
            try:
                end.do_handshake()
                waiting.remove(end)
            except ssl.SSLWantReadError:
                continue
    return not waiting


def test_the_token_key_and_its_public_half_are_apart():
    pair = make_key_pair()

    assert b"PRIVATE" in pair.key_pem
    assert b"PRIVATE" not in pair.public_pem
