"""Login programs of a kubeconfig user (`exec`): run one, and read the credential it prints.

Protocol: client.authentication.k8s.io, "client-go credential plugins" of the Kubernetes documentation.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hive.errors import ConfigError, Refused, Unreachable
from hive.shells.kubernetes.failures import PORT

SECONDS = 30.0
"""Chosen: such programs ask a cloud once or twice; a person who must answer a question is not there."""

_SAID = 200


@dataclass(frozen=True, slots=True)
class Credential:
    """A token, or a certificate with its key (PEM)."""

    token: str = field(default="", repr=False)
    certificate: str = field(default="", repr=False)
    key: str = field(default="", repr=False)


def login(program: Mapping[str, Any], folder: str, context: str) -> Credential:
    """Run `program` (the `exec` node of a user) in `folder`, with nobody to answer questions.

    Raises `ConfigError` where it cannot be run, `Refused` where it failed or printed no credential,
    `Unreachable` where it took too long. What it printed is in no message: it may be a secret.
    """
    command, version = program.get("command"), program.get("apiVersion")
    if not command or not version:
        raise ConfigError(f"context '{context}': `exec` needs `command` and `apiVersion`")
    arguments = [str(command), *map(str, program.get("args") or ())]
    remedy = f"run `{command}` yourself to see what it wants"
    try:
        done = subprocess.run(
            arguments, env=_environment(program, str(version)), cwd=folder or None, timeout=SECONDS,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        message = f"context '{context}': the login program took longer than {SECONDS:g} s; {remedy}"
        raise Unreachable(PORT, message) from error
    except OSError as error:
        hint = program.get("installHint") or "install it, or write its full path"
        message = f"the login program '{command}' cannot be run: {error.strerror}; {hint}"
        raise ConfigError(f"context '{context}': {message}") from error
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1][:_SAID]
        message = f"context '{context}': the login program ended with {done.returncode}: {said}; {remedy}"
        raise Refused(PORT, message)
    return _credential(done.stdout, context, remedy)


def _environment(program: Mapping[str, Any], version: str) -> dict[str, str]:
    asked = {"apiVersion": version, "kind": "ExecCredential", "spec": {"interactive": False}}
    own = {str(one["name"]): str(one["value"]) for one in program.get("env") or ()}
    return {**os.environ, **own, "KUBERNETES_EXEC_INFO": json.dumps(asked)}


def _credential(printed: str, context: str, remedy: str) -> Credential:
    try:
        answer = json.loads(printed)
    except ValueError:
        answer = None
    status = answer.get("status") if isinstance(answer, Mapping) else None
    if isinstance(status, Mapping):
        got = Credential(
            str(status.get("token") or ""),
            str(status.get("clientCertificateData") or ""),
            str(status.get("clientKeyData") or ""),
        )
        if got.token or (got.certificate and got.key):
            return got
    raise Refused(PORT, f"context '{context}': the login program printed no credential; {remedy}")
