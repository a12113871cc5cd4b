from __future__ import annotations

import subprocess
from pathlib import Path

from hive.gateway import client_files
from tests.gateway.client_folder import write_client_files


def test_an_agents_files_are_its_own_and_keep_awkward_paths_whole(tmp_path: Path) -> None:
    home = tmp_path / 'home of "o\'hara"'
    ca = tmp_path / "ca.pem"
    ca.write_text("-----BEGIN CERTIFICATE-----\n")
    files, environment = client_files(
        home,
        token="secret-hive-token",
        socket=tmp_path / "gate.sock",
        proxy_url="http://127.0.0.1:4711",
        ca_file=ca,
        agent="quality",
        repos=("acme/widgets", "acme/gadgets"),
    )
    write_client_files(files, environment)
    write_client_files(files, environment)
    assert {
        file.path.relative_to(home).as_posix(): oct(file.path.stat().st_mode & 0o777) for file in files
    } == {
        ".config/hive/gitconfig": "0o600",
        ".config/hive/git-credential": "0o700",
        ".config/hive/token": "0o600",
        ".config/gh/hosts.yml": "0o600",
        ".config/gh/config.yml": "0o600",
        ".config/hive/ca-bundle.pem": "0o644",
    }
    assert Path(environment["TMPDIR"]).stat().st_mode & 0o777 == 0o700

    def configured(key: str) -> str:
        command = ["git", "config", "--get-urlmatch", key, "https://github.com/acme/widgets.git"]
        done = subprocess.run(command, env=dict(environment), capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert configured("http.proxy") == "http://127.0.0.1:4711"
    assert configured("http.sslCAInfo") == str(home / ".config/hive/ca-bundle.pem")
    filled = subprocess.run(
        ["git", "credential", "fill"],
        input="protocol=https\nhost=github.com\n\n",
        env=dict(environment),
        capture_output=True,
        text=True,
        check=True,
    )
    assert filled.stdout.splitlines()[-2:] == ["username=x-access-token", "password=secret-hive-token"]
    identity = subprocess.run(
        ["git", "var", "GIT_AUTHOR_IDENT"],
        cwd=home,  # not where the tests stand: a repository may have an identity of its own
        env=dict(environment),
        capture_output=True,
        text=True,
        check=True,
    )
    assert identity.stdout.startswith("hive quality <quality@hive.invalid>")


def test_the_environment_names_everything_and_inherits_nothing(tmp_path: Path) -> None:
    ca = tmp_path / "ca.pem"
    ca.write_text("")
    _, environment = client_files(
        tmp_path,
        token="the-token",
        socket=tmp_path / "s",
        proxy_url="http://127.0.0.1:1",
        ca_file=ca,
        agent="a",
        repos=("o/r",),
    )
    assert environment["HIVE_TOKEN_FILE"] == str(tmp_path / ".config/hive/token")
    assert environment["GIT_SSL_CAINFO"] == str(tmp_path / ".config/hive/ca-bundle.pem")
    assert environment["GIT_CONFIG_NOSYSTEM"] == "1"
    assert environment["GIT_TERMINAL_PROMPT"] == "0"
    others = ("SSH_", "GITHUB_", "SSL_CERT", "GH_TOKEN")
    assert not [name for name in environment if name.startswith(others)]
    assert "the-token" not in "".join(environment.values()), "any program may print its environment"
