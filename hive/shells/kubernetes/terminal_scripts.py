"""Short shell scripts run by the tmux server of a pod, over the connection that is there anyway.

An exec of its own costs the node some fifty milliseconds of CPU, a script a few. tmux shows the output of
what it runs in a pane; it comes through a buffer instead. Base64 both ways: tmux expands ``#`` and ``%`` in
commands, and reads lines of output as text.
"""

from __future__ import annotations

import base64
import binascii
import shlex
from collections.abc import Sequence

from hive.errors import Unreachable
from hive.shells.tmux.control import PORT
from hive.shells.tmux.language import CommandList, commands
from hive.shells.tmux.replies import Reply

# Printed last: an output without it was cut.
_END = b"\nhive-end\n"


def script(text: str, words: Sequence[str], *, buffer: str, socket: str) -> CommandList:
    """A list that runs `text` with `words` as its arguments and shows what it printed, by way of
    `buffer`."""
    arguments = " ".join(shlex.quote(word) for word in words)
    whole = f"( set -- {arguments}\n{text}\n); printf '\\nhive-end\\n'"
    coded = base64.b64encode(whole.encode("utf-8", "surrogateescape")).decode()
    load = f"tmux -S {shlex.quote(socket)} load-buffer -b {buffer} -"
    line = f'( eval "$(echo {coded} | base64 -d)" | base64 | {load} ) >/dev/null 2>/dev/null </dev/null; true'
    return commands(
        ("run-shell", line.replace("#", "##").replace("%", "%%")),
        ("show-buffer", "-b", buffer),
        ("delete-buffer", "-b", buffer),
    )


def read_output(replies: Sequence[Reply]) -> bytes:
    """What the script printed. Raises `Unreachable` where it could not be run to its end."""
    failed = [reply for reply in replies if not reply.ok]
    if failed or len(replies) < 2:
        words = failed[0].text.decode("utf-8", "replace") if failed else "no output"
        raise Unreachable(PORT, f"the pod runs no scripts (it needs sh, base64 and tmux): {words}")
    try:
        output = base64.b64decode(replies[1].text, validate=False)
    except binascii.Error as error:
        raise Unreachable(PORT, f"not the output of a script: {error}") from error
    if not output.endswith(_END):
        raise Unreachable(PORT, "the output of a script was cut")
    return output.removesuffix(_END)
