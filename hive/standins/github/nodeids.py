"""Global node ids: a prefix for the type and a number; opaque to clients."""

_PREFIXES = {
    "Account": "U",
    "Repository": "R",
    "Label": "LA",
    "Issue": "I",
    "Pull": "PR",
    "Comment": "IC",
    "Review": "PRR",
    "CheckRun": "CR",
    "Status": "SC",
    "Event": "EV",
    "Thread": "PRRT",
    "LineComment": "PRRC",
    "Protection": "BPR",
    "Ruleset": "RRS",
    "Team": "T",
    "QueueEntry": "MQE",
}
_TYPES = {prefix: name for name, prefix in _PREFIXES.items()}


def of(record: object) -> str:
    """The node id of a record, such as `PR_kw7`."""
    number = getattr(record, "id")  # noqa: B009 - every record has one, of whatever class
    return f"{_PREFIXES[type(record).__name__]}_kw{number}"


def parse(node_id: str) -> tuple[str, int] | None:
    """The record class and number that a node id names, or None for one that is not ours."""
    prefix, separator, number = node_id.partition("_kw")
    if not separator or prefix not in _TYPES or not (number.isascii() and number.isdigit()):
        return None
    return _TYPES[prefix], int(number)
