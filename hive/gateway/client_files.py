"""An agent's own configuration of `gh` and `git`, by which both reach the forge through hive alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HOST = "github.com"
FOLDERS = ("HOME", "TMPDIR", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
"""Variables that name folders of the agent's own."""


@dataclass(frozen=True, slots=True)
class ClientFile:
    """A file to write below the agent's home, with its mode."""

    path: Path
    text: str
    mode: int = 0o600


def client_files(
    agent_home: Path,
    *,
    token: str,
    socket: Path,
    proxy_url: str,
    ca_file: Path,
    agent: str,
    repos: Sequence[str],
    path: str = "/usr/local/bin:/usr/bin:/bin",
) -> tuple[tuple[ClientFile, ...], Mapping[str, str]]:
    """Files (absolute paths, their folders 0700) and the environment of an agent's process.

    `token` is the agent's hive token: good at hive's gateway only, and renewed in place by `token_files`. It
    is in files that tools read at each use, and in no process's environment. That holds everything else that
    an agent's tools need; what it does not name is to be unset. The gateway's certificate is copied: its own
    folder is closed to an agent that runs as another user.
    """
    folder = agent_home / ".config" / "hive"
    config, helper = folder / "gitconfig", folder / "git-credential"
    gh_folder = agent_home / ".config" / "gh"
    bundle = folder / "ca-bundle.pem"
    files = (
        ClientFile(config, git_config(agent, proxy_url, bundle, f"!{shell_quoted(str(helper))}")),
        ClientFile(helper, credential_helper(_token_file(agent_home)), 0o700),
        *token_files(agent_home, token),
        ClientFile(gh_folder / "config.yml", _gh_config(socket)),
        ClientFile(bundle, ca_file.read_text(encoding="ascii"), 0o644),
    )
    environment = {
        "HOME": str(agent_home),
        "PATH": path,
        "TMPDIR": str(agent_home / "tmp"),
        "XDG_CONFIG_HOME": str(agent_home / ".config"),
        "XDG_STATE_HOME": str(agent_home / ".local" / "state"),
        "XDG_DATA_HOME": str(agent_home / ".local" / "share"),
        "XDG_CACHE_HOME": str(agent_home / ".cache"),
        "GH_CONFIG_DIR": str(gh_folder),
        "GH_PROMPT_DISABLED": "1",
        "GH_NO_UPDATE_NOTIFIER": "1",
        "GH_TELEMETRY": "false",
        "DO_NOT_TRACK": "1",
        "GIT_CONFIG_GLOBAL": str(config),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        # An ambient value would win over http.sslCAInfo.
        "GIT_SSL_CAINFO": str(bundle),
        "HIVE_AGENT": agent,
        "HIVE_TOKEN_FILE": str(_token_file(agent_home)),
        "HIVE_GATEWAY_SOCKET": str(socket),
        "HIVE_GATEWAY_PROXY": proxy_url,
        "HIVE_CA_FILE": str(bundle),
        "HIVE_REPOS": ",".join(repos),
    }
    return files, environment


def token_files(agent_home: Path, token: str) -> tuple[ClientFile, ...]:
    """Those that hold the token; all that a renewal writes."""
    hosts = f"{HOST}:\n    oauth_token: {json.dumps(token)}\n    user: hive\n    git_protocol: https\n"
    return (
        ClientFile(_token_file(agent_home), f"{token}\n"),
        ClientFile(agent_home / ".config" / "gh" / "hosts.yml", hosts),
    )


def _token_file(agent_home: Path) -> Path:
    return agent_home / ".config" / "hive" / "token"


def git_config(
    agent: str, proxy_url: str, ca_file: Path, helper: str, *, proxy_ca: Path | None = None
) -> str:
    """The text of git's configuration; `helper` is a command line of a credential helper.

    `proxy_ca` is the authority of a proxy with TLS.
    """
    return "".join(
        [
            "[user]\n",
            f"\tname = {_quoted(f'hive {agent}')}\n",
            f"\temail = {_quoted(f'{agent}@hive.invalid')}\n",
            f"[http {_quoted(f'https://{HOST}/')}]\n",
            f"\tproxy = {_quoted(proxy_url)}\n",
            f"\tsslCAInfo = {_quoted(str(ca_file))}\n",
            *([f"\tproxySSLCAInfo = {_quoted(str(proxy_ca))}\n"] if proxy_ca is not None else []),
            # Larger pushes are sent in chunks; a buffer of 1 MiB (git's default) is left as it is.
            "[credential]\n",
            "\thelper =\n",
            f"\thelper = {_quoted(helper)}\n",
            "[init]\n\tdefaultBranch = main\n",
            "[advice]\n\tdetachedHead = false\n",
        ]
    )


def _gh_config(socket: Path) -> str:
    return (
        f'version: "1"\ngit_protocol: https\nprompt: disabled\nhttp_unix_socket: {json.dumps(str(socket))}\n'
    )


def _quoted(value: str) -> str:
    """A value of git's configuration file."""
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def credential_helper(token: Path) -> str:
    """git's credential helper: it answers `get` for the forge alone, with what is in `token` then."""
    return f"""#!/bin/sh
# Answers git with hive's token for this agent; the file changes when the token does.
[ "$1" = get ] || exit 0
host=
while IFS='=' read -r key value; do
    [ -n "$key" ] || break
    [ "$key" = host ] && host=$value
done
[ "$host" = {HOST} ] || exit 0
printf 'username=x-access-token\\npassword=%s\\n' "$(cat {shell_quoted(str(token))})"
"""


def shell_quoted(value: str) -> str:
    """As one word of a shell's command line; git hands a helper's to one."""
    return "'" + value.replace("'", "'\\''") + "'"
