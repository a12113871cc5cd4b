"""Certificates of a throw-away authority: one per control plane, good for a month."""

from __future__ import annotations

from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from hive.shells.system.clock import SystemClock

_LIFE = timedelta(days=30)
_BEFORE = timedelta(hours=1)
"""A clock that was set back a little must not make the whole cluster untrusted."""


class Authority:
    """Signs with a key that stays in `folder`, beside `ca.crt`."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.now = SystemClock().now()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(name, None)
        self.certificate = self._sign_itself()
        self.path = folder / "ca.crt"
        self.path.write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))

    def issue(
        self, file: str, name: str, *, organization: str | None = None, hosts: tuple[str, ...] = ()
    ) -> tuple[Path, Path]:
        """Paths of a new certificate and its key (0600), for clients and, with `hosts`, for servers.

        Kubernetes reads a client's user from the common name and its groups from the organization.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        builder = (
            self._builder(_name(name, organization), key.public_key())
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(
                x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]),
                critical=False,
            )
        )
        if hosts:
            names = x509.SubjectAlternativeName([_host(host) for host in hosts])
            builder = builder.add_extension(names, critical=False)
        certificate = self.folder / f"{file}.crt"
        certificate.write_bytes(
            builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        )
        return certificate, write_key(self.folder / f"{file}.key", key)

    def _sign_itself(self) -> x509.Certificate:
        builder = self._builder(self._name, self._key.public_key())
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        return builder.sign(self._key, hashes.SHA256())

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        now: datetime = self.now
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _BEFORE)
            .not_valid_after(now + _LIFE)
        )


def key_pair(folder: Path, name: str) -> tuple[Path, Path]:
    """Paths of a new private key (0600) and its public key: what signs service accounts' tokens."""
    key = ec.generate_private_key(ec.SECP256R1())
    public = folder / f"{name}.pub"
    public.write_bytes(
        key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
    return write_key(folder / f"{name}.key", key), public


def write_key(path: Path, key: ec.EllipticCurvePrivateKey) -> Path:
    path.touch(mode=0o600)
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return path


def _name(common: str, organization: str | None) -> x509.Name:
    parts = [x509.NameAttribute(NameOID.COMMON_NAME, common)]
    if organization:
        parts.insert(0, x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization))
    return x509.Name(parts)


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)
