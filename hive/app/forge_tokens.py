"""Tokens of the forge in agents' own hands: none is started with one that reaches a repository."""

from __future__ import annotations

from collections.abc import Callable

from hive.decisions.doctor.agents_token import COPILOT_TOKEN
from hive.decisions.doctor.finding import State
from hive.errors import Refused, Unreachable
from hive.facts.agents import AgentSpec


def vet(api_url: Callable[[], str]) -> Callable[[AgentSpec], None]:
    """Asks the forge what an agent's own token reaches, if it has one.

    What is returned raises `Refused` where that is a repository, and where the forge does not say.
    """

    def vetted(spec: AgentSpec) -> None:
        token = dict(spec.environment).get(COPILOT_TOKEN, "")
        if not token:
            return
        # Its HTTP client takes long to import, and few agents have such a token.
        from hive.app.doctor.forge import agents_token

        try:
            (found,) = agents_token(api_url(), spec.name, token)
        except Unreachable as error:
            raise Refused(
                "seats", f"what {COPILOT_TOKEN} of {spec.name} reaches is not known: {error}"
            ) from None
        if found.state is not State.OK:
            raise Refused("seats", f"{COPILOT_TOKEN} of {spec.name}: {found.found}; {found.remedy}")

    return vetted
