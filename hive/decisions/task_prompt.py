"""The prompt for a task: what it is about as it was approved, and how the work is to be done."""

from __future__ import annotations

from hive.decisions.autonomy import Rights, rights
from hive.decisions.lookup import issue_of, snapshot
from hive.decisions.policy import Policy, mode_of
from hive.decisions.prompt import TaskOrder, build
from hive.decisions.prompt.order import NO_WORDS, RepositoryWords
from hive.decisions.prompt.rounds import RoundFacts, build_round
from hive.decisions.prompt.standing import build_standing
from hive.decisions.prompt.template import PromptTemplate
from hive.decisions.rounds.facts import round_facts
from hive.decisions.triage import TriagePolicy, approved_at
from hive.facts.agents import AgentSpec
from hive.facts.forge import Issue, RepositorySnapshot
from hive.facts.memory import Memory
from hive.facts.trees import TreeMemory
from hive.facts.work import Task
from hive.facts.world import World

FINDINGS = (
    "POST http://hive/v1/findings on the socket in $HIVE_GATEWAY_SOCKET (in a pod: to $HIVE_FINDINGS_URL), "
    'with the header "Authorization: token TOKEN", TOKEN being what is in the file $HIVE_TOKEN_FILE'
)


def clone_url(repo: str) -> str:
    """Where agents fetch from; hive's gateway stands between."""
    return f"https://github.com/{repo}.git"


def go_on_prompt(task: Task, prompt_id: str) -> str:
    """What an agent gets whose program ended in the midst of the task, once it is back in the same
    conversation: the first line is the one that every prompt begins with."""
    return (
        f"hive task {prompt_id}: go on with the task that you were given above.\n\n"
        f"Your program ended in the midst of it and was started again. It is still {task.repo}#{task.issue} "
        f"on the branch {task.branch}. Look first at what is done already, do only what is left, and end "
        "as you were told to.\n"
    )


def wake_prompt(task: Task, prompt_id: str) -> str:
    """What an agent gets that waited for its account in the midst of the task, in the same conversation."""
    return (
        f"hive task {prompt_id}: go on with the task that you were given above.\n\n"
        f"Your model was limited for a while, and is no more. It is still {task.repo}#{task.issue} on the "
        f"branch {task.branch}. Look first at what is done already, do only what is left, and end as you "
        "were told to.\n"
    )


def prompt_for(
    task: Task, prompt_id: str, spec: AgentSpec, world: World, memory: Memory, policy: Policy
) -> str | None:
    """The text that the task's agent gets; `None` while what it is about is not seen, or the agent is not
    started there. Equal arguments give equal bytes."""
    look = snapshot(world, task.repo)
    mode = mode_of(policy, memory, task.repo, spec)
    template = policy.prompts.get(task.kind)
    if look is None or mode is None or template is None:
        return None
    tree, granted = memory.trees.get(task.id), rights(policy.table, mode)
    if task.is_round:
        pull = next((one for one in look.pull_requests if one.number == task.issue), None)
        opened = memory.pulls.get(f"{task.repo}#{task.issue}")
        if pull is None or opened is None:
            return None
        facts = round_facts(task, pull, opened, look, policy)
        base = pull.base or look.default_branch
        order = _order(task, granted, base, tree, _words(look, base, policy))
        return _round_prompt(task, prompt_id, facts, order, policy)
    if task.is_standing:
        known = [one for one in memory.findings if one.repo.casefold() == task.repo.casefold()]
        role = task.items[0]
        what = next((duty.what for duty in policy.standing if duty.role == role), "")
        words = _words(look, look.default_branch, policy)
        order = _order(task, granted, look.default_branch, tree, words)
        return build_standing(role, what, known, prompt_id=prompt_id, order=order, template=template).text
    issue = issue_of(world, task.repo, task.issue)
    if issue is None:
        return None
    return task_prompt(
        issue,
        task,
        prompt_id,
        granted,
        look.default_branch,
        policy.triage,
        template=template,
        tree=tree,
        words=_words(look, look.default_branch, policy),
    )


def task_prompt(
    issue: Issue,
    task: Task,
    prompt_id: str,
    granted: Rights,
    base: str,
    policy: TriagePolicy,
    *,
    template: PromptTemplate,
    tree: TreeMemory | None = None,
    words: RepositoryWords = NO_WORDS,
) -> str:
    """The text for an issue."""
    return build(
        issue,
        prompt_id=prompt_id,
        approved_at=approved_at(issue, policy),
        policy=policy,
        template=template,
        order=_order(task, granted, base, tree, words),
    ).text


def _words(look: RepositorySnapshot, base: str, policy: Policy) -> RepositoryWords:
    """What the repository says on working in it: known of its default branch, so for work onto that alone."""
    if base != look.default_branch:
        return NO_WORDS
    return RepositoryWords(look.knowledge, policy.knowledge)


def _round_prompt(task: Task, prompt_id: str, facts: RoundFacts, order: TaskOrder, policy: Policy) -> str:
    return build_round(
        task,
        facts,
        prompt_id=prompt_id,
        order=order,
        policy=policy.triage,
        template=policy.prompts[task.kind],
    ).text


def _order(
    task: Task, granted: Rights, base: str, tree: TreeMemory | None, words: RepositoryWords
) -> TaskOrder:
    return TaskOrder(
        repository=task.repo,
        branch=task.branch,
        base=base,
        mode=granted.mode,
        may=granted.may,
        held=granted.held,
        denied=granted.denied,
        clone=clone_url(task.repo),
        folder=tree.folder or None if tree is not None else None,
        notes=tree.notes if tree is not None else (),
        findings=FINDINGS,
        words=words,
    )
