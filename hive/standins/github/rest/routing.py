"""Routes: method and path template to the function that answers."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote

from hive.standins.github.rest.call import Call, Reply

Answer = Callable[[Call], Reply]


@dataclass(frozen=True, slots=True)
class Route:
    """`template` as GitHub documents it.

    `{name}` is one step (`{number}` of digits), `{name:path}` as many as there are.
    """

    method: str
    template: str
    pattern: re.Pattern[str]
    answer: Answer


def _pattern(template: str) -> re.Pattern[str]:
    numbered = template.replace("{number}", "(?P<number>[0-9]+)")
    stepwise = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", numbered)
    return re.compile("^" + re.sub(r"\{(\w+):path\}", r"(?P<\1>.+)", stepwise) + "$")


class Routes:
    """Every route, tried in the order in which it was added."""

    def __init__(self) -> None:
        self._routes: list[Route] = []

    def add(self, method: str, template: str) -> Callable[[Answer], Answer]:
        """Register the decorated function for `METHOD template`."""

        def register(answer: Answer) -> Answer:
            self._routes.append(Route(method, template, _pattern(template), answer))
            return answer

        return register

    def find(self, method: str, raw_path: str) -> tuple[Route, dict[str, str]] | None:
        """The route of a call, and its parameters, percent-decoded once."""
        for route in self._routes:
            match = route.pattern.match(raw_path) if route.method == method else None
            if match:
                return route, {name: unquote(value) for name, value in match.groupdict().items()}
        return None


routes = Routes()
"""The routes of every module beside this one, which register at import."""
