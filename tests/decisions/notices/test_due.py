from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, time, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.notices import Channel, Message, NoticePolicy, QuietHours, due
from hive.decisions.notices.message import clean
from hive.decisions.recall import recall
from hive.facts import events as e
from hive.facts.memory import Memory
from hive.facts.needs import NeedKind
from tests.decisions.worlds import NOW

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
OPS = Channel("ops")
POLICY = NoticePolicy(channels=(OPS,))


def raised(name: str = "quality", need: NeedKind = NeedKind.ASKING, text: str = "Overwrite?") -> e.NeedRaised:
    return e.NeedRaised(
        key=f"{need}/{name}", need=need, about=name, text=text, command=f"hive send {name} ...", agent=name
    )


def cleared(name: str = "quality", need: NeedKind = NeedKind.ASKING) -> e.NeedCleared:
    return e.NeedCleared(key=f"{need}/{name}", about=name)


def after(known: Memory, events: Iterable[e.Event], at: datetime) -> Memory:
    return recall(known, [e.Record(known.seq + 1 + n, at, 1, one) for n, one in enumerate(events)])


def waiting(*events: e.Event, since: timedelta = MINUTE) -> Memory:
    return after(Memory(), events or (raised(),), NOW - since)


def sent(known: Memory, messages: Iterable[Message], at: datetime = NOW, failure: str = "") -> Memory:
    return after(known, [ended(one, failure) for one in messages], at)


def ended(one: Message, failure: str) -> e.NoticeEnded:
    return e.NoticeEnded(
        notice=one.id, channel=one.channel, keys=one.keys, resolved=one.resolved, failure=failure
    )


def titles(messages: Iterable[Message]) -> list[str]:
    return [one.title for one in messages]


def test_a_need_is_told_with_the_command_that_deals_with_it() -> None:
    (message,) = due(waiting(), POLICY, NOW)
    assert (message.channel, message.keys) == ("ops", ("asking/quality",))
    assert (message.title, message.body) == (
        "hive: quality is asking",
        "quality is asking: Overwrite?\n  hive send quality ...",
    )


def test_it_is_told_once() -> None:
    known = sent(waiting(), due(waiting(), POLICY, NOW))
    assert due(known, POLICY, NOW + 24 * HOUR) == ()


def test_it_is_told_again_after_the_time_that_the_operator_named() -> None:
    reminding = replace(POLICY, remind=HOUR)
    known = sent(waiting(), due(waiting(), reminding, NOW))
    assert due(known, reminding, NOW + HOUR - MINUTE) == ()
    assert titles(due(known, reminding, NOW + HOUR)) == ["hive: quality is asking"]


def test_what_goes_by_itself_within_the_delay_is_not_told() -> None:
    known = waiting(since=timedelta(seconds=29))
    assert due(known, POLICY, NOW) == ()
    assert due(after(known, [cleared()], NOW), POLICY, NOW + HOUR) == ()


def test_an_agent_that_flips_twenty_times_in_a_minute_is_told_once() -> None:
    known, told = Memory(), 0
    for step in range(0, 120, 3):
        now = NOW + timedelta(seconds=step)
        known = after(known, [raised() if step % 2 == 0 else cleared()], now)
        messages = due(known, POLICY, now)
        told += len(messages)
        known = sent(known, messages, now)
    assert told == 1


def test_a_person_at_the_agents_session_is_not_told_of_what_is_on_the_screen() -> None:
    stuck = raised("quality", NeedKind.STUCK)
    known = waiting(raised(), stuck)
    told = due(known, POLICY, NOW, attended=frozenset({"quality"}))
    assert titles(told) == ["hive: quality is stuck"]


def test_many_needs_at_once_are_one_message() -> None:
    known = waiting(*(raised(f"a-{number}") for number in range(25)))
    (message,) = due(known, POLICY, NOW)
    assert message.title == "hive: 25 wait for you"
    assert len(message.keys) == 25
    assert message.body.splitlines()[-1] == "… and 5 more: hive notify list"
    assert due(sent(known, [message]), POLICY, NOW) == ()


def test_a_channel_that_had_its_share_of_the_hour_waits_and_gets_the_rest_together() -> None:
    policy = replace(POLICY, channels=(replace(OPS, per_hour=2),))
    known = waiting(raised("a"), raised("b"))
    known = sent(known, due(known, policy, NOW))
    known = after(known, [raised("c"), raised("d"), raised("e")], NOW)
    assert due(known, policy, NOW + HOUR - MINUTE) == ()
    assert titles(due(known, policy, NOW + HOUR)) == ["hive: 3 wait for you"]


