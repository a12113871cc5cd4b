"""Log lines: one a record, with their context, without secrets."""

from __future__ import annotations

import io
import logging
import threading
from collections.abc import Iterator

import pytest

from hive.shells.system.logs import AGENT, INTENT, TICK, configure_logs, log_context

TOKEN = "ghp_" + "a1B2" * 9
LOG = logging.getLogger("hive.test")


@pytest.fixture
def output() -> Iterator[io.StringIO]:
    root, own = logging.getLogger(), logging.getLogger("hive")
    levels = root.level, own.level
    stream = io.StringIO()
    handler = configure_logs(stream=stream, secrets=lambda: ["correct horse"])
    yield stream
    root.removeHandler(handler)
    handler.close()
    root.setLevel(levels[0])
    own.setLevel(levels[1])


def only_line(output: io.StringIO) -> str:
    (line,) = output.getvalue().splitlines()
    return line


def after_time(line: str) -> str:
    return line.partition(" ")[2]


def test_a_record_is_one_line_with_level_name_and_context(output: io.StringIO) -> None:
    with log_context(tick=3, intent="start/ann/1", agent="ann"):
        LOG.info("started %s", "it")
    assert after_time(only_line(output)) == "INFO hive.test tick=3 intent=start/ann/1 agent=ann: started it"


def test_without_context_none_is_written(output: io.StringIO) -> None:
    LOG.warning("x")
    assert after_time(only_line(output)) == "WARNING hive.test: x"


def test_context_ends_with_its_block_and_nests() -> None:
    with log_context(tick=1, agent="ann"):
        with log_context(agent="bob"):
            assert (TICK.get(), INTENT.get(), AGENT.get()) == (1, "", "bob")
        assert (TICK.get(), AGENT.get()) == (1, "ann")
    assert (TICK.get(), AGENT.get()) == (0, "")


def test_another_thread_has_its_own_context() -> None:
    seen: list[int] = []
    with log_context(tick=4):
        thread = threading.Thread(target=lambda: seen.append(TICK.get()))
        thread.start()
        thread.join()
    assert seen == [0]


def test_times_are_utc_with_milliseconds(output: io.StringIO) -> None:
    record = logging.LogRecord("hive.test", logging.INFO, "", 0, "x", None, None)
    record.created, record.msecs = 0.25, 250
    logging.getLogger("hive.test").handle(record)
    assert only_line(output) == "1970-01-01T00:00:00.250Z INFO hive.test: x"


def test_line_ends_and_commands_to_terminals_cannot_come_through(output: io.StringIO) -> None:
    LOG.info("title: %s", "a\nERROR forged\r\n\x1b[2J\x9b2J\u2028\ttab")
    text = after_time(only_line(output))
    assert text == r"INFO hive.test: title: a | ERROR forged | \x1b[2J\x9b2J\u2028\ttab"


def test_secrets_are_taken_from_message_arguments_exception_and_stack(output: io.StringIO) -> None:
    try:
        try:
            raise ValueError(f"inner {TOKEN}")
        except ValueError as error:
            raise RuntimeError("outer correct horse") from error
    except RuntimeError:
        LOG.exception("bad %s", {"Authorization": f"token {TOKEN}"}, stack_info=True)
    line = only_line(output)
    assert TOKEN not in line
    assert "correct horse" not in line
    assert "RuntimeError: outer [redacted]" in line
    assert "ValueError: inner [redacted]" in line


def test_a_secret_split_over_arguments_is_found_in_the_whole(output: io.StringIO) -> None:
    LOG.info("%s%s", TOKEN[:10], TOKEN[10:])
    assert after_time(only_line(output)) == "INFO hive.test: [redacted]"


def test_a_call_whose_arguments_do_not_fit_tells_no_argument(
    output: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    LOG.info("one %s", "a", TOKEN)  # noqa: PLE1205 - the fault that is tested
    assert after_time(only_line(output)) == "INFO hive.test: one %s (arguments do not fit: TypeError)"
    assert capsys.readouterr().err == ""


def test_libraries_are_redacted_too_and_quiet_below_warning(output: io.StringIO) -> None:
    library = logging.getLogger("some.library")
    library.info("chatter")
    library.warning("sent %s", TOKEN)
    assert after_time(only_line(output)) == "WARNING some.library: sent [redacted]"


def test_configuring_again_replaces_the_first(output: io.StringIO) -> None:
    second = io.StringIO()
    handler = configure_logs(stream=second, level="DEBUG")
    try:
        LOG.debug("x")
    finally:
        logging.getLogger().removeHandler(handler)
    assert output.getvalue() == ""
    assert after_time(only_line(second)) == "DEBUG hive.test: x"
