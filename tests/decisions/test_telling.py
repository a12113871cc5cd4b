"""Every event reads as one sentence, and nothing foreign escapes from its line."""

from __future__ import annotations

import typing
from datetime import UTC, datetime

import pytest

from hive.decisions.telling import sentence, tell
from hive.facts import events, intents
from hive.facts.events import Event, Record
from hive.facts.governor import LoadMode
from hive.facts.models import ModelProblem
from hive.facts.needs import NeedKind

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)

CLAIM = intents.ClaimWork(
    task="t7-1-ab",
    agent="quality",
    repo="o/r",
    issue=7,
    attempt=1,
    branch="hive/quality/7",
    because="ranked 1",
)

TOLD: list[tuple[Event, str]] = [
    (events.SupervisorStarted(pid=12, version="0.1"), "hive 0.1 started, process 12"),
    (events.SupervisorStopped(reason="SIGTERM"), "hive stopped: SIGTERM"),
    (events.ConfigurationLoaded(digest="d", source="hive.yaml"), "configuration loaded from hive.yaml"),
    (
        events.ConfigurationRejected(message="hive.yaml:3: no key 'agnets'"),
        "configuration rejected, the old one stays: hive.yaml:3: no key 'agnets'",
    ),
    (events.AgentRejected(agent="guide", message="unknown backend"), "guide left out: unknown backend"),
    (
        events.LevelChanged(scope="hive", level=5, by="ann", why="all green"),
        "level of the hive set to L5 Semi-automated by ann: all green",
    ),
    (
        events.LevelChanged(scope="repo", name="o/r", level=None, by="ann"),
        "level of repo o/r taken back by ann",
    ),
    (events.AgentPaused(agent="guide", by="ann", why="lunch"), "guide paused by ann: lunch"),
    (events.AgentResumed(agent="guide", by="ann"), "guide resumed by ann"),
    (events.RestartRequested(agent="guide", by="ann"), "restart of guide asked for by ann"),
    (events.TextSent(agent="guide", by="ann", text="go on"), "ann typed to guide: go on"),
    (
        events.DialogAnswered(agent="guide", by="ann", question="Which?", option="Luxon"),
        "ann chose 'Luxon' for guide: Which?",
    ),
    (events.AgentAttached(agent="guide", by="ann"), "ann opened the terminal of guide"),
    (
        events.AgentChanged(agent="guide", state="asking", detail="Which?", options=("date-fns", "Luxon")),
        "guide is asking: Which? [date-fns | Luxon]",
    ),
    (
        events.TokenIssued(agent="guide", digest="0" * 64, generation=2),
        "guide got a gateway token for start 2",
    ),
    (
        events.TokenIssued(agent="guide", digest="0" * 64, generation=2, renews=True),
        "guide got another gateway token for start 2",
    ),
    (
        events.LoadModeChanged(mode=LoadMode.BUSY, pressure=12.5, why="9 issues"),
        "the load is busy: 9 issues (pressure 12.5)",
    ),
    (
        events.NeedRaised(
            key="asking/guide",
            need=NeedKind.ASKING,
            about="guide",
            text="Which?",
            command="hive send guide ...",
            agent="guide",
        ),
        "guide waits for a person: Which? (hive send guide ...)",
    ),
    (
        events.NeedCleared(key="asking/guide", about="guide"),
        "guide no longer waits for a person",
    ),
    (
        events.NoticeBegun(notice="n", channel="ops", keys=("asking/guide",), title="hive: guide is asking"),
        "telling ops: hive: guide is asking",
    ),
    (events.NoticeEnded(notice="n", channel="ops", keys=()), "ops was told"),
    (
        events.NoticeEnded(notice="n", channel="ops", keys=(), failure="no answer"),
        "ops was not told: no answer",
    ),
    (
        events.ModelRefused(
            agent="guide",
            provider="main",
            account="team",
            problem=ModelProblem.LIMITED,
            status=429,
            detail="too many requests",
        ),
        "guide got no answer of its model (main): limited: too many requests",
    ),
    (
        events.ActionHeld(
            agent="guide",
            hold_id="H3",
            action="comment",
            target="o/r#7",
            content="0" * 64,
            shown="hello",
            rule="guardrail.x",
            because="it is loud",
        ),
        "guide's comment on o/r#7 waits for a person as H3: it is loud [guardrail.x]",
    ),
    (events.HoldDecided(hold_id="H3", approved=True, by="ann"), "H3 was approved by ann"),
    (events.HoldDecided(hold_id="H3", approved=False, by="ann", why="no"), "H3 was denied by ann: no"),
    (
        events.HoldUsed(agent="guide", hold_id="H3", request_id="r"),
        "guide did what was approved as H3",
    ),
    (
        events.RequestDone(agent="guide", request_id="r", outcome="done", status=201, made="o/r/issues/7"),
        "what guide asked of the forge was done: o/r/issues/7",
    ),
    (
        events.ApprovalCarriedOut(agent="guide", holds=("H3",), outcome="done"),
        "hive did for guide what was approved as H3: done",
    ),
    (
        events.RepositoryWatched(repo="o/r"),
        "from now on hive answers for every act of its account in o/r",
    ),
    (
        events.IncidentRaised(
            incident_id="X1", what="merged", repo="o/r", number=7, evidence="at 9", agent="guide"
        ),
        "incident X1: hive's account did what hive did not (merged) at o/r#7: at 9; guide is stopped",
    ),
    (events.IncidentClosed(incident_id="X1", by="ann", why="mine"), "incident X1 was closed by ann: mine"),
    (
        events.SandboxTokenIssued(agent="guide", cluster="east", digest="0" * 64),
        "guide got a gateway token for its sandbox on east",
    ),
    (
        events.SandboxTokenRevoked(agent="guide", cluster="east"),
        "the gateway token of guide's sandbox on east was revoked",
    ),
    (
        events.TokenRefused(address="10.0.0.7", count=1),
        "10.0.0.7 showed the gateway a token that is nobody's, once",
    ),
    (
        events.TokenRefused(address="", count=40),
        "this machine showed the gateway a token that is nobody's, 40 times",
    ),
    (
        events.AgentChanged(agent="guide", state="logged-out", detail="asks for /login"),
        "guide is logged out: asks for /login",
    ),
    (
        events.SandboxChanged(agent="guide", phase="pending", message="no cluster has room"),
        "the sandbox of guide is pending: no cluster has room",
    ),
    (
        events.UsageRecorded(
            agent="guide", model="m-1", key="k", source="relay", input=1200, output=50, cost=4500
        ),
        "guide used 1.2k tokens of m-1: $0.0045",
    ),
    (
        events.UsageRecorded(agent="guide", model="m-1", key="k", source="relay", output=50),
        "guide used 50 tokens of m-1: no price is known",
    ),
    (
        events.BudgetReached(budget="day", covers="hive", window="", limit="hard", message="day is spent"),
        "day is spent",
    ),
    (
        events.LimitSeen(
            agent="guide",
            account="team",
            limit="limited",
            retry_at=datetime(2026, 11, 30, 15, tzinfo=UTC),
            refusals=2,
            detail="resets 3pm",
        ),
        "account team is limited, refused 2 times: guide waits until 2026-11-30 15:00 UTC (resets 3pm)",
    ),
    (
        events.LimitEnded(agent="guide", account="team"),
        "account team is limited no more: guide works again",
    ),
    (
        events.ProgramSeen(agent="guide", version="2.1.197 (Claude Code)"),
        "guide's program is 2.1.197 (Claude Code)",
    ),
    (
        events.ModelSeen(agent="guide", wanted="opus", used="claude-haiku-4-5"),
        "guide uses claude-haiku-4-5, and not opus",
    ),
    (events.ModelSeen(agent="guide", wanted="opus"), "guide uses opus again"),
    (
        events.TreePrepared(
            agent="guide",
            task="t7",
            folder="/agents/guide/work/o/r/7-1",
            branch="hive/guide/7",
            head="a" * 40,
            base="b" * 40,
            generation=2,
            notes=("it has submodules",),
        ),
        "guide has /agents/guide/work/o/r/7-1 for t7, on hive/guide/7 at aaaaaaaa; it has submodules",
    ),
    (
        events.TreePrepared(
            agent="guide", task="t7", folder="/7-1", branch="", head="a" * 40, base="b" * 40, generation=2
        ),
        "guide has /7-1 for t7, with a detached head at aaaaaaaa",
    ),
    (
        events.TreeRemoved(agent="guide", task="t7", folder="/7-1"),
        "/7-1, the working copy of t7 of guide, was removed; nothing in it was lost",
    ),
    (
        events.TreeRemoved(agent="guide", task="t7", folder="/7-1", rescued=("refs/a", "refs/b"), store="/s"),
        "/7-1, the working copy of t7 of guide, was removed; nothing in it was lost; "
        "what only it had is in /s: refs/a, refs/b",
    ),
    (
        events.TreeReleased(agent="guide", task="t7", by="ann", why="superseded"),
        "ann released the working copy of t7 of guide: superseded",
    ),
    (
        events.TreeKept(agent="guide", task="t7", folder="/7-1", because="1 stash"),
        "/7-1, the working copy of t7 of guide, is kept: 1 stash",
    ),
    (
        events.ConversationSeen(agent="guide", conversation="0b1c", generation=2),
        "guide is in its conversation 0b1c",
    ),
    (
        events.PromptArrived(agent="guide", task="t7-1-ab", prompt_id="p", evidence="transcript"),
        "guide has the prompt of t7-1-ab (seen in its transcript)",
    ),
    (
        events.TurnEnded(agent="guide", task="t7-1-ab", prompt_id="p", outcome="done"),
        "guide ended its turn on t7-1-ab: done",
    ),
    (
        events.IntentRuled(
            intent_id="merge/o/r#9@abc", about="o/r#9", ruling="deny", rule="acmm.full", because="level 4"
        ),
        "merge of o/r#9 refused: level 4 [acmm.full]",
    ),
    (
        events.IntentStarted(intent_id=CLAIM.id, body=CLAIM),
        "giving o/r#7 to quality (attempt 1): ranked 1",
    ),
    (
        events.IntentFinished(
            intent_id="start/quality/2", about="quality", outcome="in-doubt", detail="no answer"
        ),
        "start of quality in doubt: no answer",
    ),
    (
        events.RequestRuled(
            agent="guide",
            request_id="q",
            action="merge-directly",
            target="o/r#9",
            ruling="deny",
            rule="acmm.never",
            because="never allowed",
            route="rest",
        ),
        "guide refused: merge-directly on o/r#9: never allowed [acmm.never]",
    ),
    (
        events.PullRequestOpened(repo="o/r", number=9, agent="guide", head_ref="h", held=True, issue=7),
        "guide opened o/r#9 for #7, held",
    ),
    (
        events.FindingRecorded(agent="guide", finding_id="F1", repo="o/r", title="slow start", body=""),
        "guide recorded F1 about o/r: slow start",
    ),
    (
        events.FindingRepeated(
            agent="guide", finding_id="F1", repo="o/r", title="slow", blob="b", reopened=True
        ),
        "guide found F1 in o/r again, which is open again, as its file has changed: slow",
    ),
    (
        events.FindingDecided(finding_id="F1", accepted=False, by="ada", why="by design"),
        "ada rejected F1: by design",
    ),
    (
        events.IssueTriaged(
            repo="o/r", number=7, eligible=True, rank=2, lane="bug", because="trusted author"
        ),
        "o/r#7 is work, rank 2, lane bug: trusted author",
    ),
    (
        events.IssueTriaged(repo="o/r", number=8, eligible=False, because="stranger"),
        "o/r#8 is not work: stranger",
    ),
    (
        events.PullRequestJudged(
            repo="o/r",
            number=9,
            head="a" * 40,
            verdict="wait",
            obstacles=(("held", "hold", "hive holds it"), ("check-pending", "build", "build runs")),
        ),
        "o/r#9 judged 'wait' at aaaaaaaa: hive holds it; build runs",
    ),
    (events.PullRequestEnded(repo="o/r", number=9, state="merged"), "o/r#9 was merged"),
    (
        events.MergeChecked(
            repo="o/r", number=9, base="main", commit="c" * 40, outcome="red", failed=("build",)
        ),
        "main is broken since o/r#9 was merged (cccccccccccc): build failed",
    ),
    (
        events.MergingHeld(repo="o/r", base="main", number=9, because="main is broken"),
        "merging is on hold in o/r: main is broken",
    ),
    (
        events.MergingReleased(repo="o/r", by="ann", because="it was the runner"),
        "merging goes on in o/r by ann: it was the runner",
    ),
    (
        events.PullRequestDequeued(repo="o/r", number=9, head="a" * 40, reason="failed_checks"),
        "the merge queue gave o/r#9 back: failed_checks",
    ),
    (events.PullRequestAdvanced(repo="o/r", number=9, head="a" * 40), "o/r#9 is at aaaaaaaaaaaa now"),
    (
        events.PullRequestLeft(repo="o/r", number=9, head="a" * 40, because="somebody pushed"),
        "o/r#9 is left to people: somebody pushed",
    ),
    (
        events.PullRequestReviewed(
            repo="o/r", number=9, agent="ann", head="a" * 40, verdict="fine", key="review hive-bot"
        ),
        "ann finds nothing against o/r#9 at aaaaaaaaaaaa",
    ),
    (
        events.PullRequestTakenUp(repo="o/r", number=9, by="ada", why="try again"),
        "ada has o/r#9 gone on with: try again",
    ),
    (events.PortFailed(port="github", message="refused"), "github cannot be looked at: refused"),
    (events.PortRecovered(port="github"), "github answers again"),
    (
        events.LaneAbandoned(port="github", call="look", count=2),
        "github did not come back from look in time; its connection was given up (2 times)",
    ),
    (events.Noticed(about="guide", message="3 repeats"), "guide: 3 repeats"),
]

