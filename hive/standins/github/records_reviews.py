"""What is remembered of comments on lines: threads and their comments."""

from dataclasses import dataclass


@dataclass(slots=True)
class Thread:
    """A conversation about lines of a file, as they were at `commit`; `line` is None once it is outdated."""

    id: int
    repo: int
    number: int
    path: str
    side: str
    """`RIGHT` is the new version of the file, `LEFT` the old one."""
    commit: str
    original_line: int | None
    original_start: int | None
    line: int | None
    start: int | None
    hunk: str
    whole_file: bool = False
    resolved_by: int | None = None

    @property
    def outdated(self) -> bool:
        """Whether the lines that it is about are not there any more."""
        return self.line is None and not self.whole_file


@dataclass(slots=True)
class LineComment:
    """One comment of a thread, given as part of a review."""

    id: int
    repo: int
    number: int
    thread: int
    review: int
    author: int
    body: str
    created_at: str
    updated_at: str
    edited_at: str | None = None
    reply_to: int | None = None
