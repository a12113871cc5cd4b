"""From words to commands: what is understood, and what is said where it is not."""

from __future__ import annotations

import pytest

from hive import __version__
from hive.cli import hands, main
from hive.cli.commands import COMMANDS
from hive.cli.parser import parse
from hive.errors import ConfigError


def leaves(*words: str) -> int:
    with pytest.raises(SystemExit) as leaving:
        parse(words)
    return int(leaving.value.code or 0)


def test_options_stand_behind_their_command() -> None:
    options = parse(("status", "--json", "-c", "other.yaml"))
    assert vars(options) == {"handler": "views:status", "json": True, "config": "other.yaml"}


def test_a_command_in_a_group_is_found() -> None:
    options = parse(("acmm", "decide", "--level", "4", "--role", "quality", "--action", "merge"))
    assert (options.handler, options.level, options.json) == ("decide:acmm_decide", "4", False)


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert leaves("--help") == 0
    told = capsys.readouterr().out
    assert all(f"  {name} " in told and command.about in told for name, command in COMMANDS.items())
    assert "2 bad input or configuration" in told


@pytest.mark.parametrize("words", [("acmm", "--help"), ("check", "-h"), ("acmm", "table", "--help")])
def test_help_is_about_what_stands_before_it(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert leaves(*words) == 0
    assert capsys.readouterr().out.startswith(f"usage: hive {' '.join(words[:-1])} [-h]")


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert leaves("--version") == 0
    assert capsys.readouterr().out == f"hive {__version__}\n"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "name a command; see 'hive --help'"),
        (("acmm",), "name a command; see 'hive acmm --help'"),
        (("stats",), "there is no command 'stats'; did you mean 'status'?; see 'hive --help'"),
        (("acmm", "decid"), "there is no command 'decid'; did you mean 'decide'?; see 'hive acmm --help'"),
        (("xyzzy",), "there is no command 'xyzzy'; see 'hive --help'"),
        (("--jsn", "status"), "unrecognized arguments: --jsn; see 'hive --help'"),
        (("status", "--js"), "unrecognized arguments: --js; see 'hive status --help'"),
        (("demo", "--level", "7"), None),
    ],
)
def test_what_is_no_command_line_is_one_line_and_exit_2(
    words: tuple[str, ...], complaint: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert leaves(*words) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    if complaint is not None:
        assert told.err == f"hive: {complaint}\n"


def test_every_command_has_somebody_who_carries_it_out() -> None:
    from importlib import import_module

    for command in (one for group in COMMANDS.values() for one in (group.commands or {"": group}).values()):
        module, _, function = command.handler.partition(":")
        assert callable(getattr(import_module(f"hive.cli.{module}"), function))


@pytest.mark.parametrize("columns", ["40", "200", "0", "wide"])
def test_help_is_as_wide_as_there_is_room(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert leaves("bench", "--help") == 0
    assert "its own where left out" in " ".join(capsys.readouterr().out.split())


def test_what_a_message_quotes_moves_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "x\x1b[2J\u202e\nhive: done"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("hive: there is no schema 'x?[2J? hive: done'; known: ")
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize("words", [("ada",), ("ada", "go on", "--option", "1")])
def test_send_takes_a_text_or_an_option_and_says_so(words: tuple[str, ...]) -> None:
    options = parse(("send", *words))
    with pytest.raises(ConfigError, match=r"give a text to type, or --option N\|TEXT to choose in a box"):
        hands.send(options)
