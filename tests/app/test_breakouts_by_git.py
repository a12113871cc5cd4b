"""From an agent's place, as its user: git told to go elsewhere, to run programs, to show other credentials.

Each attempt is made with the real git, and what reaches hive is on record with the agent's name.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive.facts.events import Noticed, RequestRuled, TokenRefused
from hive.facts.isolation import IsolationMode, IsolationOptions
from hive.standins.github.process import StandInProcess, start
from tests.app.places_for_tests import TOKENS, Hive, a_hive
from tests.fakes.authority import FakeAuthority
from tests.gateway.place import CREDENTIAL, REPO, identity, seed
from tests.shells.isolation.places import need

URL = f"https://github.com/{REPO}.git"
IN_CLONE = "cd ~/widgets && "


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("by-git")


@pytest.fixture(scope="module")
def forge(folder: Path) -> Iterator[StandInProcess]:
    process = start(folder / "forge", seed=seed(folder))
    yield process
    process.stop()


@pytest.fixture(scope="module")
def hive(folder: Path, forge: StandInProcess) -> Iterator[Hive]:
    need(IsolationMode.UID)
    authority = FakeAuthority({token: identity(name) for name, token in TOKENS.items()})
    made = a_hive(folder, IsolationOptions(mode=IsolationMode.UID), authority, forge)
    try:
        code, said = made.shell(
            f"git clone -q {URL} ~/widgets && cd ~/widgets && git checkout -q -b hive/a/work && "
            "echo more >> README.md && git commit -q -a -m 'Change it'"
        )
        assert (code, said) == (0, "")
        yield made
    finally:
        made.close()


@pytest.fixture(autouse=True)
def rulings(hive: Hive) -> None:
    """Each test sees the rulings of its own; refused tokens are written down once a minute."""
    hive.authority.events[:] = hive.authority.events_of(TokenRefused)


def heads(forge: StandInProcess) -> list[str]:
    """Branches that the forge really has."""
    return sorted(path.name for path in (forge.root / "git" / f"{REPO}.git" / "refs" / "heads").rglob("*"))


def denied(hive: Hive) -> list[tuple[str, str, str]]:
    return [
        (event.agent, event.action, event.target)
        for event in hive.authority.events_of(RequestRuled)
        if event.ruling == "deny"
    ]


def test_normal_work_goes_on(hive: Hive, forge: StandInProcess) -> None:
    code, said = hive.shell(f"{IN_CLONE} git push -q origin HEAD:hive/a/normal && git fetch -q")
    assert (code, "error" in said) == (0, False), said
    assert "normal" in heads(forge)


def test_another_address_for_the_forge_leads_to_the_same_ruling_or_nowhere(
    hive: Hive, forge: StandInProcess
) -> None:
    """``url.*.insteadOf``: by the same door it is the same request, and there is no other."""
    same = [f"https://github.com/./{REPO}.git", f"https://GitHub.com:443/{REPO.upper()}"]
    nowhere = [
        f"http://github.com/{REPO}",
        f"git://github.com/{REPO}",
        f"ssh://git@github.com/{REPO}",
        f"{forge.url}/{REPO}.git",
        f"http://127.0.0.1:{hive.gateway.port}/{REPO}.git",
        f"https://140.82.112.3/{REPO}.git",
        f"https://gitlab.com/{REPO}.git",
    ]
    before = heads(forge)
    for address in (*same, *nowhere):
        options = f"-c url.{address}.insteadOf={URL} -c url.{address}.pushInsteadOf={URL}"
        code, said = hive.shell(f"{IN_CLONE} GIT_SSL_NO_VERIFY=1 git {options} push -f {URL} HEAD:main")
        assert code != 0, address
        assert CREDENTIAL not in said
    assert heads(forge) == before
    assert denied(hive)[:1] == [("a", "push-default-branch", f"{REPO}@refs/heads/main")]
    asked = [event.message for event in hive.authority.events_of(Noticed) if event.about == "a"]
    assert (
        "tried to reach CONNECT gitlab.com:443, which is not allowed" not in asked
    )  # no proxy is set for it


def test_a_proxy_of_gits_own_choice_is_hives_and_leads_nowhere_else(hive: Hive) -> None:
    proxy = f"http://127.0.0.1:{hive.gateway.port}"
    hive.shell(f"git -c http.proxy={proxy} ls-remote https://gitlab.com/{REPO}.git")
    asked = [(event.about, event.message) for event in hive.authority.events_of(Noticed)]
    assert ("a", "tried to reach CONNECT gitlab.com:443, which is not allowed") in asked


def test_programs_that_git_is_told_to_run_are_the_agents_and_have_nothing_more(hive: Hive) -> None:
    """``GIT_SSH_COMMAND``, ``ext::``, ``core.fsmonitor``, hooks, editors: all run, in the same place."""
    home = hive.places.agent("a")
    tries = (
        "{ id -u; cat "
        + f"{hive.places.journal} {home.parent}/b/.config/hive/token {home.parent}/../../hive.yaml"
        "; env; } >> ~/ran 2>&1"
    )
    script = (
        "printf '#!/bin/sh\\n%s\\nexit 1\\n' \"$TRIES\" > ~/try && chmod 700 ~/try; rm -f ~/ran; " + IN_CLONE
    )
    ways = [
        f"GIT_SSH_COMMAND=$HOME/try git fetch git@github.com:{REPO}.git",
        "git -c protocol.ext.allow=always fetch 'ext::sh -c %H/try'".replace("%H", str(home)),
        f"git -c core.sshCommand=$HOME/try fetch ssh://git@github.com/{REPO}",
        "git -c core.fsmonitor=$HOME/try status",
        f"git -c credential.helper=$HOME/try -c http.proxy= ls-remote https://x@github.com/{REPO}.git",
        f"git -c core.gitProxy=$HOME/try ls-remote git://github.com/{REPO}",
        "git -c remote.origin.uploadpack=$HOME/try fetch file://$HOME/widgets",
        "cp ~/try .git/hooks/pre-push; git push origin HEAD:hive/a/hooked; rm .git/hooks/pre-push",
    ]
    hive.places.journal.write_text("secret of the journal")
    hive.shell(f"export TRIES={_quoted(tries)}; {script} " + "; ".join(ways), timeout=120)
    said = (home / "ran").read_text()
    uid = str(home.stat().st_uid)
    assert said.splitlines().count(uid) >= 6
    assert "secret of the journal" not in said
    for secret in (CREDENTIAL, TOKENS["b"], TOKENS["a"]):
        assert secret not in said


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def test_a_submodule_by_file_leads_to_no_mirror_of_hives_and_none_of_the_machines(
    hive: Hive, forge: StandInProcess
) -> None:
    mirrors = [path for path in hive.places.gateway.rglob("*.git") if path.is_dir()]
    assert mirrors
    for target in (*mirrors, forge.root / "git" / f"{REPO}.git"):
        code, _ = hive.shell(
            f"{IN_CLONE} git -c protocol.file.allow=always -c safe.directory='*' "
            f"submodule add file://{target} stolen"
        )
        assert code != 0
        code, _ = hive.shell(f"{IN_CLONE} git push {target} HEAD:main; test -e {target}")
        assert code == 1


def test_a_pushed_submodule_makes_hive_open_no_file_and_no_address(hive: Hive, forge: StandInProcess) -> None:
    """What an agent pushes is data to hive: nothing in it is checked out, fetched or run there."""
    proof = hive.places.agent("a") / "proof"
    text = (
        f'[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% {proof}\n'
        f'[submodule "y"]\n\tpath = y\n\turl = file://{hive.places.gateway}\n'
    )
    code, said = hive.shell(
        f"{IN_CLONE} git checkout -q -b hive/a/modules && cat > .gitmodules && "
        "echo '* filter=x' > .gitattributes && git add -A && git update-index --add "
        "--cacheinfo 160000,$(git rev-parse HEAD),x && git commit -q -m Modules && "
        "git -c push.recurseSubmodules=no push -q origin HEAD:hive/a/modules && git checkout -q hive/a/work",
        stdin=text,
    )
    assert code == 0, said
    assert "modules" in heads(forge)
    assert not proof.exists()


def test_a_credential_of_ones_own_choice_is_nobodys(hive: Hive, forge: StandInProcess) -> None:
    """In the URL and where else git takes one from: another agent's, hive's own, an invented one."""
    before = heads(forge)
    basic = f"$(printf 'x:%s' {CREDENTIAL} | base64 -w0)"
    helper = (
        "-c credential.helper= -c credential.helper='!printf \"username=x\\npassword=ghp_invented\\n\" #'"
    )
    ways = {
        "url": f"git push https://x-access-token:{TOKENS['b']}@github.com/{REPO}.git HEAD:main",
        "header": f'git -c http.extraHeader="Authorization: Basic {basic}" push origin HEAD:main',
        "helper": f"git {helper} push origin HEAD:main",
        "askpass": f"printf '#!/bin/sh\\necho {TOKENS['b']}\\n' > ~/ask; chmod 700 ~/ask; "
        f"GIT_ASKPASS=~/ask git -c credential.helper= push https://x@github.com/{REPO}.git HEAD:main",
    }
    for way, command in ways.items():
        code, said = hive.shell(IN_CLONE + command)
        assert (code, "Authentication failed" in said) == (128, True), (way, said)
    assert heads(forge) == before
    assert {event.address for event in hive.authority.events_of(TokenRefused)} == {"agent a"}
    assert denied(hive) == []


def test_ones_own_token_in_a_url_is_ruled_on_as_ever_and_kept_off_every_record(hive: Hive) -> None:
    token = TOKENS["a"]
    code, said = hive.shell(
        f"{IN_CLONE} git push https://x-access-token:{token}@github.com/{REPO}.git "
        "HEAD:main HEAD:refs/tags/v1"
    )
    assert code != 0
    assert "hive:" in said
    assert denied(hive) == [
        ("a", "push-default-branch", f"{REPO}@refs/heads/main"),
        ("a", "push-tag", f"{REPO}@refs/tags/v1"),
    ]
    assert token not in repr(hive.authority.events)


def test_a_replaced_git_and_gh_are_the_agents_own_toys(hive: Hive, forge: StandInProcess) -> None:
    """On its PATH, for itself: what hive runs for it is not found there, and what it asks is ruled on."""
    before = heads(forge)
    planted = "mkdir -p ~/bin ~/.local/bin; for d in ~/bin ~/.local/bin; do for n in git gh sh python3; do "
    planted += "printf '#!/bin/sh\\ntouch ~/planted\\n' > $d/$n; chmod 755 $d/$n; done; done"
    assert hive.shell(planted)[0] == 0
    environment = hive.ready["a"].launch.environment
    home = str(hive.places.agent("a"))
    assert not [each for each in environment["PATH"].split(os.pathsep) if each.startswith(home)]
    code, _ = hive.shell(
        f"{IN_CLONE} export PATH=$HOME/bin:$PATH; gh pr merge 1; /usr/bin/git push origin HEAD:main"
    )
    assert code != 0
    assert heads(forge) == before
    assert denied(hive) == [("a", "push-default-branch", f"{REPO}@refs/heads/main")]
