"""An independent witness: it hears every write on the forge in the moment it is made, and judges by the
forge's own records. It knows nothing of hive's journal, and shares no code with hive's merge gate."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from hive.standins.github.forge import Forge
from hive.standins.github.records import Account, Issue, Pull, Repository
from tests.soak.people import CHECK
from tests.soak.town import BOT, Town

_CLOSES = re.compile(r"\bcloses #(\d+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Rules:
    """What the operator of the soak demands of a merge in one repository."""

    settle_s: float
    approvals: int
    may_merge: bool


@dataclass
class Oracle:
    """`problems`: laws that were broken, in words."""

    town: Town
    rules: dict[str, Rules]
    problems: list[str] = field(default_factory=list)
    counted: Counter[str] = field(default_factory=Counter)
    _arrived: dict[str, float] = field(default_factory=dict)
    """When each commit was pushed last."""

    def __post_init__(self) -> None:
        self.town.told.ears.append(self.hear)

    def hear(self, actor: Account | None, what: str, subject: str, detail: str) -> None:
        if what.startswith("ref."):
            self._arrived[detail] = self.town.forge.clock.time()
        if actor is None or actor.login != BOT:
            return
        self.counted[what] += 1
        name, _, number = subject.partition("#")
        if what in ("ref.create", "ref.update", "ref.delete"):
            self._moved(subject)
        if what == "review.submit" and detail == "APPROVED":
            self._wrong(f"{subject} was approved by the agents' own account")
        if not number:
            return
        forge = self.town.forge
        repo = forge.repository(name)
        assert repo is not None
        issue = forge.issue(repo, int(number))
        assert issue is not None
        if what == "issue.create":
            self._filed(forge, repo, issue)
        elif what == "pr.create":
            self._opened(forge, repo, issue)
        elif what == "pr.merge":
            self._merged(forge, repo, issue)

    def _wrong(self, problem: str) -> None:
        self.problems.append(f"{self.town.forge.clock.now()}: {problem}")

    def _moved(self, subject: str) -> None:
        _, _, branch = subject.partition("@")
        if not branch.startswith(("hive/", "revert-")):
            self._wrong(f"{subject} was pushed to, which is no branch of an agent's")

    def _filed(self, forge: Forge, repo: Repository, issue: Issue) -> None:
        same = [one.number for one in self._of_bot(forge, repo, pulls=False) if one.title == issue.title]
        if len(same) > 1:
            self._wrong(f"{repo.full_name}: the same issue was filed as {same}")

    def _opened(self, forge: Forge, repo: Repository, issue: Issue) -> None:
        about = _CLOSES.findall(issue.body or "")
        for one in self._of_bot(forge, repo, pulls=True):
            if one.number != issue.number and about and _CLOSES.findall(one.body or "") == about:
                pull = forge.pull(repo, one.number)
                if one.state == "open" or (pull is not None and pull.merged_at):
                    self._wrong(f"{repo.full_name}#{issue.number} is about #{about[0]}, as #{one.number} is")

    @staticmethod
    def _of_bot(forge: Forge, repo: Repository, *, pulls: bool) -> list[Issue]:
        return [
            one for one in forge.issues_of(repo) if one.is_pull is pulls and forge.login(one.author) == BOT
        ]

    def _merged(self, forge: Forge, repo: Repository, issue: Issue) -> None:
        pull = forge.pull(repo, issue.number)
        assert pull is not None
        against = list(self._objections(forge, repo, issue, pull))
        if against:
            self._wrong(f"{repo.full_name}#{issue.number} was merged against the gate: {'; '.join(against)}")

    def _objections(self, forge: Forge, repo: Repository, issue: Issue, pull: Pull) -> list[str]:
        rules, found = self.rules[repo.full_name], []
        if not rules.may_merge:
            found.append("nothing is merged here by hive")
        if pull.draft:
            found.append("it is a draft")
        labels = [forge.store.labels.get(entry["label"]) for entry in issue.labels]
        if any(label is not None and label.name.casefold() == "hold" for label in labels):
            found.append("a label holds it")
        runs = [one for one in forge.store.checks.of(repo.id, pull.head_sha) if one.name == CHECK]
        newest = max(runs, key=lambda one: one.id, default=None)
        if newest is None or (newest.status, newest.conclusion) != ("completed", "success"):
            found.append(f"its newest {CHECK} is {newest.conclusion if newest else 'not there'}")
        if forge.clock.time() - self._arrived[pull.head_sha] < rules.settle_s - 1:
            found.append("it was pushed to a moment ago")
        found.extend(self._by_reviews(forge, repo, pull, rules))
        for number in map(int, _CLOSES.findall(issue.body or "")):
            linked = forge.issue(repo, number)
            if linked is not None and linked.state != "open":
                found.append(f"#{number}, which it closes, is closed")
        return found

    @staticmethod
    def _by_reviews(forge: Forge, repo: Repository, pull: Pull, rules: Rules) -> list[str]:
        last = {}
        for review in forge.store.reviews.of(repo.id, pull.number):
            if review.state in ("APPROVED", "CHANGES_REQUESTED", "DISMISSED"):
                last[forge.login(review.author)] = review
        found = [f"{who} wants changes" for who, one in last.items() if one.state == "CHANGES_REQUESTED"]
        approvals = [
            who
            for who, one in last.items()
            if one.state == "APPROVED" and one.commit == pull.head_sha and who != BOT
        ]
        if len(approvals) < rules.approvals:
            found.append(f"{len(approvals)} of {rules.approvals} approvals of this head")
        return found