def test_quiet_hours_keep_all_but_what_is_urgent() -> None:
    quiet = replace(POLICY, quiet=QuietHours(time(11), time(13)))
    incident = raised("quality", NeedKind.INCIDENT)
    known = waiting(raised(), incident)
    assert titles(due(known, quiet, NOW)) == ["hive: quality is an incident"]
    assert len(due(known, quiet, NOW + HOUR)) == 2


def test_quiet_hours_reach_past_midnight_by_their_own_clock() -> None:
    night = QuietHours(time(22), time(6), "Asia/Tokyo")
    covered = [hour for hour in range(24) if night.covers(NOW.replace(hour=hour))]
    assert covered == [13, 14, 15, 16, 17, 18, 19, 20]


def test_a_digest_goes_at_its_time_and_not_twice() -> None:
    policy = replace(POLICY, channels=(replace(OPS, digest=(time(9), time(17))),))
    known = waiting(*(raised(f"a-{number}") for number in range(4)))
    assert due(known, policy, NOW.replace(hour=16, minute=59)) == ()
    told = due(known, policy, NOW.replace(hour=17))
    assert titles(told) == ["hive: 4 wait for you"]
    known = sent(known, told, NOW.replace(hour=17))
    assert due(known, policy, NOW.replace(hour=17) + 24 * HOUR) == ()


def test_a_channel_takes_only_what_it_asked_for() -> None:
    known = waiting(raised(), raised("scanner"), raised("scanner", NeedKind.STUCK))
    by_kind = replace(POLICY, channels=(replace(OPS, kinds=frozenset({NeedKind.STUCK})),))
    by_agent = replace(POLICY, channels=(replace(OPS, agents=frozenset({"quality"})),))
    assert titles(due(known, by_kind, NOW)) == ["hive: scanner is stuck"]
    assert titles(due(known, by_agent, NOW)) == ["hive: quality is asking"]


def test_a_channel_that_failed_is_tried_again_later_and_later() -> None:
    known = waiting()
    tries = []
    now = NOW
    for _ in range(4000):
        told = due(known, POLICY, now)
        if told:
            tries.append(int((now - NOW).total_seconds()))
            known = sent(known, told, now, failure="no answer")
        now += timedelta(seconds=10)
    gaps = [later - earlier for earlier, later in pairwise(tries)]
    assert gaps[:8] == [30, 60, 120, 240, 480, 960, 1920, 3600]
    assert set(gaps[8:]) == {3600}


def test_nothing_is_begun_on_a_channel_that_is_being_sent_to() -> None:
    (message,) = due(waiting(), POLICY, NOW)
    begun = e.NoticeBegun(notice=message.id, channel="ops", keys=message.keys, title=message.title)
    assert due(after(waiting(), [begun], NOW), POLICY, NOW) == ()


def test_a_channel_that_asks_for_it_is_told_when_a_need_has_gone() -> None:
    policy = replace(POLICY, channels=(replace(OPS, resolved=True),))
    known = sent(waiting(), due(waiting(), policy, NOW))
    known = after(known, [cleared()], NOW)
    assert due(known, policy, NOW + timedelta(seconds=29)) == ()
    told = due(known, policy, NOW + MINUTE)
    assert titles(told) == ["hive: quality no longer needs you"]
    assert due(sent(known, told, NOW + MINUTE), policy, NOW + HOUR) == ()
    assert due(known, POLICY, NOW + MINUTE) == ()


def test_foreign_words_call_nobody_and_show_no_secret() -> None:
    text = "<!channel> @everyone [x](https://e.example) `rm` ghp_0123456789abcdefghijABCDEFGHIJ\n\x1b[31mred"
    told = clean(text)
    assert not set(told) & set("<>@`&|[]\n\x1b")
    assert "ghp_" not in told
    assert len(clean("x" * 1000)) <= 300


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.integers(0, 300)), max_size=40),
    st.integers(1, 3),
)
def test_no_channel_gets_more_than_its_share_in_any_hour(
    steps: list[tuple[str, bool, int]], share: int
) -> None:
    policy = replace(POLICY, channels=(replace(OPS, per_hour=share, resolved=True),), remind=MINUTE)
    known, now, moments = Memory(), NOW, list[datetime]()
    for name, is_up, seconds in steps:
        now += timedelta(seconds=seconds)
        known = after(known, [raised(name) if is_up else cleared(name)], now)
        told = due(known, policy, now)
        moments += [now] * len(told)
        known = sent(known, told, now)
    assert all(sum(one <= other < one + HOUR for other in moments) <= share for one in moments)
