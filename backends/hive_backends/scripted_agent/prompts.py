"""A prompt, read: whose it is, and the task that hive wrote into it."""

from __future__ import annotations

import re

from hive_backends.scripted_agent.marks import Marks, in_text

_FIRST_LINE = re.compile(r"hive task ([A-Za-z0-9./_+-]+):")
_GO_ON = re.compile(r"hive task [A-Za-z0-9./_+-]+: go on with the task that you were given above\.")
_FENCE = re.compile(r"=== (?:end of )?foreign text [0-9a-f]+ ===")
_COMMENT = re.compile(r"\bis comment (\d+)")
_TASK_START = "--- task ---"
_TASK_END = "--- end task ---"
_REQUIRED = ("repository", "branch", "base", "mode")
_MODES = ("advisory", "measured", "holdgated", "full")


class Task:
    """The machine-readable block of a prompt."""

    def __init__(self, fields: dict[str, str], text: str) -> None:
        self.repository = fields["repository"]
        self.kind = fields.get("kind", "issue")
        self.pull = int(fields.get("pull") or 0)
        self.issue = int(fields.get("issue") or self.pull)
        self.threads = [int(one) for one in _COMMENT.findall(fields.get("threads", ""))]
        """Comments of reviewers to be answered, by number."""
        self.title = fields.get("title") or f"Issue {self.issue}"
        self.branch = fields["branch"]
        self.head = fields.get("head", "")
        """Of the pull request."""
        self.base = fields["base"]
        self.mode = fields["mode"]
        self.clone = fields.get("clone") or f"https://github.com/{self.repository}.git"
        self.folder = fields.get("folder", "")
        """The task's working copy, where hive has made one."""
        self.findings = fields.get("findings", "")
        self.text = text
        """The issue as others wrote it, without hive's fence around it."""


class Prompt:
    """What was submitted. `problem` says why a prompt of hive's holds no task that can be done.

    `former` is the last that held one: a prompt to go on means that task.
    """

    def __init__(self, data: bytes, former: Prompt | None = None) -> None:
        self.data = data
        self.text = data.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")
        found = _FIRST_LINE.match(self.text)
        self.prompt_id = found.group(1) if found else None
        self.marks: Marks = in_text(self.text)
        self.task: Task | None = None
        self.problem = ""
        if former is not None and _GO_ON.match(self.text):
            self.task, self.marks = former.task, former.marks
        elif self.prompt_id is not None:
            self._read_task()

    def _read_task(self) -> None:
        lines = self.text.split("\n")
        try:
            start = lines.index(_TASK_START)
            end = lines.index(_TASK_END, start)
        except ValueError:
            self.problem = f"the prompt has no block between {_TASK_START!r} and {_TASK_END!r}"
            return
        fields = dict(_field(line) for line in lines[start + 1 : end] if ":" in line)
        self.problem = _problem(fields)
        if not self.problem:
            others = lines[end + 1 :]
            self.task = Task({"title": _title(others), **fields}, _foreign(others))
            self.marks = in_text(self.task.text)


def _foreign(lines: list[str]) -> str:
    """What others wrote: the marked lines between the fences, or all lines where there is no fence.

    Hive's own headings between them carry no mark; an empty line takes the place of each.
    """
    fences = [index for index, line in enumerate(lines) if _FENCE.fullmatch(line)]
    if len(fences) < 2:
        return "\n".join(lines)
    inside = lines[fences[0] + 1 : fences[-1]]
    return "\n".join(line[2:] if line.startswith("|") else "" for line in inside)


def _title(lines: list[str]) -> str:
    """The issue's title: the one line below the first heading between the fences."""
    fence = next((index for index, line in enumerate(lines) if _FENCE.fullmatch(line)), len(lines))
    heading, title = [*lines[fence + 1 : fence + 3], "", ""][:2]
    return title.removeprefix("|").strip() if heading.startswith("title, by ") else ""


def _field(line: str) -> tuple[str, str]:
    key, _, value = line.partition(":")
    return key.strip(), value.strip()


def _problem(fields: dict[str, str]) -> str:
    subject = "pull" if fields.get("pull") else "role" if fields.get("kind") == "standing" else "issue"
    missing = [key for key in (*_REQUIRED, subject) if not fields.get(key)]
    if missing:
        return f"the task names no {', '.join(missing)}"
    for key in ("issue", "pull"):
        number = fields.get(key, "0")
        if not number.isascii() or not number.isdigit():
            return f"the task's {key} is no number: {number!r}"
    if fields["mode"] not in _MODES:
        return f"the task's mode is not one of {', '.join(_MODES)}: {fields['mode']!r}"
    return ""


def diff_in(text: str, languages: str = "diff|patch") -> str:
    """The ```` ```diff ```` blocks of `text`, one after the other; empty when there is none."""
    found: list[str] = []
    fence = ""
    for line in text.split("\n"):
        bare = line.strip()
        if not fence:
            opening = re.match(rf"(`{{3,}})(?:{languages})\s*$", bare)
            fence = opening.group(1) if opening else ""
        elif bare.startswith(fence) and set(bare) == {"`"}:
            fence = ""
        else:
            found.append(line)
    return "\n".join(found) + "\n" if found else ""
