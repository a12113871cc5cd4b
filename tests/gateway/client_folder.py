"""An agent's client files, written where no agent has been yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hive.gateway.client_files import FOLDERS, ClientFile


def write_client_files(files: Sequence[ClientFile], environment: Mapping[str, str]) -> None:
    for name in FOLDERS:
        Path(environment[name]).mkdir(mode=0o700, parents=True, exist_ok=True)
    for file in files:
        file.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.path.write_text(file.text)
        file.path.chmod(file.mode)
