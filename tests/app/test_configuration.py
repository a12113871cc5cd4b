"""The configuration file while hive runs: all of it or nothing, and one event for each change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hive.app.configuration import LiveConfiguration
from hive.errors import ConfigError
from hive.facts import events as e
from hive.facts.autonomy import AcmmLevel
from tests.settings.conftest import ENVIRON, GOOD, backends


class File:
    def __init__(self, folder: Path, text: str = GOOD) -> None:
        self.path = folder / "hive.yaml"
        self.saved = 0
        self.save(text)
        self.live = LiveConfiguration(self.path, environ=ENVIRON, backends=backends(), guardrails={})

    def save(self, text: str) -> None:
        """As an editor does: the file is replaced, and its time moves on."""
        beside = self.path.with_suffix(".new")
        beside.write_text(text)
        self.saved += 1
        os.utime(beside, ns=(self.saved * 10**9, self.saved * 10**9))
        beside.replace(self.path)

    def told(self, *, force: bool = False) -> list[type[e.Event]]:
        return [type(one) for one in self.live.refresh(force=force)]


LOADED, REJECTED = e.ConfigurationLoaded, e.ConfigurationRejected


def test_the_first_reading_is_told_once(tmp_path: Path) -> None:
    file = File(tmp_path)
    (event,) = file.live.refresh()
    assert isinstance(event, LOADED)
    assert (event.source, len(event.digest)) == (str(file.path), 64)
    assert file.told() == []


def test_a_first_reading_that_is_wrong_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"hive\.yaml:1: "):
        File(tmp_path, GOOD.replace("level: 4", "level: 44"))


def test_a_valid_change_takes_effect_with_one_event(tmp_path: Path) -> None:
    file = File(tmp_path)
    file.told()
    file.save(GOOD.replace("level: 4", "level: 2") + "tick: 2s\npoll: 30s\n")
    assert file.told() == [LOADED]
    assert file.live.policy.level is AcmmLevel.L2
    assert (file.live.tick.total_seconds(), file.live.poll.total_seconds()) == (2, 30)
    assert file.told() == []


def test_an_invalid_change_leaves_the_old_one_in_force_with_one_event(tmp_path: Path) -> None:
    file = File(tmp_path)
    file.told()
    before = file.live.policy
    for _ in range(2):
        file.save(GOOD.replace("level: 4", "levle: 4"))
        told = file.live.refresh()
        if told:
            (event,) = told
            assert isinstance(event, REJECTED)
            assert event.message.startswith(f"{file.path}:1: ")
    assert file.live.policy is before
    assert file.saved == 3
    assert file.told() == []


def test_a_file_that_is_gone_leaves_everything_as_it_was(tmp_path: Path) -> None:
    file = File(tmp_path)
    file.told()
    file.path.unlink()
    assert file.told() == [REJECTED]
    assert file.told() == []
    file.save(GOOD.replace("level: 4", "level: 3"))
    assert file.told() == [LOADED]
    assert file.live.policy.level is AcmmLevel.L3


def test_a_file_that_is_right_again_is_not_news_and_the_next_fault_is(tmp_path: Path) -> None:
    file = File(tmp_path)
    file.told()
    told = []
    for text in ("level: 44\n", GOOD, "level: 44\n"):
        file.save(text)
        told.append(file.told())
    assert told == [[REJECTED], [], [REJECTED]]


def test_one_bad_agent_is_told_and_the_others_run(tmp_path: Path) -> None:
    """hive 6024: one bad overlay stopped the boot for eight hours, and nobody said which."""
    five = "".join(f"  - {{name: q{n}, role: quality, backend: claude}}\n" for n in range(1, 5))
    bad = "  - {name: q5, role: quality, backend: clade}\n"
    file = File(tmp_path, GOOD.split("agents:")[0] + "agents:\n" + five + bad)
    told = file.live.refresh()
    assert [type(one) for one in told] == [LOADED, e.AgentRejected]
    rejected = told[1]
    assert isinstance(rejected, e.AgentRejected)
    assert (rejected.agent, "clade" in rejected.message) == ("q5", True)
    assert f"{file.path}:" in rejected.message
    assert list(file.live.specs) == ["q1", "q2", "q3", "q4"]
    assert file.live.policy.retired == {"q5"}


def test_the_state_folder_cannot_move_while_hive_runs(tmp_path: Path) -> None:
    file = File(tmp_path)
    file.told()
    file.save(GOOD + "state: elsewhere\n")
    (event,) = file.live.refresh()
    assert isinstance(event, REJECTED)
    assert "'state' cannot move while hive runs" in event.message
    assert file.live.settings.state == tmp_path / ".hive"


@pytest.mark.parametrize(
    ("section", "told"),
    [
        (
            "app: {id: '7', private_key_file: key.pem}",
            "the credential of 'github' cannot change while hive runs (from a token to the App 7); stop hive "
            "first, agents stay",
        ),
        (
            "token: ${GITHUB_TOKEN}\n  api_url: https://ghe.example/api/v3",
            "'github.api_url' cannot change while hive runs (from https://api.github.com to "
            "https://ghe.example/api/v3); stop hive first, agents stay",
        ),
        (
            "token: ${GITHUB_TOKEN}\n  webhooks: {listen: '127.0.0.1:8686', secret: sixteen-letters-long}",
            "'github.webhooks.listen' cannot change while hive runs (from nowhere to 127.0.0.1:8686); stop "
            "hive first, agents stay",
        ),
    ],
)
def test_what_clients_and_listeners_are_built_upon_takes_another_start(
    tmp_path: Path, section: str, told: str
) -> None:
    key = tmp_path / "key.pem"
    key.write_text("-----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY-----\n")
    key.chmod(0o600)
    file = File(tmp_path)
    file.told()
    before = file.live.settings
    file.save(GOOD.replace("token: ${GITHUB_TOKEN}", section))
    (event,) = file.live.refresh()
    assert event == REJECTED(message=f"{file.path}: {told}")
    assert file.live.settings is before


def test_another_token_and_another_secret_are_taken_while_hive_runs(tmp_path: Path) -> None:
    hooked = "token: ${GITHUB_TOKEN}\n  webhooks: {listen: '127.0.0.1:8686', secret: sixteen-letters-long}"
    file = File(tmp_path, GOOD.replace("token: ${GITHUB_TOKEN}", hooked))
    file.told()
    changed = hooked.replace("${GITHUB_TOKEN}", "another").replace("sixteen-letters", "seventeen-letters")
    (tmp_path / "hive.yaml").chmod(0o600)
    file.save(GOOD.replace("token: ${GITHUB_TOKEN}", changed))
    file.path.chmod(0o600)
    assert file.told(force=True)[0] is LOADED
    webhooks = file.live.settings.github.webhooks
    assert webhooks is not None
    assert webhooks.secret.reveal() == "seventeen-letters-long"


def test_a_signal_has_the_file_read_and_told_again_though_nothing_changed(tmp_path: Path) -> None:
    file = File(tmp_path)
    file.told()
    assert file.told(force=True) == [LOADED]
    file.save("level: 44\n")
    assert file.told() == [REJECTED]
    assert file.told(force=True) == [REJECTED]


def test_a_change_that_means_the_same_is_no_news(tmp_path: Path) -> None:
    file = File(tmp_path)
    file.told()
    file.save(GOOD)
    assert file.told() == []


def test_the_policy_has_what_the_file_says(tmp_path: Path) -> None:
    text = GOOD.replace("  - o/r\n", "  - o/r\n  - {name: o/low, level: 2}\n")
    policy = File(tmp_path, text + "gateway: {hold_label: wait}\n").live.policy
    assert policy.repo_levels == {"o/low": AcmmLevel.L2}
    assert set(policy.merge) == {"o/r", "o/low"}
    assert policy.hold_label == "wait"
    assert policy.merge["o/r"].holds("WAIT")
    assert policy.triage.holds("Wait")
    assert policy.agents[0].repos == ("o/r", "o/low")
