"""What one raw request of an agent would do, in the words of the autonomy table.

Pure: bytes and facts in, operations out. `classify` is the gateway's only reading of a request and the
one behind `hive acmm request`; the table then rules on each operation.
"""

from hive.decisions.requests.classify import Reading, classify, not_understood, read
from hive.decisions.requests.model import (
    Caller,
    Facts,
    Hosts,
    Listed,
    NewPullRequest,
    Node,
    NotUnderstood,
    Operation,
)
from hive.decisions.requests.request import Request

__all__ = [
    "Caller",
    "Facts",
    "Hosts",
    "Listed",
    "NewPullRequest",
    "Node",
    "NotUnderstood",
    "Operation",
    "Reading",
    "Request",
    "classify",
    "not_understood",
    "read",
]
