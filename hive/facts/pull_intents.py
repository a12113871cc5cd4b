"""What hive means to do to pull requests that agents opened."""

from __future__ import annotations

from hive.facts.intended import OfPullRequest


class HoldPullRequest(OfPullRequest, tag="hold-pull-request", frozen=True, kw_only=True):
    label: str

    @property
    def id(self) -> str:
        return self._at_head("hold")


class LiftHold(OfPullRequest, tag="lift-hold", frozen=True, kw_only=True):
    """Take off hive's own hold, its reason being gone. A person's hold is never lifted."""

    label: str

    @property
    def id(self) -> str:
        return self._at_head("lift")


class MergePullRequest(OfPullRequest, tag="merge-pull-request", frozen=True, kw_only=True):
    """Merge exactly the head that was judged."""

    base: str
    red_before: tuple[str, ...] = ()
    """Checks of the base that fail already."""

    @property
    def id(self) -> str:
        return self._at_head("merge")


class EnqueuePullRequest(OfPullRequest, tag="enqueue-pull-request", frozen=True, kw_only=True):
    """Put exactly the head that was judged into the merge queue of its base, which does the merging."""

    base: str
    red_before: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        return self._at_head("enqueue")


class DequeuePullRequest(OfPullRequest, tag="dequeue-pull-request", frozen=True, kw_only=True):
    """Take it out of the merge queue again: the gate has something against it now."""

    @property
    def id(self) -> str:
        return self._at_head("dequeue")


class DeleteBranch(OfPullRequest, tag="delete-branch", frozen=True, kw_only=True):
    """Delete the branch of a pull request that was seen merged, if it still is at `head`."""

    branch: str

    @property
    def id(self) -> str:
        return self._at_head("delete-branch")


class UpdateBranch(OfPullRequest, tag="update-branch", frozen=True, kw_only=True):
    """Merge the newest base into exactly this head, so that it is checked with it."""

    @property
    def id(self) -> str:
        return self._at_head("update-branch")


class OpenRevert(OfPullRequest, tag="open-revert", frozen=True, kw_only=True):
    """Open a pull request that undoes a merged one. `head` is the merge commit."""

    title: str
    body: str

    @property
    def id(self) -> str:
        return self._at_head("revert")
