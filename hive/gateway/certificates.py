"""Hive's own certificate authority, one per installation, and the leaves by which it speaks for the forge."""

from __future__ import annotations

import ipaddress
import os
import ssl
import threading
from datetime import datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_CA_LIFE = timedelta(days=3650)
_LEAF_LIFE = timedelta(days=90)
_RENEW_BEFORE = timedelta(days=7)


class CertificateAuthority:
    """Attributes:
    certificate_path: The authority's certificate (PEM), which agents' tools are to trust.
    """

    def __init__(self, folder: Path, now: datetime) -> None:
        """Read the authority in `folder`, or make it. Raises `OSError`, `ValueError`."""
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        self.certificate_path = folder / "ca.pem"
        self._folder = folder
        self._lock = threading.Lock()
        self._contexts: dict[str, tuple[datetime, ssl.SSLContext]] = {}
        key_path = folder / "ca.key"
        if not key_path.exists() or not self.certificate_path.exists():
            self._make(key_path, now)
        key = serialization.load_pem_private_key(key_path.read_bytes(), None)
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        self._key = key
        self._certificate = x509.load_pem_x509_certificate(self.certificate_path.read_bytes())

    def _make(self, key_path: Path, now: datetime) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "hive gateway (this installation only)")])
        certificate = (
            _unsigned(name, name, key.public_key(), now, _CA_LIFE)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs=True), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .sign(key, hashes.SHA256())
        )
        _write(key_path, _pem(key), 0o600)
        _write(self.certificate_path, certificate.public_bytes(serialization.Encoding.PEM), 0o644)

    def context(self, host: str, now: datetime) -> ssl.SSLContext:
        """A server's TLS context for `host`, a name or an IP address.

        Its leaf is made on first use, kept in memory, and made anew a week before it ends.
        """
        with self._lock:
            until, context = self._contexts.get(host, (now, None))
            if context is None or until <= now:
                context = self._leaf(host, now)
                self._contexts[host] = (now + _LEAF_LIFE - _RENEW_BEFORE, context)
            return context

    def _leaf(self, host: str, now: datetime) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
        issuer = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        certificate = (
            _unsigned(name, self._certificate.subject, key.public_key(), now, _LEAF_LIFE)
            .add_extension(x509.SubjectAlternativeName([_name(host)]), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(issuer), critical=False
            )
            .sign(self._key, hashes.SHA256())
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.set_alpn_protocols(["http/1.1"])
        # The ssl module reads keys from files alone.
        path = self._folder / f".{host}.{os.getpid()}.pem"
        try:
            _write(path, _pem(key) + certificate.public_bytes(serialization.Encoding.PEM), 0o600)
            context.load_cert_chain(path)
        finally:
            path.unlink(missing_ok=True)
        return context


def _name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _unsigned(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    now: datetime,
    life: timedelta,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + life)
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _write(path: Path, data: bytes, mode: int) -> None:
    """Write whole or not at all, never readable more widely than `mode`."""
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(data)
        os.fchmod(file.fileno(), mode)
    part.replace(path)
