"""The only way from an agent to the forge. The gateway alone holds the credential.

`Gateway` starts and ends it; `client_files` makes an agent's real `gh` and `git` use it, and
`pod_client_files` those of an agent in a pod.
"""

from hive.gateway.client_files import ClientFile, client_files
from hive.gateway.gateway import Gateway
from hive.gateway.pod_files import pod_client_files
from hive.gateway.settings import GatewaySettings, Limits, PodsDoor

__all__ = [
    "ClientFile",
    "Gateway",
    "GatewaySettings",
    "Limits",
    "PodsDoor",
    "client_files",
    "pod_client_files",
]
