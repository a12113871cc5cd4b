"""The rules on branches where git enforces them: in a pre-receive hook, told by its environment."""

from pathlib import Path

from hive.standins.github import enforcing
from hive.standins.github.forge import Forge
from hive.standins.github.records import Account, Repository

_ABSENT = "0" * 40
_HOOK = r"""#!/bin/sh
# Each line of STANDIN_RULES: the ref, `any` or `force`, and why it is refused.
status=0
while read -r old new ref; do
  while read -r name kind why; do
    [ "$name" = "$ref" ] || continue
    if [ "$kind" = force ]; then
      case "$old$new" in *0000000000000000000000000000000000000000*) continue ;; esac
      git merge-base --is-ancestor "$old" "$new" && continue
    fi
    echo "error: GH006: Protected branch update failed for $ref." >&2
    echo "error: $why" >&2
    status=1
  done <<RULES
$STANDIN_RULES
RULES
done
exit $status
"""


def commands(body: bytes) -> list[tuple[str, str, str]]:
    """(old, new, ref) of every update that a push asks for, from its first packet lines."""
    found, place = [], 0
    while place + 4 <= len(body):
        try:
            length = int(body[place : place + 4], 16)
        except ValueError:
            break
        if length < 4:
            break
        words = body[place + 4 : place + length].split(b"\0", 1)[0].decode(errors="replace").split()
        if len(words) == 3:
            found.append((words[0], words[1], words[2]))
        place += length
    return found


def variables(forge: Forge, repo: Repository, actor: Account, body: bytes) -> dict[str, str]:
    """The environment of a push's git: where the hook is, and what it refuses."""
    lines = []
    for _, new, ref in commands(body):
        if not ref.startswith("refs/heads/"):
            continue
        branch = ref.removeprefix("refs/heads/")
        why, no_force = enforcing.push_refusals(forge, repo, actor, branch, None if new == _ABSENT else new)
        if why:
            lines.append(f"{ref} any {why}")
        elif no_force:
            lines.append(f"{ref} force Cannot force-push to this branch")
    if not lines:
        return {}
    return {
        "STANDIN_RULES": "\n".join(lines),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": str(_hooks(forge)),
    }


def _hooks(forge: Forge) -> Path:
    """The folder with the hook, made at the first push that needs it."""
    folder = forge.root / "hooks"
    hook = folder / "pre-receive"
    if not hook.exists():
        folder.mkdir(exist_ok=True)
        hook.write_text(_HOOK, encoding="utf-8")
        hook.chmod(0o755)
    return folder
