"""Delivery: what has to be done on which cluster so that each Binding is served, and nothing runs twice.

Pure. The controller in `hive.fleet` looks, asks `plan`, and does the steps in their order.
"""

from hive.decisions.delivery.model import (
    Apply,
    AwayMember,
    Deliver,
    Delivery,
    Desired,
    Forget,
    Held,
    MemberView,
    ObjectKey,
    Remove,
    SeenMember,
    Step,
    Wait,
    key_of,
)
from hive.decisions.delivery.plan import plan

__all__ = [
    "Apply",
    "AwayMember",
    "Deliver",
    "Delivery",
    "Desired",
    "Forget",
    "Held",
    "MemberView",
    "ObjectKey",
    "Remove",
    "SeenMember",
    "Step",
    "Wait",
    "key_of",
    "plan",
]
