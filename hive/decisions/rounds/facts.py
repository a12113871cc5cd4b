"""What of a look goes into the prompt of a task on a pull request."""

from __future__ import annotations

from hive.decisions.peers import peer_reviews, review_key
from hive.decisions.policy import Policy
from hive.decisions.prompt.rounds import RoundFacts
from hive.decisions.rounds.needs import is_for_agent, open_threads
from hive.facts.forge import PullRequest, RepositorySnapshot
from hive.facts.memory import PullMemory
from hive.facts.pull_details import PullDetails
from hive.facts.work import Task, TaskKind

_MOST_EARLIER = 5
"""Earlier reviews that a reviewer is told of."""


def round_facts(
    task: Task, pull: PullRequest, known: PullMemory, look: RepositorySnapshot, policy: Policy
) -> RoundFacts:
    """The kind's own facts beside the pull request and its issue."""
    details = look.details.get(pull.number, PullDetails(pull.number, pull.head or ""))
    issue = next((one for one in look.issues if one.number == task.closes), None)
    if task.kind is TaskKind.FIX_CI:
        return RoundFacts(pull, issue, failures=details.failures)
    if task.kind is TaskKind.REVIEW:
        earlier = tuple(review for review, _ in peer_reviews(known, details, policy))
        return RoundFacts(pull, issue, earlier=earlier[-_MOST_EARLIER:])
    if task.kind is not TaskKind.ANSWER_REVIEW:
        return RoundFacts(pull, issue)
    threads = tuple(open_threads(known, details, policy))
    return RoundFacts(
        pull,
        issue,
        threads=threads,
        reviews=tuple(one for one in details.reviews if review_key(one) in task.items),
        heard=frozenset(
            comment.id
            for thread in threads
            for comment in thread.comments
            if is_for_agent(comment, known, policy)
        ),
    )
