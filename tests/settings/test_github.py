from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

from hive.errors import ConfigError
from hive.settings.github import addresses
from hive.settings.secret import Secret
from tests.settings.conftest import GOOD, Loads


def github(loads: Loads, section: str) -> str:
    """What is said about a `github:` section on line 2, from its key on."""
    with pytest.raises(ConfigError) as caught:
        loads(GOOD.replace("github:\n  token: ${GITHUB_TOKEN}\n", f"github: {section}\n"))
    return str(caught.value).rpartition("hive.yaml:")[2]


@pytest.mark.parametrize(
    ("api", "graphql", "git"),
    [
        ("https://api.github.com", "https://api.github.com/graphql", "https://github.com"),
        ("https://ghe.example/api/v3", "https://ghe.example/api/graphql", "https://ghe.example"),
        ("https://api.acme.ghe.com", "https://api.acme.ghe.com/graphql", "https://acme.ghe.com"),
        ("http://127.0.0.1:8080/api/v3", "http://127.0.0.1:8080/api/graphql", "http://127.0.0.1:8080"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/graphql", "http://127.0.0.1:8080"),
    ],
)
def test_the_other_addresses_follow_from_the_rest_address(api: str, graphql: str, git: str) -> None:
    assert addresses(api) == (graphql, git)


def test_addresses_that_do_not_follow_are_given(loads: Loads) -> None:
    settings = loads(
        GOOD.replace(
            "github:",
            "github:\n  api_url: http://[::1]:1/x/\n  graphql_url: https://g\n  git_url: https://h/git",
        )
    )
    assert (settings.github.api_url, settings.github.graphql_url, settings.github.git_url) == (
        "http://[::1]:1/x",
        "https://g",
        "https://h/git",
    )


CLEAR = "would send the token in the clear; write https:// (http is for loopback only)"


@pytest.mark.parametrize(
    ("key", "url", "said"),
    [
        ("api_url", "github.com", "'github.com' is no address; write it like https://api.github.com"),
        ("api_url", "ftp://x", "'ftp://x' is no address; write it like https://api.github.com"),
        (
            "api_url",
            "https://x:99999",
            "'https://x:99999' is no address; write it like https://api.github.com",
        ),
        ("api_url", "http://api.github.com", f"'http://api.github.com' {CLEAR}"),
        ("graphql_url", "http://10.0.0.1/g", f"'http://10.0.0.1/g' {CLEAR}"),
        ("git_url", "http://localhost.evil.example", f"'http://localhost.evil.example' {CLEAR}"),
        ("git_url", "http://127.0.0.1.evil.example", f"'http://127.0.0.1.evil.example' {CLEAR}"),
        (
            "api_url",
            "https://me:pw@x",
            "an address does not carry a user or a password; write the credential under token",
        ),
        ("api_url", "https://x/?a=b", "'https://x/?a=b' has more than host and path; leave out what follows"),
    ],
)
def test_an_address_that_a_token_must_not_go_to_is_refused(
    loads: Loads, key: str, url: str, said: str
) -> None:
    found = github(loads, f"{{token: '${{GITHUB_TOKEN}}', {key}: '{url}'}}")
    assert found == f"2: github.{key}: {said}"


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("{}", "2: github: there is no credential; write token: ${GITHUB_TOKEN}, token_file: PATH, or app"),
        (
            "{token: '${GITHUB_TOKEN}', token_file: t}",
            "2: github: token and token_file are both given; keep one",
        ),
        ("{token: '${EMPTY}'}", "2: github.token: the variable EMPTY is not set; "),
        ("{token: ''}", "2: github.token: the token is empty"),
        (
            '{token: "a\\nb"}',
            "2: github.token: the token holds characters that no token has; is there more than",
        ),
    ],
)
def test_there_is_exactly_one_credential(loads: Loads, section: str, said: str) -> None:
    assert github(loads, section)[: len(said)] == said


PEM = "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n"


def test_an_app_takes_the_place_of_a_token(loads: Loads, tmp_path: Path) -> None:
    key = tmp_path / "app.pem"
    key.write_text(PEM)
    key.chmod(0o600)
    loaded = loads(GOOD.replace("token: ${GITHUB_TOKEN}", "app: {id: 12345, private_key_file: app.pem}"))
    assert loaded.github.app is not None
    assert (loaded.github.app.id, loaded.github.app.key()) == ("12345", PEM.strip())


