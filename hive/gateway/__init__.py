"""The only way from an agent to the forge. The gateway alone holds the credential.

`Gateway` starts and ends it; `client_files` makes an agent's real `gh` and `git` use it.
"""

from hive.gateway.client_files import ClientFile, client_files
from hive.gateway.gateway import Gateway
from hive.gateway.settings import GatewaySettings, Limits

__all__ = ["ClientFile", "Gateway", "GatewaySettings", "Limits", "client_files"]
