"""Tasks on open pull requests: mend its own, answer, rebase; reviews of others'."""

from __future__ import annotations

import os
from collections.abc import Generator

from hive_backends.scripted_agent import forge
from hive_backends.scripted_agent.effects import Answer, Effect, Say
from hive_backends.scripted_agent.prompts import Task, diff_in
from hive_backends.scripted_agent.workshop import Workshop

Work = Generator[Effect, Answer, str]
"""Steps that end in a word on what was done."""


def work(task: Task, home: str) -> Work:
    """Do what the task's kind asks for."""
    yield Say(f"Going on with {task.repository}#{task.pull}: {task.kind}")
    shop = Workshop(home, task)
    yield from shop.open()
    if task.kind == "review":
        return (yield from _review(shop))
    if task.kind == "rebase":
        return (yield from _rebase(shop))
    if task.kind == "fix-ci":
        return (yield from _mend(shop))
    return (yield from _answer(shop))


def _mend(shop: Workshop) -> Work:
    """Apply the ```` ```mend ```` blocks that the prompt has; without one the cause is not known."""
    patch = diff_in(shop.task.text, "mend")
    if not patch or not (yield from shop.apply(patch.encode())):
        return f"found nothing to mend in #{shop.task.pull}"
    if not (yield from shop.commit(f"Mend the checks of pull request {shop.task.pull}")):
        return f"#{shop.task.pull} is mended already"
    yield from shop.push()
    return f"mended #{shop.task.pull}"


def _answer(shop: Workshop) -> Work:
    """Note what was asked in a file, push, then reply to each thread."""
    task = shop.task
    path = os.path.join("notes", f"review-{task.pull}.md")
    yield from shop.write(
        path, "".join(f"Looked into comment {one}.\n" for one in task.threads) or "Looked.\n"
    )
    if (yield from shop.commit(f"Look into the review of pull request {task.pull}")):
        yield from shop.push()
    for comment in task.threads:
        yield from forge.reply(task, comment, "Looked into it and changed it.")
    return f"answered {len(task.threads)} threads of #{task.pull}"


def _review(shop: Workshop) -> Work:
    """Ask for changes of what adds a file named TYPO until that was looked into; all else is fine."""
    task = shop.task
    base = f"refs/remotes/origin/{task.base}"
    changed = yield from shop.must("diff", "--name-only", f"{base}...{task.head}")
    files = changed.output.split()
    has_typo = "TYPO" in files and f"notes/review-{task.pull}.md" not in files
    text = "Verdict: changes\n\nTYPO:1: this file does not belong here." if has_typo else "Verdict: fine"
    yield from forge.review(task, text)
    return f"reviewed #{task.pull}: {'changes' if has_typo else 'fine'}"


def _rebase(shop: Workshop) -> Work:
    """Onto the newest base; where both changed the same lines, its own stand."""
    base = f"refs/remotes/origin/{shop.task.base}"
    yield from shop.must("rebase", "--quiet", "-X", "theirs", base)
    yield from shop.push_to(f"refs/heads/{shop.task.branch}", anew=True)
    return f"rebased #{shop.task.pull}"


def _note(task: Task) -> str:
    return "".join(f"Looked into comment {one}.\n" for one in task.threads) or "Looked into the review.\n"
