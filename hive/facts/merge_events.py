"""Events about what merges came to: the base's own checks after them, and merging on hold."""

from __future__ import annotations

from hive.facts.recorded import NumberedEvent, RecordedEvent


class MergeChecked(NumberedEvent, tag="merge-checked", frozen=True, kw_only=True):
    """What the checks of a merge commit came to.

    `outcome`: green, red, red-before (it was red before, so the merge is not blamed), unknown (they did not
    report in time).
    """

    base: str
    commit: str
    outcome: str
    failed: tuple[str, ...] = ()


class MergingHeld(RecordedEvent, tag="merging-held", frozen=True, kw_only=True):
    """Hive merges nothing into a repository until its base is green again or a person says so.

    `number` is the pull request that is blamed, 0 for none; `by` is empty for hive itself.
    """

    repo: str
    base: str = ""
    commit: str = ""
    number: int = 0
    because: str
    by: str = ""

    @property
    def subject(self) -> str:
        return self.repo


class MergingReleased(RecordedEvent, tag="merging-released", frozen=True, kw_only=True):
    """`by` is empty for hive itself, which saw the base green."""

    repo: str
    because: str
    by: str = ""

    @property
    def subject(self) -> str:
        return self.repo


class PullRequestDequeued(NumberedEvent, tag="pull-request-dequeued", frozen=True, kw_only=True):
    """A merge queue gave it back without merging it; `reason` is the forge's word."""

    head: str
    reason: str


class PullRequestLeft(NumberedEvent, tag="pull-request-left", frozen=True, kw_only=True):
    """Its agent goes on with it no more until a person says so: somebody else pushed `head` to its branch."""

    head: str
    because: str


class PullRequestAdvanced(NumberedEvent, tag="pull-request-advanced", frozen=True, kw_only=True):
    """Its branch is at `head`, which hive brought about, or let through, without knowing it before."""

    head: str


class PullRequestTakenUp(NumberedEvent, tag="pull-request-taken-up", frozen=True, kw_only=True):
    """A person's word that its agent may go on with it, as if nothing had been tried yet."""

    by: str
    why: str = ""


class PullRequestReviewed(NumberedEvent, tag="pull-request-reviewed", frozen=True, kw_only=True):
    """Another agent's review of it was seen. The fields are those of `facts.memory.PeerReview`."""

    agent: str
    head: str
    verdict: str
    key: str


MERGE_EVENTS = (
    MergeChecked,
    MergingHeld,
    MergingReleased,
    PullRequestAdvanced,
    PullRequestDequeued,
    PullRequestLeft,
    PullRequestReviewed,
    PullRequestTakenUp,
)
