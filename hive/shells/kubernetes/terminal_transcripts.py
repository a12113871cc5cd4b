"""`ports.transcripts.Transcripts` of a pod: files read as they grow."""

from __future__ import annotations

from collections.abc import Sequence

from hive.errors import Unreachable, WorldError
from hive.shells.kubernetes.terminal_sight import RunScript
from hive.shells.system.line_tail import LineTail
from hive.shells.tmux.control import PORT

_CHUNK = 1024 * 1024
"""Bytes read from one file at a time; a longer backlog is skipped up to its last such part."""
_KEPT = 16 * 1024 * 1024
"""Bytes of the lines that are kept of one file."""

# $1 path, $2 inode and $3 offset as known, $4 most bytes. Prints "inode from size", then the bytes between.
_READ = """
[ -f "$1" ] || exit 0
set -- "$@" $(stat -L -c '%i %s' "$1")
from=$3
if [ "$5" != "$2" ] || [ "$6" -lt "$3" ]; then from=0; fi
if [ $(($6 - from)) -gt "$4" ]; then from=$(($6 - $4)); fi
echo "$5 $from $6"
if [ "$6" -gt "$from" ]; then tail -c +$((from + 1)) "$1" | head -c $(($6 - from)); fi
"""

# Prints the paths that match the patterns, one on a line.
_FIND = """
IFS=
for pattern in "$@"; do
  for path in $pattern; do
    if [ -f "$path" ]; then printf '%s\\n' "$path"; fi
  done
done
"""


class PodTranscripts:
    """Remembers how far each file was read. An empty or replaced file starts anew."""

    def __init__(self, run_script: RunScript) -> None:
        """`run_script` is a `PodTerminal`'s."""
        self._run = run_script
        self._tails: dict[str, LineTail] = {}

    def lines(self, path: str) -> tuple[str, ...]:
        """See the port; a line that is still being written waits for its end. Raises `Unreachable`."""
        tail = self._tails.get(path) or LineTail()
        try:
            output = self._run(_READ, path, str(tail.inode), str(tail.offset), str(_CHUNK))
        except WorldError as error:
            raise Unreachable(PORT, error.message) from error
        head, _, data = output.partition(b"\n")
        if not head:
            self._tails.pop(path, None)
            return ()
        try:
            inode, start, _size = (int(word) for word in head.split())
        except ValueError as error:
            raise Unreachable(PORT, f"cannot read {path} in the pod") from error
        if inode != tail.inode or start < tail.offset:
            tail = LineTail(inode)
        self._tails[path] = tail
        if data:
            if start != tail.offset:
                tail.skip_to(start)
            tail.take(data, most=_KEPT)
        return tail.lines

    def found(self, patterns: Sequence[str]) -> tuple[str, ...]:
        """See the port. Raises `Unreachable`."""
        try:
            output = self._run(_FIND, *patterns)
        except WorldError as error:
            raise Unreachable(PORT, error.message) from error
        return tuple(sorted(set(output.decode("utf-8", "replace").splitlines())))
