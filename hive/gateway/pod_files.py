"""The configuration of `gh`, `git` and other tools in a pod, by which all reach the forge through hive alone.

A pod holds its token as a file of its Secret, which may change under it: what can read it at each use does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from hive.gateway.client_files import ClientFile, credential_helper, git_config, shell_quoted

SECRET = Path("/run/secrets/hive")
HOME = Path("/home/agent")


def pod_client_files(
    *,
    proxy_url: str,
    agent: str,
    repos: Sequence[str],
    home: Path = HOME,
    secret: Path = SECRET,
    path: str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
) -> tuple[tuple[ClientFile, ...], Mapping[str, str]]:
    """Files (absolute paths in the pod) and the environment of the agent's process in it.

    `proxy_url` is `Gateway.pods_url`. `secret` holds ``token`` and ``ca.pem``, mounted. Nothing that is
    returned holds a credential: the file ``.config/hive/launch`` starts a program (its arguments) with the
    token of that moment in the variables that `gh` reads, and git asks a helper that reads the file.
    """
    folder = home / ".config" / "hive"
    token, ca = secret / "token", secret / "ca.pem"
    helper = folder / "git-credential"
    config = git_config(agent, proxy_url, ca, f"!{shell_quoted(str(helper))}", proxy_ca=ca)
    files = (
        ClientFile(folder / "gitconfig", config),
        ClientFile(helper, credential_helper(token), 0o700),
        ClientFile(folder / "launch", _launch(token), 0o700),
        ClientFile(
            home / ".config" / "gh" / "config.yml", 'version: "1"\ngit_protocol: https\nprompt: disabled\n'
        ),
        ClientFile(home / ".curlrc", f'proxy-cacert = "{ca}"\n'),
    )
    environment = {
        "HOME": str(home),
        "PATH": path,
        **_folders(home),
        **_proxies(proxy_url),
        **_trust(ca),
        "GH_CONFIG_DIR": str(home / ".config" / "gh"),
        "GH_PROMPT_DISABLED": "1",
        "GH_NO_UPDATE_NOTIFIER": "1",
        "GH_TELEMETRY": "false",
        "DO_NOT_TRACK": "1",
        "GIT_CONFIG_GLOBAL": str(folder / "gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "HIVE_AGENT": agent,
        "HIVE_TOKEN_FILE": str(token),
        "HIVE_GATEWAY_PROXY": proxy_url,
        "HIVE_FINDINGS_URL": f"{proxy_url}/v1/findings",
        "HIVE_CA_FILE": str(ca),
        "HIVE_REPOS": ",".join(repos),
    }
    return files, environment


def _folders(home: Path) -> dict[str, str]:
    return {
        "TMPDIR": str(home / "tmp"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_CACHE_HOME": str(home / ".cache"),
    }


def _proxies(url: str) -> dict[str, str]:
    """Both spellings: curl reads https_proxy and HTTPS_PROXY, Go and Python either, others one of them."""
    # Hive itself is no place that its proxy leads to: the relay of models is asked directly.
    local = f"localhost,127.0.0.1,::1,{urlsplit(url).hostname}"
    return {
        "HTTPS_PROXY": url,
        "https_proxy": url,
        "NO_PROXY": local,
        "no_proxy": local,
        # Node's own fetch heeds the variables only when told to (from version 24 on).
        "NODE_USE_ENV_PROXY": "1",
    }


def _trust(ca: Path) -> dict[str, str]:
    """Hive's authority and no other: whatever speaks TLS to a pod is hive."""
    names = ("SSL_CERT_FILE", "GIT_SSL_CAINFO", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
    return {**dict.fromkeys(names, str(ca)), "GIT_PROXY_SSL_CAINFO": str(ca)}


def _launch(token: Path) -> str:
    return f"""#!/bin/sh
# Starts an agent with hive's token for this sandbox where gh looks for one.
HIVE_TOKEN=$(cat {shell_quoted(str(token))}) || exit 1
GH_TOKEN=$HIVE_TOKEN
export HIVE_TOKEN GH_TOKEN
# The variable in which its program looks for the key of its model: hive's relay takes the token.
[ -z "${{HIVE_MODEL_KEY_AS-}}" ] || export "$HIVE_MODEL_KEY_AS=$HIVE_TOKEN"
exec "$@"
"""
