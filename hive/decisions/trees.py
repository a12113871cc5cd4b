"""Working copies: one before each task's prompt, and none longer than anything in it could be lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hive.decisions.counting import counted
from hive.decisions.lookup import sightings, split_key
from hive.decisions.policy import Policy
from hive.facts.intents import DeliverPrompt, PrepareTree, RemoveTree
from hive.facts.memory import Memory
from hive.facts.trees import TreeMemory, TreeSighting, Unsaved, tree_name
from hive.facts.work import Task
from hive.facts.world import World


def losses(tree: TreeSighting) -> tuple[str, ...]:
    """What would be lost, or disturbed, if the tree were removed; empty where nothing would."""
    return tuple(_losses(tree))


def _losses(tree: TreeSighting) -> Iterator[str]:
    if tree.fault:
        yield f"it cannot be looked at: {tree.fault}"
    for count, one, many in (
        (tree.changed, "changed file", "changed files"),
        (tree.untracked, "untracked file", "untracked files"),
        (tree.unpushed, "commit that the forge does not have", "commits that the forge does not have"),
        (tree.stashes, "stash", "stashes"),
        (tree.linked, "other working copy depends on it", "other working copies depend on it"),
        (tree.processes, "program is at work in it", "programs are at work in it"),
    ):
        if count:
            yield f"{counted(count, one, many)}"
    if tree.operation:
        yield f"it is in the midst of a {tree.operation}"


def hindrances(tree: TreeSighting) -> tuple[str, ...]:
    """What is against a removal that a person asks for: not what can be kept elsewhere, only what it would
    disturb, or what nobody could look at."""
    others = replace(tree, changed=0, untracked=0, unpushed=0, stashes=0, operation="")
    return losses(others)


def unsaved(tree: TreeSighting) -> Unsaved:
    return Unsaved(tree.changed + tree.untracked, tree.unpushed, tree.stashes)


def why_not_released(task: str, memory: Memory, policy: Policy) -> str:
    """Why a person cannot have the tree removed; empty where nothing is against it."""
    tree = memory.trees.get(task)
    kept = ", ".join(name for name, one in memory.trees.items() if one.kept is not None) or "none"
    if tree is None:
        return f"there is no working copy of '{task}'; kept are: {kept}"
    open_task = memory.tasks.get(task)
    if open_task is not None and open_task.is_open:
        return f"{tree.agent} is still at {task}; its working copy goes when that is over"
    spec = policy.agent(tree.agent)
    if spec is None or spec.sandbox is not None:
        return f"{tree.agent} is no longer configured here; look through {tree.folder} and remove it by hand"
    if tree.kept is None:
        return f"{tree.folder or task} is not kept: hive looks at it first, and removes it if nothing is lost"
    return ""


def is_ready(task: Task, generation: int, memory: Memory) -> bool:
    """Whether the task's tree was seen to since the agent's newest start."""
    tree = memory.trees.get(task.id)
    return tree is not None and tree.generation == generation and bool(tree.folder)


def with_tree(
    prompt: DeliverPrompt, task: Task, base: str, world: World, memory: Memory, policy: Policy
) -> DeliverPrompt | PrepareTree | None:
    """The prompt, once the task has its tree; None while that rests after a failure."""
    spec = policy.agent(task.agent)
    if not policy.trees or spec is None or spec.sandbox is not None:
        return prompt
    if is_ready(task, prompt.generation, memory):
        return prompt
    tree = memory.trees.get(task.id)
    if tree is not None and tree.rests_until is not None and world.now < tree.rests_until:
        return None
    return PrepareTree(
        agent=task.agent,
        task=task.id,
        repo=task.repo,
        issue=task.issue,
        name=tree_name(task.issue, task.attempt),
        branch=task.branch,
        base=base,
        generation=prompt.generation,
        because=f"{task.repo}#{task.issue}, attempt {task.attempt}",
    )


def tree_intents(world: World, memory: Memory, policy: Policy) -> Iterator[RemoveTree]:
    """Removals of trees whose tasks are over: merged, or abandoned. What would be lost with one is looked
    for when it is removed (`losses`). Nothing while the terminal is unseen."""
    seen = sightings(world)
    if seen is None or not policy.trees:
        return
    for name, tree in memory.trees.items():
        task = memory.tasks.get(name)
        spec = policy.agent(tree.agent)
        if spec is None or spec.sandbox is not None or tree.agent in world.hidden:
            continue
        if task is not None and task.is_open:
            continue
        if tree.rests_until is not None and world.now < tree.rests_until:
            continue
        pulls = _pulls(tree, memory)
        if any(state == "open" for _, state in pulls) and not tree.released_by:
            continue
        yield RemoveTree(
            agent=tree.agent,
            task=name,
            repo=tree.repo,
            name=tree.name,
            pulls=tuple(number for number, _ in pulls),
            rescue=bool(tree.released_by),
            because=f"{tree.released_by} released it" if tree.released_by else _why_over(task, pulls),
        )


def _pulls(tree: TreeMemory, memory: Memory) -> list[tuple[int, str]]:
    """Number and state of the pull requests from the tree's branch."""
    found = [
        (*split_key(key), pull)
        for key, pull in memory.pulls.items()
        if pull.head_ref == tree.branch and pull.agent == tree.agent
    ]
    return [(number, pull.state) for repo, number, pull in found if repo.casefold() == tree.repo.casefold()]


def _why_over(task: Task | None, pulls: list[tuple[int, str]]) -> str:
    if pulls:
        return ", ".join(f"#{number} was {state}" for number, state in pulls)
    return "its task is over" if task is None else f"its task is over: {task.outcome or 'given back'}"
