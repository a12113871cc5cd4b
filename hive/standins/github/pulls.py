"""Pull requests: opening, editing, drafts and reviewers."""

from dataclasses import dataclass

from hive.standins.github import codeowners, issues
from hive.standins.github.failures import ApiFailure, invalid, not_found
from hive.standins.github.forge import Forge
from hive.standins.github.gitrepo import Commit
from hive.standins.github.records import Account, Issue, Pull, Repository


def get(forge: Forge, repo: Repository, number: int) -> Pull:
    """Pull request `number`, or a 404."""
    pull = forge.pull(repo, number)
    if pull is None:
        raise not_found()
    return pull


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a caller wants a pull request to be; `head` may have its owner before a colon."""

    title: str
    body: str | None
    head: str
    base: str
    draft: bool = False
    maintainer_can_modify: bool = False

    @property
    def branch(self) -> str:
        """The branch without its owner."""
        return self.head.split(":", 1)[-1]


def create(forge: Forge, repo: Repository, actor: Account, wanted: Proposal) -> Pull:
    """A new pull request; 422 where one is open for the branch or there is nothing to merge."""
    if not wanted.title.strip():
        raise invalid("PullRequest", "title", "missing_field")
    issues.checked_body("PullRequest", wanted.body)
    if wanted.base not in repo.heads:
        raise invalid("PullRequest", "base")
    if wanted.branch not in repo.heads:
        raise invalid("PullRequest", "head")
    _refuse_duplicate(forge, repo, wanted.branch, wanted.base)
    _refuse_empty(forge, repo, wanted.branch, wanted.base)
    pull = _put(forge, repo, actor, wanted)
    forge.git(repo).update(f"refs/pull/{pull.number}/head", pull.head_sha)
    forge.record(actor, "pr.create", f"{repo.full_name}#{pull.number}", wanted.branch)
    if not pull.draft:
        ask_code_owners(forge, repo, pull, actor)
    if forge.checker:
        forge.checker.head_moved(repo, pull)
    return pull


def _put(forge: Forge, repo: Repository, actor: Account, wanted: Proposal) -> Pull:
    now, number, table = forge.clock.now(), issues.take_number(forge, repo), forge.store.issues
    table.put(
        Issue(table.next_id(), repo.id, number, wanted.title, wanted.body, actor.id, now, now, is_pull=True)
    )
    pull = Pull(
        id=forge.store.pulls.next_id(),
        repo=repo.id,
        number=number,
        base=wanted.base,
        head=wanted.branch,
        head_sha=repo.heads[wanted.branch],
        base_sha=repo.heads[wanted.base],
        pushed_at=now,
        draft=wanted.draft,
        maintainer_can_modify=wanted.maintainer_can_modify,
        pushed_by=actor.id,
    )
    return forge.store.pulls.put(pull)


def _refuse_duplicate(forge: Forge, repo: Repository, branch: str, base: str) -> None:
    for other in forge.pulls_of(repo):
        same = (other.head, other.base) == (branch, base)
        if same and forge.issue_of(other).state == "open":
            owner = repo.full_name.split("/")[0]
            raise invalid("PullRequest", "", message=f"A pull request already exists for {owner}:{branch}.")


def _refuse_empty(forge: Forge, repo: Repository, branch: str, base: str) -> None:
    git, tip, head = forge.git(repo), repo.heads[base], repo.heads[branch]
    if git.merge_base(tip, head) is None:
        raise invalid("PullRequest", "", message=f"The {branch} branch has no history in common with {base}")
    if git.is_ancestor(head, tip):
        raise invalid("PullRequest", "", message=f"No commits between {base} and {branch}")


def edit(
    forge: Forge, repo: Repository, pull: Pull, actor: Account, *, base: str | None, state: str | None
) -> None:
    """Change the base or the state; title and body are the issue's."""
    issue = forge.issue_of(pull)
    if base is not None and base != pull.base:
        if base not in repo.heads:
            raise invalid("PullRequest", "base")
        _refuse_duplicate(forge, repo, pull.head, base)
        forge.event(issue, "base_ref_changed", actor.id, old=pull.base, new=base)
        pull.base, pull.base_sha = base, repo.heads[base]
        forge.store.pulls.put(pull)
        forge.record(actor, "pr.retarget", issues.subject(repo, issue), base)
    if state == "closed":
        issues.close(forge, repo, issue, actor)
    elif state == "open" and issue.state == "closed":
        reopen(forge, repo, pull, actor)


