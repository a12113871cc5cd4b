"""What people and CI do in a soak, by chance that is the same in every run."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta

from hive.standins.github.acting import Actor
from hive.standins.github.failures import ApiFailure
from hive.standins.github.records import Account, Issue
from tests.soak.agenda import Agenda
from tests.soak.town import BOT, PEOPLE, Town

CHECK = "ci"
_HOLD = "hold"


class Robot:
    """CI: a run for each new head and each new tip of main; one in five is red, some turn."""

    def __init__(self, town: Town, agenda: Agenda, chance: random.Random) -> None:
        self._town, self._agenda, self._chance = town, agenda, chance
        self._actor = Actor(town.forge, "ci[bot]", kind="app", permission="write")
        self._moved: list[tuple[str, str, bool]] = []
        town.told.ears.append(self._hear)

    def _hear(self, _actor: Account | None, what: str, subject: str, detail: str) -> None:
        if what.startswith("ref.") and what != "ref.delete":
            repo, _, branch = subject.partition("@")
            self._moved.append((repo, detail, branch == "main"))

    def begin_runs(self) -> None:
        """For what has moved since the last call."""
        moved, self._moved = self._moved, []
        for repo, sha, is_main in moved:
            self._report(repo, sha, None)
            self._agenda.after(self._minutes(3, 20), lambda r=repo, s=sha, m=is_main: self._end(r, s, m))  # type: ignore[misc]  # lambdas' types

    def _end(self, repo: str, sha: str, is_main: bool) -> None:
        green = self._chance.random() < (0.99 if is_main else 0.8)
        self._report(repo, sha, "success" if green else "failure")
        if not is_main and self._chance.random() < 0.15:
            turned = "failure" if green else "success"
            self._agenda.after(self._minutes(1, 9), lambda: self._again(repo, sha, turned))

    def _again(self, repo: str, sha: str, conclusion: str) -> None:
        """A run that flaps: it is started again, and comes out otherwise."""
        self._report(repo, sha, None)
        self._agenda.after(self._minutes(2, 10), lambda: self._report(repo, sha, conclusion))

    def _report(self, repo: str, sha: str, conclusion: str | None) -> None:
        self._actor.reports(repo, sha, CHECK, conclusion)

    def _minutes(self, least: float, most: float) -> timedelta:
        return timedelta(minutes=self._chance.uniform(least, most))


class People:
    """One deed at a time, somewhere: what makes no sense at that moment is left."""

    def __init__(self, town: Town, agenda: Agenda, every: timedelta, chance: random.Random) -> None:
        self._town, self._agenda, self._every, self._chance = town, agenda, every, chance
        self._actors = [Actor(town.forge, login) for login in PEOPLE]
        self.deeds = 0
        self._rests = False
        self._wait()

    def rest(self) -> None:
        """Nobody does anything new."""
        self._rests = True

    def _wait(self) -> None:
        self._agenda.after(self._every * self._chance.expovariate(1.0), self._do)

    def _do(self) -> None:
        if self._rests:
            return
        self._wait()
        who, repo = self._chance.choice(self._actors), self._chance.choice(self._town.repos)
        deed: Callable[[Actor, str], None] = self._chance.choice(
            [
                *([self._close_or_reopen] * 3),
                *([self._open_issue] * 2),
                *([self._review] * 5),
                *([self._hold_or_release] * 3),
                self._push_over,
                self._push_to_main,
                self._close_pull,
                self._open_pull,
            ]
        )
        try:
            deed(who, repo)
            self.deeds += 1
        except ApiFailure:
            return  # as the forge answers a person whose page was old

    def _items(self, repo: str, *, pulls: bool, state: str = "") -> list[Issue]:
        forge = self._town.forge
        with forge.lock:
            found = forge.repository(repo)
            assert found is not None
            return [
                one
                for one in forge.issues_of(found)
                if one.is_pull is pulls and (not state or one.state == state)
            ]

    def _one(self, repo: str, *, pulls: bool, state: str = "") -> Issue | None:
        found = self._items(repo, pulls=pulls, state=state)
        return self._chance.choice(found) if found else None

    def _close_or_reopen(self, who: Actor, repo: str) -> None:
        one = self._one(repo, pulls=False)
        if one is not None and one.state == "open":
            who.closes(repo, one.number)
            number = one.number
            self._agenda.after(
                timedelta(hours=self._chance.uniform(0.2, 6)), lambda: self._reopen(who, repo, number)
            )
        elif one is not None and self._chance.random() < 0.3:
            who.reopens(repo, one.number)

    def _reopen(self, who: Actor, repo: str, number: int) -> None:
        try:
            who.reopens(repo, number)
        except ApiFailure:
            return

    def _open_issue(self, who: Actor, repo: str) -> None:
        who.opens_issue(repo, f"It fails in step {self.deeds}", "How to see it: start it twice.")

    def _review(self, who: Actor, repo: str) -> None:
        one = self._one(repo, pulls=True, state="open")
        if one is not None:
            who.reviews(
                repo, one.number, self._chance.choice(["APPROVE"] * 6 + ["REQUEST_CHANGES", "COMMENT"]), "So."
            )

    def _hold_or_release(self, who: Actor, repo: str) -> None:
        one = self._one(repo, pulls=self._chance.random() < 0.7, state="open")
        if one is None:
            return
        forge = self._town.forge
        with forge.lock:
            names = [forge.store.labels.get(entry["label"]) for entry in one.labels]
        if any(label is not None and label.name == _HOLD for label in names):
            who.unlabels(repo, one.number, _HOLD)
        elif self._chance.random() < 0.4:
            who.labels(repo, one.number, _HOLD)

    def _branch(self, repo: str) -> str:
        one = self._one(repo, pulls=True, state="open")
        forge = self._town.forge
        with forge.lock:
            found = forge.repository(repo)
            pull = forge.pull(found, one.number) if found is not None and one is not None else None
            return pull.head if pull is not None else ""

    def _push_over(self, who: Actor, repo: str) -> None:
        """A forced push to the branch of a pull request."""
        branch = self._branch(repo)
        if branch:
            who.pushes(repo, branch, {f"forced-{self.deeds}.txt": "over\n"}, force=True)

    def _push_to_main(self, who: Actor, repo: str) -> None:
        """Sometimes to a file that agents change too: their pull requests conflict then."""
        name = "counter.txt" if self._chance.random() < 0.5 else f"main-{self.deeds}.txt"
        who.pushes(repo, "main", {name: f"{self.deeds}\n"})

    def _close_pull(self, who: Actor, repo: str) -> None:
        one = self._one(repo, pulls=True, state="open")
        if one is not None:
            who.closes(repo, one.number)

    def _open_pull(self, who: Actor, repo: str) -> None:
        """By a person, for an issue that an agent may be about to take."""
        one = self._one(repo, pulls=False, state="open")
        if one is not None and who.account.login != BOT:
            branch = f"by-hand-{self.deeds}"
            who.pushes(repo, branch, {f"by-hand-{self.deeds}.txt": "x\n"})
            who.opens_pull(repo, branch, f"Mend {one.title}", body=f"Closes #{one.number}")
