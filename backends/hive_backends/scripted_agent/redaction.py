"""Secrets of the environment never reach the screen or the transcript."""

from __future__ import annotations

import os
import re

_SECRET_NAME = re.compile(r"TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|API_?KEY|PRIVATE_KEY", re.IGNORECASE)
_SHORTEST = 6
"""A shorter value is more likely a word than a secret."""


def is_secret_name(name: str) -> bool:
    return _SECRET_NAME.search(name) is not None


class Redactor:
    """Replaces the values that the environment held when the program started."""

    def __init__(self) -> None:
        found = [value for name, value in os.environ.items() if is_secret_name(name)]
        self._values = sorted((value for value in found if len(value) >= _SHORTEST), key=len, reverse=True)

    def __call__(self, text: str) -> str:
        for value in self._values:
            text = text.replace(value, "***")
        return text