def reopen(forge: Forge, repo: Repository, pull: Pull, actor: Account) -> None:
    """Open a closed pull request again; 422 where it was merged, has no branch, or another took its place."""
    if pull.merged_at or pull.head not in repo.heads:
        raise invalid(
            "PullRequest", "state", message="state cannot be changed. The pull request cannot be reopened."
        )
    _refuse_duplicate(forge, repo, pull.head, pull.base)
    issues.reopen(forge, repo, forge.issue_of(pull), actor)


def set_draft(forge: Forge, repo: Repository, pull: Pull, actor: Account, draft: bool) -> None:
    """Make it a draft, or ready for review."""
    if pull.draft == draft:
        return
    pull.draft = draft
    forge.store.pulls.put(pull)
    issue = forge.issue_of(pull)
    forge.event(issue, "converted_to_draft" if draft else "ready_for_review", actor.id)
    forge.record(actor, "pr.draft" if draft else "pr.ready", issues.subject(repo, issue))
    if not draft:
        ask_code_owners(forge, repo, pull, actor)


def request_reviewers(forge: Forge, repo: Repository, pull: Pull, actor: Account, logins: list[str]) -> None:
    """Ask for reviews; the author, or a login that does not exist, is a 422."""
    issue = forge.issue_of(pull)
    for account in [_reviewer(forge, issue, login) for login in logins]:
        if account.id not in pull.reviewers:
            pull.reviewers.append(account.id)
            forge.event(issue, "review_requested", actor.id, reviewer=account.login)
    forge.store.pulls.put(pull)
    forge.record(actor, "pr.request-reviewers", issues.subject(repo, issue), ", ".join(logins))


def request_teams(forge: Forge, repo: Repository, pull: Pull, actor: Account, slugs: list[str]) -> None:
    """Ask teams of the owner; a slug that does not exist is a 422."""
    known = {team.slug: team for team in forge.store.teams.of(repo.owner)}
    for slug in slugs:
        if slug not in known:
            raise ApiFailure(422, f"Reviews may only be requested from collaborators. '{slug}' is not one.")
        if known[slug].id not in pull.teams:
            pull.teams.append(known[slug].id)
            forge.event(forge.issue_of(pull), "review_requested", actor.id, team=slug)
    forge.store.pulls.put(pull)


def drop_teams(forge: Forge, repo: Repository, pull: Pull, actor: Account, slugs: list[str]) -> None:
    """Ask these teams no longer."""
    for team in forge.store.teams.of(repo.owner):
        if team.slug in slugs and team.id in pull.teams:
            pull.teams.remove(team.id)
            forge.event(forge.issue_of(pull), "review_request_removed", actor.id, team=team.slug)
    forge.store.pulls.put(pull)


def ask_code_owners(forge: Forge, repo: Repository, pull: Pull, actor: Account) -> None:
    """Ask those whom the base's CODEOWNERS names for what is changed, the author left out."""
    people, teams = codeowners.to_ask(forge, repo, pull)
    author = forge.issue_of(pull).author
    logins = [who.login for who in people if who.id != author]
    if logins:
        request_reviewers(forge, repo, pull, actor, logins)
    request_teams(forge, repo, pull, actor, [team.slug for team in teams])


def _reviewer(forge: Forge, issue: Issue, login: str) -> Account:
    account = forge.account(login)
    if account is None:
        raise ApiFailure(422, f"Reviews may only be requested from collaborators. '{login}' is not one.")
    if account.id == issue.author:
        raise ApiFailure(422, "Review cannot be requested from pull request author.")
    return account


def drop_reviewers(forge: Forge, pull: Pull, actor: Account, logins: list[str]) -> None:
    """Ask no longer."""
    issue = forge.issue_of(pull)
    for login in logins:
        account = forge.account(login)
        if account is not None and account.id in pull.reviewers:
            pull.reviewers.remove(account.id)
            forge.event(issue, "review_request_removed", actor.id, reviewer=account.login)
    forge.store.pulls.put(pull)


def compared_with(forge: Forge, repo: Repository, pull: Pull) -> str:
    """The commit that the pull request's changes are counted from: where its branch left the base."""
    return forge.git(repo).merge_base(pull.base_sha, pull.head_sha) or pull.base_sha


def commits(forge: Forge, repo: Repository, pull: Pull) -> list[Commit]:
    """The commits of the pull request, oldest first; 250 at most, as GitHub lists them."""
    git, start = forge.git(repo), compared_with(forge, repo, pull)
    found = git.once(
        ("commits", start, pull.head_sha), lambda: git.log(f"{start}..{pull.head_sha}", reverse=True)
    )
    return list(found)


def commit_count(forge: Forge, repo: Repository, pull: Pull) -> int:
    """How many commits the pull request has."""
    git, start = forge.git(repo), compared_with(forge, repo, pull)
    return git.once(("count", start, pull.head_sha), lambda: git.count(f"{start}..{pull.head_sha}"))
