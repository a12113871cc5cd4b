"""How branches moved, and by whom, newest first; and releases, of which there are none."""

from hive.standins.github.records import Write
from hive.standins.github.rest.bodies import people
from hive.standins.github.rest.call import Call, Json, Reply, paged
from hive.standins.github.rest.routing import routes

_KINDS = {
    "ref.create": "branch_creation",
    "ref.update": "push",
    "ref.delete": "branch_deletion",
    "ref.merge": "pr_merge",
}
_NOTHING = "0" * 40


@routes.add("GET", "/repos/{owner}/{repo}/activity")
def activity(call: Call) -> Reply:
    """Of every branch."""
    prefix = f"{call.repo().full_name}@"
    before: dict[str, str] = {}
    moves: list[tuple[Write, str]] = []
    for write in call.forge.store.writes:
        if write.what in _KINDS and write.subject.startswith(prefix):
            moves.append((write, before.get(write.subject, _NOTHING)))
            before[write.subject] = write.detail or _NOTHING
    return paged(moves[::-1], lambda move: _body(call, *move))


def _body(call: Call, write: Write, before: str) -> Json:
    who = call.forge.account(write.actor)
    return {
        "id": write.id,
        "node_id": f"PSH_kw{write.id}",
        "before": before,
        "after": write.detail or _NOTHING,
        "ref": f"refs/heads/{write.subject.partition('@')[2]}",
        "timestamp": write.at,
        "activity_type": _KINDS[write.what],
        "actor": people.account(call.view, who) if who else None,
    }


@routes.add("GET", "/repos/{owner}/{repo}/releases")
def releases(call: Call) -> Reply:
    """None: nothing here makes one."""
    call.repo()
    return paged([], lambda _: {})
