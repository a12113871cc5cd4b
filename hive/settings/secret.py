"""A secret that does not show itself."""

from __future__ import annotations

import hmac


class Secret:
    """Holds a secret text; printing, logging and formatting show ``***``."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The secret itself; hand it to whoever needs it and to nobody else."""
        return self._text

    def __repr__(self) -> str:
        return "***"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and hmac.compare_digest(self._text.encode(), other._text.encode())

    def __hash__(self) -> int:
        return hash(Secret)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a secret is not written anywhere")
