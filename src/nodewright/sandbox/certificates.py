"""The certificates of a sandbox: one authority, one server certificate, one per client.

Elliptic keys, because they are made in a millisecond. Everything is valid for a year from the
day the sandbox starts, and for a day before it: clocks of virtual machines jump.
"""

import ipaddress
from datetime import datetime, timedelta

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_LIFE = timedelta(days=365)
_CLOCK_SLACK = timedelta(days=1)
_SERVER_NAMES = (
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
)
_SERVER_ADDRESSES = ("127.0.0.1", "10.96.0.1")


class Identity(msgspec.Struct, frozen=True):
    """A certificate and its key, as PEM."""

    certificate_pem: bytes
    key_pem: bytes


class KeyPair(msgspec.Struct, frozen=True):
    """A bare key and its public half, as PEM: what service account tokens are signed with."""

    key_pem: bytes
    public_pem: bytes


class Authority:
    """Signs the certificates of one sandbox."""

    def __init__(self, name: str, now: datetime) -> None:
        self._now = now
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        usage = x509.KeyUsage(
            digital_signature=True,
            key_cert_sign=True,
            crl_sign=True,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            encipher_only=False,
            decipher_only=False,
        )
        self._certificate = (
            self._builder(self._subject, self._key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(usage, critical=True)
            .sign(self._key, hashes.SHA256())
        )

    @property
    def pem(self) -> bytes:
        """The authority's own certificate."""
        return self._certificate.public_bytes(serialization.Encoding.PEM)

    def issue_server(self) -> Identity:
        """Sign a certificate for every program that listens, good for both ends of a connection."""
        names: list[x509.GeneralName] = [x509.DNSName(name) for name in _SERVER_NAMES]
        names += [x509.IPAddress(ipaddress.ip_address(text)) for text in _SERVER_ADDRESSES]
        # etcd checks its own certificate as a client too: its gateway calls it back.
        uses = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        return self._issue("sandbox-server", "", uses, x509.SubjectAlternativeName(names))

    def issue_client(self, user: str, group: str = "") -> Identity:
        """Sign a certificate by which Kubernetes knows a user, and a group if one is given."""
        return self._issue(user, group, [ExtendedKeyUsageOID.CLIENT_AUTH], None)

    def _issue(
        self,
        user: str,
        group: str,
        uses: list[x509.ObjectIdentifier],
        names: x509.SubjectAlternativeName | None,
    ) -> Identity:
        attributes = [x509.NameAttribute(NameOID.COMMON_NAME, user)]
        if group:
            attributes.insert(0, x509.NameAttribute(NameOID.ORGANIZATION_NAME, group))
        key = ec.generate_private_key(ec.SECP256R1())
        builder = self._builder(x509.Name(attributes), key.public_key()).add_extension(
            x509.ExtendedKeyUsage(uses), critical=False
        )
        if names is not None:
            builder = builder.add_extension(names, critical=False)
        certificate = builder.sign(self._key, hashes.SHA256())
        return Identity(certificate.public_bytes(serialization.Encoding.PEM), _key_pem(key))

    def _builder(
        self, subject: x509.Name, public_key: ec.EllipticCurvePublicKey
    ) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._subject)
            .public_key(public_key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(self._now - _CLOCK_SLACK)
            .not_valid_after(self._now + _LIFE)
            # Both identifiers are optional by the standard and demanded by Python since 3.13.
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()),
                critical=False,
            )
        )


def make_key_pair() -> KeyPair:
    """Make the key that signs service account tokens."""
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return KeyPair(_key_pem(key), public)


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
