from __future__ import annotations

from datetime import time, timedelta
from pathlib import Path

import pytest

from hive.decisions.notices import Channel, NoticePolicy, QuietHours
from hive.errors import ConfigError
from hive.facts.needs import NeedKind
from tests.settings.conftest import GOOD, Loads

URL = "json://127.0.0.1:1/secret-path"


def wrong(loads: Loads, section: str) -> str:
    """What is said about a `notify:` section from line 8 on."""
    with pytest.raises(ConfigError) as caught:
        loads(f"{GOOD}notify:\n{section}", OPS_URL=URL)
    return str(caught.value).rpartition("hive.yaml:")[2]


def test_without_a_section_nobody_is_told(loads: Loads) -> None:
    assert loads().notify.policy == NoticePolicy()


def test_the_whole_section_is_read(loads: Loads) -> None:
    section = """\
notify:
  channels:
    ops:
      url: ${OPS_URL}
      kinds: [approval, incident]
      agents: [quality-1]
      repos: [O/R]
      per_hour: 3
      digest: ["09:00", "17:30"]
      resolved: true
  delay: 2m
  remind: 4h
  quiet_hours: {from: "22:00", to: "06:00"}
  urgent: [incident, budget]
  zone: Europe/Berlin
  limited_after: 30m
"""
    settings = loads(GOOD + section, OPS_URL=URL)
    channel = Channel(
        name="ops",
        kinds=frozenset({NeedKind.APPROVAL, NeedKind.INCIDENT}),
        agents=frozenset({"quality-1"}),
        repos=frozenset({"o/r"}),
        per_hour=3,
        digest=(time(9), time(17, 30)),
        resolved=True,
    )
    assert settings.notify.policy == NoticePolicy(
        channels=(channel,),
        delay=timedelta(minutes=2),
        remind=timedelta(hours=4),
        quiet=QuietHours(time(22), time(6), "Europe/Berlin"),
        urgent=frozenset({NeedKind.INCIDENT, NeedKind.BUDGET}),
        zone="Europe/Berlin",
        limited_after=timedelta(minutes=30),
    )
    assert settings.notify.readers()["ops"]() == URL
    assert URL not in repr(settings)


def test_an_address_may_stand_in_a_file_that_only_its_owner_reads(loads: Loads, tmp_path: Path) -> None:
    file = tmp_path / "ops"
    file.write_text(URL + "\n")
    file.chmod(0o600)
    settings = loads(GOOD + "notify: {channels: {ops: {url_file: ops}}}\n")
    assert settings.notify.readers()["ops"]() == URL
    assert settings.notify.secrets() == (URL,)
    file.chmod(0o644)
    with pytest.raises(ConfigError, match="others may read"):
        loads(GOOD + "notify: {channels: {ops: {url_file: ops}}}\n")


@pytest.mark.parametrize(
    ("section", "said"),
    [
        (
            "  channels: {ops: {}}\n",
            "9: notify.channels.ops: there is no url or url_file",
        ),
        (
            "  channels: {ops: {url: '${OPS_URL}', url_file: x}}\n",
            "9: notify.channels.ops: url and url_file are both given; keep one",
        ),
        (
            "  channels: {Ops: {url: '${OPS_URL}'}}\n",
            "9: notify.channels: 'Ops': a name has lower case letters, digits and inner hyphens, at most 39",
        ),
        (
            "  channels: {ops: {url: '${OPS_URL}', agents: [quality]}}\n",
            "9: notify.channels.ops.agents: 'quality' is not configured; did you mean 'quality-1'?",
        ),
        (
            "  channels: {ops: {url: '${OPS_URL}', repos: [o/x]}}\n",
            "9: notify.channels.ops.repos: 'o/x' is not configured; did you mean 'o/r'?",
        ),
    ],
)
def test_what_contradicts_itself_or_the_rest_is_refused(loads: Loads, section: str, said: str) -> None:
    assert wrong(loads, section) == said


def test_an_address_that_others_may_read_is_refused(loads: Loads, tmp_path: Path) -> None:
    section = f"  channels: {{ops: {{url: '{URL}'}}}}\n"
    said = wrong(loads, section)
    assert said.startswith("9: notify.channels.ops.url: others may read it in this file")
    assert URL not in said


def test_a_time_without_quotes_or_out_of_the_day_is_refused(loads: Loads) -> None:
    said = wrong(loads, "  quiet_hours: {from: '25:00', to: '06:00'}\n")
    assert "'25:00' is no time of day; write it like 22:00, in quotes" in said
    assert "is no time zone" in wrong(loads, "  zone: Mars/Base\n")
