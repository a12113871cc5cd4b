"""Kubeconfig files: the contexts in them, and the connection settings of one context.

The official client reads the files and turns users into credentials. What it does quietly when something is
missing (go on as nobody), hive says aloud: a user that is not there, a login program that failed.
"""

from __future__ import annotations

import binascii
import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from kubernetes.client import Configuration
from kubernetes.config.config_exception import ConfigException
from kubernetes.config.kube_config import FileOrData, KubeConfigLoader, KubeConfigMerger

from hive.errors import ConfigError
from hive.shells.kubernetes.login import login

_REMEDY = "set `fleet.kubeconfig` or KUBECONFIG to one"


@dataclass(frozen=True, slots=True)
class ContextEntry:
    """One context of a kubeconfig.

    Attributes:
        server: Its address, as the file has it.
        is_current: What `kubectl` takes when it is told nothing.
    """

    name: str
    cluster: str
    user: str
    server: str
    is_current: bool


def kubeconfig_path(given: str | Path | None = None) -> str:
    """`given`, else KUBECONFIG (which may hold several, with colons between), else ``~/.kube/config``."""
    text = str(given) if given else os.environ.get("KUBECONFIG") or "~/.kube/config"
    return ":".join(str(Path(part).expanduser()) for part in text.split(":") if part)


def contexts(path: str | Path | None = None) -> tuple[ContextEntry, ...]:
    """All contexts, in the order of the files. Raises `ConfigError` where there is no file to be read."""
    source = kubeconfig_path(path)
    merged = _merged(source).config.value
    with _named(source):
        clusters = {str(one["name"]): one.get("cluster") or {} for one in _nodes(merged, "clusters")}
        current = str(merged.get("current-context") or "")
        return tuple(_entry(one, clusters, current) for one in _nodes(merged, "contexts"))


def _entry(node: dict[str, Any], clusters: dict[str, dict[str, Any]], current: str) -> ContextEntry:
    name, context = str(node["name"]), node.get("context") or {}
    cluster, user = str(context.get("cluster") or ""), str(context.get("user") or "")
    server = str(clusters.get(cluster, {}).get("server") or "")
    return ContextEntry(name, cluster, user, server, name == current)


def settings_of(path: str | Path | None, context: str) -> Configuration:
    """Where and as whom to connect. Runs the context's login program, where it has one.

    Raises `ConfigError` for what is wrong in the file, `Refused` and `Unreachable` where the login failed.
    """
    source = kubeconfig_path(path)
    known = {one.name: one for one in contexts(source)}
    if context not in known:
        names = ", ".join(known) or "none at all"
        raise ConfigError(f"there is no context '{context}'; the file has: {names}", source=source)
    merger = _merged(source)
    _require_parts(known[context], merger.config.value, source)
    settings = Configuration(retries=False)
    settings.keep_alive = True
    with _named(source, f"context '{context}': "):
        _Loader(context, merger).load_and_set(settings)  # type: ignore[no-untyped-call]  # the client has no types here
    token = settings.api_key.get("BearerToken", "")
    # A token file ends in a newline as often as not, which no header may hold.
    settings.api_key = {"BearerToken": token.strip()} if token else {}
    # Credentials are renewed when the server refuses them: `Connection` does it, for all kinds alike.
    settings.refresh_api_key_hook = None
    _require_certificates(settings, source, context)
    return settings


def tls_of(settings: Configuration) -> ssl.SSLContext:
    """For connections that the official client does not make. Raises `OSError` for unusable certificates."""
    tls = ssl.create_default_context(cafile=settings.ssl_ca_cert)
    if not settings.verify_ssl:
        tls.check_hostname = False
        tls.verify_mode = ssl.CERT_NONE
    if settings.cert_file:
        # The password of a locked key would be asked for on the terminal, if it were not given.
        tls.load_cert_chain(settings.cert_file, settings.key_file, password=b"")
    return tls


class _Loader(KubeConfigLoader):
    """The official loader, but for login programs: it only logs where one fails, and waits for ever."""

    def __init__(self, context: str, merger: Any) -> None:
        super().__init__(  # type: ignore[no-untyped-call]  # the client has no types here
            merger.config, context, config_base_path=None, config_persister=merger.save_changes
        )
        self._context = context

    def _load_from_exec_plugin(self) -> bool:
        user: Any = self._user
        program = user.safe_get("exec") if user else None
        if program is None:
            return False
        cluster: Any = self._cluster
        got = login(program, os.path.dirname(os.path.abspath(cluster.path)), self._context)
        if got.token:
            self.token = f"Bearer {got.token}"
        if got.certificate:
            parts = {"certificate": got.certificate, "key": got.key}
            self.cert_file = _file(parts, "certificate")
            self.key_file = _file(parts, "key")
        return True


def _file(parts: dict[str, str], name: str) -> str:
    """A private file of the official client's, removed when the process ends."""
    held = FileOrData(parts, None, data_key_name=name, base64_file_content=False)  # type: ignore[no-untyped-call]  # the client has no types here
    return str(held.as_file())  # type: ignore[no-untyped-call]  # likewise


def _merged(source: str) -> Any:
    if not any(Path(part).is_file() for part in source.split(":")):
        raise ConfigError(f"there is no kubeconfig here; {_REMEDY}", source=source or "KUBECONFIG")
    with _named(source):
        merger = KubeConfigMerger(source)  # type: ignore[no-untyped-call]  # the client has no types here
        if not isinstance(merger.config.value, dict):
            raise ConfigError("this is no kubeconfig: it is no mapping", source=source)
        return merger


@contextmanager
def _named(source: str, what: str = "") -> Iterator[None]:
    """Say failures of the official loader in one line, with the file."""
    try:
        yield
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise ConfigError(f"this is not valid YAML: {error.problem}", source=source, line=line) from error
    except ConfigException as error:
        raise ConfigError(f"{what}{error}", source=source) from error
    except binascii.Error as error:
        raise ConfigError(f"{what}a certificate or key in it is not base64", source=source) from error
    except OSError as error:
        raise ConfigError(f"{what}it cannot be read: {error.strerror or error}", source=source) from error
    except (yaml.YAMLError, UnicodeDecodeError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"{what}this is no kubeconfig ({type(error).__name__})", source=source) from error


def _nodes(merged: dict[str, Any], section: str) -> Iterator[dict[str, Any]]:
    for node in merged.get(section) or ():
        yield node.value


def _require_certificates(settings: Configuration, source: str, context: str) -> None:
    if not str(settings.host).startswith("https"):
        return
    try:
        tls_of(settings)
    except OSError as error:  # among them ssl.SSLError
        reason = getattr(error, "reason", None) or error.strerror or type(error).__name__
        message = f"context '{context}': its certificates cannot be used ({reason})"
        raise ConfigError(message, source=source) from error


def _require_parts(entry: ContextEntry, merged: dict[str, Any], source: str) -> None:
    users = {str(one["name"]) for one in _nodes(merged, "users")}
    if entry.user and entry.user not in users:
        message = f"context '{entry.name}' names the user '{entry.user}', which the file does not have"
        raise ConfigError(message, source=source)
    if not entry.server:
        cluster = f"the cluster '{entry.cluster}', which has no server in the file"
        raise ConfigError(f"context '{entry.name}' names {cluster}", source=source)
