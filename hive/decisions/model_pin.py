"""Whether an agent's program uses the model that was configured."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from hive.facts.agent_events import ModelSeen
from hive.facts.agents import AgentSighting, AgentSpec
from hive.facts.memory import AgentMemory

_EARLIEST = datetime.min.replace(tzinfo=UTC)


def is_model(wanted: str, used: str) -> bool:
    """Whether `used`, as a provider names it, is what a configuration calls `wanted`.

    Aliases name a family (opus), ids may leave the date out, and some have a provider before them or a
    variant behind (``anthropic/``, ``[1m]``).
    """
    words = _words(wanted)
    return bool(words) and words in [_words(used)[at : at + len(words)] for at in range(len(_words(used)))]


def pinned(spec: AgentSpec, sighting: AgentSighting, known: AgentMemory) -> Iterator[ModelSeen]:
    """What to write down of the model that this start of the agent uses. Programs ask others as well, for
    titles and the like: only where none is the configured one is that another."""
    if not spec.model or known.started_at is None:
        return
    since = [one for one in sighting.usage if one.at is not None and one.at >= known.started_at]
    if not since:
        return
    newest = max(since, key=lambda one: one.at or _EARLIEST).model
    used = "" if any(is_model(spec.model, one.model) for one in since) else newest
    if used != known.other_model:
        yield ModelSeen(agent=spec.name, wanted=spec.model, used=used[:200])


def _words(name: str) -> list[str]:
    bare = re.sub(r"\[[^]]*\]$", "", name.casefold()).rpartition("/")[2]
    return [word for word in re.split(r"[-.:@_]", bare) if word and word != "latest"]
