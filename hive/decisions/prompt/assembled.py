"""A prompt out of its template: what is hive's own, and what others wrote."""

from __future__ import annotations

from collections.abc import Iterable

from hive.decisions.prompt.foreign import Foreign, Prompt
from hive.decisions.prompt.knowledge import take_knowledge
from hive.decisions.prompt.order import Part, TaskOrder, first_line, permissions, task_block
from hive.decisions.prompt.template import PromptTemplate, filled


def assembled(
    template: PromptTemplate,
    order: TaskOrder,
    foreign: Foreign,
    prompt_id: str,
    work: str,
    about: Iterable[tuple[str, str]],
    *,
    number: int | None = None,
    part: Part = Part.NONE,
) -> Prompt:
    """`template` with its places filled; equal input gives equal bytes.

    Args:
        work: What is to be done, for the first line.
        about: Keys and values of the task's block, besides those of `order`.
        number: Of the issue or pull request that the task is about.
        part: What the agent has to do with the pull request.
    """
    take_knowledge(foreign, order.words.files, order.words.max_chars)
    values = {
        "first_line": first_line(prompt_id, work, order),
        "permissions": permissions(order, part=part),
        "task": task_block(about, order),
        "foreign": foreign.section(prompt_id),
        "repository": order.repository or "",
        "number": "" if number is None else str(number),
        "branch": order.branch or "",
        "base": order.base or "",
    }
    return Prompt(filled(template, values), tuple(foreign.stripped))