INTENTS: list[tuple[intents.Intent, str]] = [
    (intents.StartAgent(agent="guide", generation=3), "starting guide (start 3)"),
    (intents.StopAgent(agent="guide", session="s", generation=3), "stopping guide (start 3)"),
    (intents.RequestSandbox(agent="guide", digest="d"), "asking the fleet for the sandbox of guide"),
    (
        intents.WithdrawSandbox(agent="guide", request="hive/guide", because="not started"),
        "withdrawing the sandbox hive/guide of guide: not started",
    ),
    (CLAIM, "giving o/r#7 to quality (attempt 1): ranked 1"),
    (
        intents.DeliverPrompt(task="t7", agent="guide", prompt_id="p", text="secret words", generation=3),
        "sending the prompt of t7 to guide",
    ),
    (
        intents.PressSubmit(agent="guide", prompt_id="p", attempt=2),
        "submitting the prompt of guide once more (attempt 2)",
    ),
    (
        intents.AnswerDialog(agent="guide", box="b", option="Yes", rule="trust", number=1, because="rule x"),
        "answering the box of guide with 'Yes': rule x",
    ),
    (
        intents.InterruptAgent(agent="guide", task="t", prompt_id="p", because="no sign of work for 15m"),
        "interrupting guide: no sign of work for 15m",
    ),
    (
        intents.PrepareTree(
            agent="guide",
            task="t7",
            repo="o/r",
            issue=7,
            name="7-1",
            branch="hive/guide/7",
            base="main",
            generation=1,
        ),
        "preparing the working copy of t7 for guide, on hive/guide/7",
    ),
    (
        intents.RemoveTree(agent="guide", task="t7", repo="o/r", name="7-1", because="#9 was merged"),
        "removing the working copy of t7 of guide, which is over: #9 was merged",
    ),
    (intents.FinishTask(task="t7", repo="o/r", issue=7, outcome="finding"), "finishing o/r#7 as finding"),
    (
        intents.ReleaseTask(task="t7", repo="o/r", issue=7, until=AT),
        "giving o/r#7 back, to be tried again after 2026-11-30 12:00 UTC",
    ),
    (
        intents.HoldPullRequest(repo="o/r", number=9, label="hold", head="a" * 40),
        "putting the hold 'hold' on o/r#9",
    ),
    (intents.LiftHold(repo="o/r", number=9, label="hold", head="a" * 40), "lifting the hold 'hold' of o/r#9"),
    (
        intents.MergePullRequest(repo="o/r", number=9, head="a" * 40, base="main"),
        "merging o/r#9 at aaaaaaaa into main",
    ),
    (
        intents.EnqueuePullRequest(repo="o/r", number=9, head="a" * 40, base="main"),
        "putting o/r#9 at aaaaaaaa into the merge queue of main",
    ),
    (
        intents.DequeuePullRequest(repo="o/r", number=9, head="a" * 40),
        "taking o/r#9 out of the merge queue",
    ),
    (
        intents.DeleteBranch(repo="o/r", number=9, head="a" * 40, branch="hive/q/7"),
        "deleting the branch hive/q/7, which o/r#9 was merged from",
    ),
    (
        intents.OpenRevert(repo="o/r", number=9, head="c" * 40, title="Revert", body=""),
        "opening a pull request that undoes o/r#9",
    ),
    (
        intents.UpdateBranch(repo="o/r", number=9, head="c" * 40),
        "merging the newest base into o/r#9",
    ),
    (
        intents.FileFinding(
            repo="o/r", finding="F1", agent="guide", title="t", body="b", marker="m", since=AT
        ),
        "filing F1 as an issue of o/r",
    ),
    (
        intents.UpdateTracking(repo="o/r", number=4, title="t", body="b", marker="m", digest="d"),
        "writing the tracking issue of o/r",
    ),
    (
        intents.TakeLease(repo="o/r", issue=7, label="hive:a", prefix="hive:", expires_s=60),
        "putting the lease label 'hive:a' on o/r#7",
    ),
    (
        intents.DropLease(repo="o/r", issue=7, label="hive:a"),
        "taking the lease label 'hive:a' off o/r#7",
    ),
]