@pytest.mark.parametrize(
    ("text", "mode", "said"),
    [
        (None, 0, "the private key cannot be read: No such file or directory"),
        (PEM, 0o644, "others may read this private key; chmod 600 {file}"),
        ("ghp_x", 0o600, "this is no private key in PEM"),
    ],
)
def test_a_key_that_is_none_or_that_others_read_is_refused(
    loads: Loads, tmp_path: Path, text: str | None, mode: int, said: str
) -> None:
    file = tmp_path / "app.pem"
    if text is not None:
        file.write_text(text)
        file.chmod(mode)
    found = github(loads, "{app: {id: Iv1.x, private_key_file: app.pem}}")
    assert found == f"2: github.app.private_key_file: {file}: {said.format(file=file)}"


TOKEN = "{token: '${GITHUB_TOKEN}', webhooks: "


def test_deliveries_arrive_on_this_machine_alone_by_default(loads: Loads) -> None:
    loaded = loads(
        GOOD.replace(
            "token: ${GITHUB_TOKEN}\n",
            "token: ${GITHUB_TOKEN}\n  webhooks: {secret: 0123456789abcdef}\n",
        )
    )
    webhooks = loaded.github.webhooks
    assert webhooks is not None
    assert (webhooks.host, webhooks.port, webhooks.secret.reveal()) == ("127.0.0.1", 8686, "0123456789abcdef")


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("{secret: short}", "secret: it is too short; make one with: openssl rand -hex 32"),
        (
            "{secret: 0123456789abcdef, listen: here}",
            "listen: 'here' is no address; write it like 127.0.0.1:8686",
        ),
    ],
)
def test_a_listener_that_nobody_could_trust_or_reach_is_refused(
    loads: Loads, section: str, said: str
) -> None:
    assert github(loads, f"{TOKEN}{section}}}") == f"2: github.webhooks.{said}"


def test_a_token_in_a_file_that_others_read_is_refused(loads: Loads, tmp_path: Path) -> None:
    text = GOOD.replace("${GITHUB_TOKEN}", "ghp_written_out")
    with pytest.raises(ConfigError) as caught:
        loads(text)
    file = tmp_path / "hive.yaml"
    assert str(caught.value) == (
        f"{file}:3: github.token: others may read the token in this file; "
        f"write ${{GITHUB_TOKEN}}, or chmod 600 {file}"
    )
    file.chmod(0o600)
    assert loads(text).github.credential() == "ghp_written_out"


def test_a_token_file_is_read_anew_each_time(loads: Loads, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("ghp_first\n")
    file.chmod(0o600)
    settings = loads(GOOD.replace("token: ${GITHUB_TOKEN}", "token_file: token"))
    assert settings.github.credential() == "ghp_first"
    file.write_text("ghp_second\n")
    assert settings.github.credential() == "ghp_second"
    file.chmod(0o640)
    with pytest.raises(ConfigError) as caught:
        settings.github.credential()
    assert str(caught.value) == f"{file}: others may read this token; chmod 600 {file}"
    file.unlink()
    with pytest.raises(ConfigError, match="the token cannot be read: No such file or directory"):
        settings.github.credential()


@pytest.mark.parametrize(
    ("content", "mode", "said"),
    [
        (b"", 0o600, "the token is empty"),
        (b"one\ntwo\n", 0o600, "the token holds characters that no token has; is there more than one line?"),
        (b"\xff", 0o600, "the token cannot be read: it is not UTF-8 text"),
        (b"ghp_x", 0o604, "others may read this token; chmod 600 {file}"),
    ],
)
def test_a_token_file_that_is_no_good_is_refused_at_its_line(
    loads: Loads, tmp_path: Path, content: bytes, mode: int, said: str
) -> None:
    file = tmp_path / "token"
    file.write_bytes(content)
    file.chmod(mode)
    assert github(loads, "{token_file: token}") == (f"2: github.token_file: {file}: {said.format(file=file)}")


def test_a_token_file_that_is_a_folder_is_refused(loads: Loads, tmp_path: Path) -> None:
    assert github(loads, "{token_file: .}") == (
        f"2: github.token_file: {tmp_path}: this is no file; write the token into one"
    )


def test_a_secret_does_not_show_itself(loads: Loads) -> None:
    secret = Secret("ghp_0123456789abcdef")
    assert (repr(secret), str(secret), f"{secret}") == ("***", "***", "***")
    assert secret == Secret("ghp_0123456789abcdef")
    assert secret != Secret("ghp_other")
    assert secret != "ghp_0123456789abcdef"
    for write in (pickle.dumps, copy.copy):
        with pytest.raises(TypeError):
            write(secret)
    settings = loads()
    assert settings.github.credential() == "ghp_0123456789abcdef"
    assert "ghp_" not in repr(settings)
