"""Names of a sandbox's objects: the same for the same request, and valid wherever they go.

A name becomes a host name and the value of a label, and a pod's name is longer than its Deployment's: so
it is kept shorter than Kubernetes would let a request's be.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

SANDBOX = "hive.fleet/sandbox"
"""The label of everything that belongs to a sandbox, its pod too; the value is `SandboxNames.name`."""

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_LONGEST = 46
"""Characters. 63 are a label's and a host name's; a pod adds 17 of its own to its Deployment's name."""
_DIGEST = 10


@dataclass(frozen=True, slots=True)
class SandboxNames:
    """Within the namespace.

    Attributes:
        name: Of the Deployment, the volume claim, the ServiceAccount, the NetworkPolicy; the pod's host name.
        secret: Holds the sandbox's own token and the gateway's certificate.
    """

    name: str

    @property
    def secret(self) -> str:
        return f"{self.name}-hive"


def names_of(request: str) -> SandboxNames:
    """For a request of that name: its own where that is short and plain, else one with a digest in it."""
    if len(request) <= _LONGEST and _NAME.fullmatch(request):
        return SandboxNames(request)
    digest = hashlib.sha256(request.encode()).hexdigest()[:_DIGEST]
    slug = re.sub(r"[^a-z0-9]+", "-", request.lower()).strip("-")[: _LONGEST - _DIGEST - 1].rstrip("-")
    return SandboxNames(f"{slug or 'sandbox'}-{digest}")
