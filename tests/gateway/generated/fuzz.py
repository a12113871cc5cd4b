"""A coverage-guided fuzz target: ``python -m tests.gateway.generated.fuzz [libFuzzer's options] [CORPUS]``.

What begins with R is one raw request, which has to be read or not understood; anything else are choices
by which a request is made up, whose effects have to be what the table says. Coverage of the reading code
and of graphql-core's parser leads the way. A finding is a crash with the bytes that make it again.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
CORPUS = Path(__file__).with_name("corpus")
_FOLLOWED = ["hive.decisions.requests", "hive.gateway.rewriting", "graphql.language"]


class Provided:
    """A `requests.Choices` that asks a fuzzer's bytes."""

    def __init__(self, provider: Any) -> None:
        self._provider = provider

    def choice(self, of: Sequence[T], /) -> T:
        return of[self.randrange(len(of))]

    def randrange(self, below: int, /) -> int:
        return int(self._provider.ConsumeIntInRange(0, below - 1))


def main(arguments: list[str]) -> None:
    """Run until a finding, or for as long as the options say."""
    atheris = import_module("atheris")
    with atheris.instrument_imports(include=_FOLLOWED):
        from hive.decisions.requests import NotUnderstood, classify
        from hive.decisions.requests.raw import parse_request
        from tests.decisions.requests.asking import CALLER, FACTS
        from tests.gateway.generated import requests
        from tests.gateway.generated.effects import LADDER
        from tests.gateway.generated.forge import World
    world = World(Path(tempfile.mkdtemp(prefix="hive-fuzz-")))

    def one(data: bytes) -> None:
        if data[:1] == b"R":
            try:
                request = parse_request(data[1:])
            except NotUnderstood:
                return
            assert classify(request, CALLER, FACTS)
            return
        choices = Provided(atheris.FuzzedDataProvider(data))
        make = choices.choice((requests.graphql, requests.rest))
        mode = choices.choice(LADDER)
        found = list(world.denied_effects(mode, make(choices)))
        assert not found, found

    # What is found to be new is kept in the first folder: never in the one that is under version control.
    folders = [] if any(not each.startswith("-") for each in arguments) else [tempfile.mkdtemp(), str(CORPUS)]
    atheris.Setup([sys.argv[0], *arguments, *folders], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