@pytest.mark.parametrize(("event", "told"), TOLD, ids=[type(event).__name__ for event, _ in TOLD])
def test_an_event_reads_as_one_sentence(event: Event, told: str) -> None:
    assert tell(Record(1, AT, 1, event)) == told


@pytest.mark.parametrize(("intent", "told"), INTENTS, ids=[type(intent).__name__ for intent, _ in INTENTS])
def test_a_started_intent_says_what_hive_is_doing(intent: intents.Intent, told: str) -> None:
    assert sentence(events.IntentStarted(intent_id=intent.id, body=intent)) == told


def test_every_event_and_every_intent_is_shown_here() -> None:
    assert {type(event) for event, _ in TOLD} == set(typing.get_args(Event))
    assert {type(intent) for intent, _ in INTENTS} == set(typing.get_args(intents.Intent))


def test_foreign_text_stays_on_its_line_and_cannot_steer_the_terminal() -> None:
    event = events.TextSent(agent="guide", by="ann", text="one\r\n\x1b[2Jtwo\x9b31m \u202ethree\u200b\tfour")
    assert tell(Record(1, AT, 0, event)) == "ann typed to guide: one [2Jtwo31m three four"


def test_a_huge_text_is_cut_with_a_mark() -> None:
    told = tell(Record(1, AT, 0, events.Noticed(about="guide", message="x" * 5_000_000)), limit=50)
    assert told == "guide: " + "x" * 42 + "…"
