"""Kubeconfig files: all of it inline, so that one file is enough to reach a cluster; and so 0600."""

from __future__ import annotations

import base64
import json
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Context:
    """How to reach one API server: with a certificate and its key, or with a token (or a file of it)."""

    name: str
    url: str
    ca: Path
    certificate: tuple[Path, Path] | None = None
    token: str | None = None
    token_file: Path | None = None
    tls_server_name: str | None = None
    """What the server's certificate must name where that is not the host of `url`."""


def write(path: Path, *contexts: Context) -> Path:
    """Write `path` with these contexts, the first being the current one. In JSON, which is YAML."""
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": contexts[0].name,
        "clusters": [{"name": each.name, "cluster": _cluster(each)} for each in contexts],
        "users": [{"name": each.name, "user": _user(each)} for each in contexts],
        "contexts": [
            {"name": each.name, "context": {"cluster": each.name, "user": each.name, "namespace": "default"}}
            for each in contexts
        ],
    }
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.touch(mode=0o600)
    temporary.write_text(json.dumps(document, indent=1))
    temporary.replace(path)
    return path


def _cluster(context: Context) -> dict[str, str]:
    cluster = {"server": context.url, "certificate-authority-data": _inline(context.ca)}
    if context.tls_server_name:
        cluster["tls-server-name"] = context.tls_server_name
    return cluster


def _user(context: Context) -> dict[str, str]:
    if context.certificate:
        certificate, key = context.certificate
        return {"client-certificate-data": _inline(certificate), "client-key-data": _inline(key)}
    if context.token_file:
        return {"tokenFile": str(context.token_file)}
    return {"token": context.token} if context.token else {}


def _inline(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
