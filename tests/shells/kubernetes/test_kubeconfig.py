"""Contexts and credentials of kubeconfig files; what is wrong in one is said in a line, with the file."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from hive.errors import ConfigError, Refused, Unreachable
from hive.shells.kubernetes import ContextEntry, KubernetesCluster, contexts, kubeconfig_path, login
from hive.shells.kubernetes.kubeconfig import settings_of
from tests.cluster.pki import Authority

SERVER = "https://127.0.0.1:6443"


def document(user: dict[str, Any] | None = None, authority: str = "") -> dict[str, Any]:
    cluster = {"certificate-authority": authority} if authority else {}
    return {
        "clusters": [{"name": "c", "cluster": {"server": SERVER, **cluster}}],
        "users": [{"name": "u", "user": user or {}}],
        "contexts": [{"name": "east", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "east",
    }


def written(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def program(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def plugin(command: str, **more: Any) -> dict[str, Any]:
    version = "client.authentication.k8s.io/v1"
    return {"exec": {"command": command, "apiVersion": version, "interactiveMode": "Never", **more}}


def test_contexts_come_from_all_files_and_the_first_word_counts(tmp_path: Path) -> None:
    first = written(tmp_path / "first", document())
    other = document()
    other["contexts"].append({"name": "west", "context": {"cluster": "away", "user": ""}})
    other["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:1"
    second = written(tmp_path / "second", other)
    assert contexts(f"{first}:{tmp_path / 'absent'}:{second}") == (
        ContextEntry("east", "c", "u", SERVER, is_current=True),
        ContextEntry("west", "away", "", "", is_current=False),
    )


def test_the_file_is_the_given_one_else_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/x")
    monkeypatch.setenv("KUBECONFIG", "/a:~/b")
    assert kubeconfig_path() == "/a:/home/x/b"
    assert kubeconfig_path("~/c") == "/home/x/c"
    monkeypatch.delenv("KUBECONFIG")
    assert kubeconfig_path() == "/home/x/.kube/config"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: [1", "1: this is not valid YAML: "),
        ("[1, 2]", "this is no kubeconfig"),
        ("", " file is empty"),
        ({"contexts": [{"context": {}}]}, "this is no kubeconfig"),
        ({"contexts": 3}, "this is no kubeconfig"),
        ("\x00", "this is no kubeconfig"),
    ],
)
def test_a_broken_file_is_said_in_one_line_with_its_name(
    content: object, message: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "config", content)
    with pytest.raises(ConfigError) as raised:
        contexts(path)
    assert str(raised.value).startswith(str(path))
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_absent_file_is_said_with_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "config"
    with pytest.raises(ConfigError) as raised:
        contexts(path)
    assert (
        str(raised.value)
        == f"{path}: there is no kubeconfig here; set `fleet.kubeconfig` or KUBECONFIG to one"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"contexts": [{"name": "w", "context": {}}]}, "there is no context 'east'; the file has: w"),
        ({"contexts": []}, "there is no context 'east'; the file has: none at all"),
        ({"users": []}, "context 'east' names the user 'u', which the file does not have"),
        ({"clusters": []}, "context 'east' names the cluster 'c', which has no server in the file"),
    ],
)
def test_a_context_with_a_part_missing_is_not_used_as_nobody(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "config", document() | change)
    with pytest.raises(ConfigError) as raised:
        settings_of(path, "east")
    assert str(raised.value) == f"{path}: {message}"


def test_an_authority_or_key_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "config", document(authority="ca.crt"))
    with pytest.raises(ConfigError, match=r"context 'east': File does not exist: .*ca\.crt"):
        settings_of(path, "east")
    path = written(tmp_path / "config", document({"client-certificate-data": "abcde"}))
    with pytest.raises(ConfigError, match="context 'east': a certificate or key in it is not base64"):
        settings_of(path, "east")


def test_an_authority_that_is_no_certificate_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "ca.crt").write_text("no certificate\n")
    path = written(tmp_path / "config", document(authority="ca.crt"))
    with pytest.raises(ConfigError, match="context 'east': its certificates cannot be used"):
        KubernetesCluster.from_kubeconfig(path, "east").version()


def test_a_token_file_may_end_in_a_newline(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("t-1\n")
    path = written(tmp_path / "config", document({"tokenFile": "token"}))
    assert settings_of(path, "east").api_key == {"BearerToken": "Bearer t-1"}


def test_a_login_program_gives_a_token_and_is_told_its_part(tmp_path: Path) -> None:
    script = """\
echo "$KUBERNETES_EXEC_INFO" > "$PLACE"
echo '{"kind": "ExecCredential", "status": {"token": "t-'$1'"}}'
"""
    command = program(tmp_path / "login", script)
    env = [{"name": "PLACE", "value": str(tmp_path / "told")}]
    path = written(tmp_path / "config", document(plugin(command, args=["9"], env=env)))
    assert settings_of(path, "east").api_key == {"BearerToken": "Bearer t-9"}
    told = json.loads((tmp_path / "told").read_text())
    assert (told["kind"], told["spec"]["interactive"]) == ("ExecCredential", False)


def test_a_login_program_may_give_a_certificate(tmp_path: Path) -> None:
    certificate, private = Authority(tmp_path / "pki", "test").issue("user", "somebody")
    given = {"clientCertificateData": certificate.read_text(), "clientKeyData": private.read_text()}
    answer = {"status": given}
    command = program(tmp_path / "login", f"cat {written(tmp_path / 'answer', answer)}")
    settings = settings_of(written(tmp_path / "config", document(plugin(command))), "east")
    assert Path(str(settings.cert_file)).read_text() == certificate.read_text()
    key = Path(str(settings.key_file))
    assert key.read_text() == private.read_text()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo first >&2; echo 'please log in' >&2; exit 3", "ended with 3: please log in; run `"),
        ("exit 4", "ended with 4: it said nothing; run `"),
        ("echo s3cret", "printed no credential; run `"),
        ('echo \'{"status": {"clientCertificateData": "s3cret"}}\'', "printed no credential; run `"),
    ],
)
def test_a_login_program_that_fails_says_why_and_nothing_that_it_printed(
    script: str, message: str, tmp_path: Path
) -> None:
    command = program(tmp_path / "login", script)
    path = written(tmp_path / "config", document(plugin(command)))
    with pytest.raises(Refused) as raised:
        settings_of(path, "east")
    assert f"context 'east': the login program {message}" in str(raised.value)
    assert "s3cret" not in str(raised.value)


def test_a_login_program_that_is_not_installed_is_said_with_its_own_hint(tmp_path: Path) -> None:
    user = plugin("no-such-login", installHint="get it from your cloud")
    path = written(tmp_path / "config", document(user))
    message = "the login program 'no-such-login' cannot be run: No such file or directory; get it from"
    with pytest.raises(ConfigError, match=message):
        settings_of(path, "east")


def test_a_login_program_that_waits_for_somebody_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(login, "SECONDS", 0.2)
    path = written(tmp_path / "config", document(plugin(program(tmp_path / "login", "exec sleep 600"))))
    with pytest.raises(Unreachable, match="the login program took longer than"):
        settings_of(path, "east")
