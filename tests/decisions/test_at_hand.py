"""What is asked of a memory for each item, against going through the whole of it each time."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from hive.decisions.at_hand import at_hand
from hive.decisions.lookup import in_hand, is_taken, open_tasks, task_pull
from hive.facts.memory import Memory, PullMemory
from hive.facts.work import Task, TaskState
from tests.decisions.worlds import NOW, REPO, pull

REPOS = st.sampled_from([REPO, REPO.upper(), "o/other"])
BRANCHES = st.sampled_from(["hive/a/1", "hive/a/2", "hive/b/1"])
NUMBERS = st.integers(1, 4)
IDS = st.sampled_from(["t1", "t2", "t3"])
TASKS = st.builds(
    Task,
    id=IDS,
    agent=st.just("a"),
    repo=REPOS,
    issue=NUMBERS,
    attempt=st.just(1),
    branch=BRANCHES,
    state=st.sampled_from(TaskState),
    claimed_at=st.just(NOW),
)
PULLS = st.builds(
    PullMemory,
    agent=st.just("a"),
    head_ref=BRANCHES,
    issue=st.none() | NUMBERS,
    task=IDS | st.just(""),
    state=st.sampled_from(["open", "merged", "closed"]),
)
MEMORIES = st.builds(
    lambda tasks, pulls: Memory(
        tasks={task.id: task for task in tasks},
        pulls={f"{repo}#{number}": one for (repo, number), one in pulls.items()},
    ),
    st.lists(TASKS, max_size=4),
    st.dictionaries(st.tuples(REPOS, NUMBERS), PULLS, max_size=6),
)


@given(MEMORIES, TASKS, REPOS, NUMBERS, BRANCHES)
def test_what_is_gathered_once_answers_as_going_through_everything_does(
    memory: Memory, task: Task, repo: str, number: int, branch: str
) -> None:
    tasks = [one for one in memory.tasks.values() if one.is_open]
    here = [one for one in tasks if one.repo.casefold() == repo.casefold()]
    of_hive = {(key.rpartition("#")[0].casefold(), key): one for key, one in memory.pulls.items()}
    assert list(open_tasks(memory)) == tasks
    assert is_taken(replace(pull(number), head_ref=branch), repo, memory) == any(
        one.issue == number or one.branch == branch for one in here
    )
    assert in_hand(memory) == {(one.repo.casefold(), one.issue) for one in tasks} | {
        (name, one.issue)
        for (name, _), one in of_hive.items()
        if one.state == "open" and one.issue is not None
    }
    assert task_pull(memory, task) == next(
        (
            key
            for (name, key), one in of_hive.items()
            if name == task.repo.casefold() and (one.task == task.id or one.head_ref == task.branch)
        ),
        None,
    )
    assert [(one.repo, one.number) for one in at_hand(memory).pulls.get(repo.casefold(), ())] == [
        (key.rpartition("#")[0], int(key.rpartition("#")[2]))
        for (name, key), one in of_hive.items()
        if one.state == "open" and name == repo.casefold()
    ]


def test_the_same_memory_is_gathered_once_and_another_anew() -> None:
    one = Memory()
    assert at_hand(one) is at_hand(one)
    assert at_hand(replace(one)) is not at_hand(one)
