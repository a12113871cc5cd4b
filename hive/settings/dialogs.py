"""The section `dialogs` of `hive.yaml`: which boxes hive answers, and which it leaves to people."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from hive.contracts.backend import Backend, DialogRule
from hive.documents import Document
from hive.documents.models import nearest
from hive.documents.tree import Location
from hive.documents.values import Flag, Text
from hive.settings.policies import Name, SettingsModel


def _pattern(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"'{value}' is no regular expression: {error}") from error
    return value


Pattern = Annotated[Name, AfterValidator(_pattern)]


class DialogModel(SettingsModel):
    """How a box is answered, by the text of its options; or that it is not."""

    name: Name = Field(
        description="Unique among yours; a rule of the backend's own is forbidden by its name."
    )
    backend: Text = Field(default="", description="Whose boxes; left out: those of all backends.")
    question: Pattern | None = Field(
        default=None, description="A regular expression, looked for in what the box asks."
    )
    answer: Pattern | None = Field(
        default=None, description="A regular expression that the whole text of one option fits."
    )
    forbid: Flag = Field(default=False, description="Leave it to a person.")

    @model_validator(mode="after")
    def _is_whole(self) -> DialogModel:
        if self.forbid and self.answer is not None:
            raise ValueError("answer and forbid are both given; keep one")
        if not self.forbid and (self.question is None or self.answer is None):
            raise ValueError("question and answer are both needed, or forbid: true")
        return self


def dialog_rules(
    document: Document, models: list[DialogModel], backends: Mapping[str, Backend]
) -> Mapping[str, tuple[DialogRule, ...]]:
    """The operator's rules by backend, in their order. A forbidden one knows its box, and takes no option.

    Raises `ConfigError` for two of one name, and for what no backend has.
    """
    names: set[str] = set()
    found: dict[str, list[DialogRule]] = {name: [] for name in backends}
    for index, model in enumerate(models):
        at: Location = ("dialogs", index)
        if model.name in names:
            raise document.error(f"dialogs[{index}].name: '{model.name}' is taken; names are unique", at)
        names.add(model.name)
        if model.backend and model.backend not in backends:
            near = nearest(model.backend, sorted(backends))
            hint = f"; did you mean '{near}'?" if near else f"; known: {', '.join(sorted(backends))}"
            said = f"dialogs[{index}].backend: unknown backend '{model.backend}'{hint}"
            raise document.error(said, (*at, "backend"))
        wanted = [model.backend] if model.backend else sorted(backends)
        rules = {name: _rule(model, backends[name]) for name in wanted}
        if not any(rules.values()):
            raise document.error(f"dialogs[{index}]: {_unknown(model, backends, wanted)}", (*at, "name"))
        for name, rule in rules.items():
            found[name] += [rule] if rule is not None else []
    return {name: tuple(rules) for name, rules in found.items() if rules}


def _rule(model: DialogModel, backend: Backend) -> DialogRule | None:
    """None where the backend has no rule of the name that is forbidden."""
    if model.question is not None:
        return DialogRule(model.name, model.question, model.answer or "")
    own = next((rule for rule in backend.traits.dialogs if rule.name == model.name), None)
    return DialogRule(own.name, own.question, "") if own is not None else None


def _unknown(model: DialogModel, backends: Mapping[str, Backend], wanted: list[str]) -> str:
    known = sorted({rule.name for name in wanted for rule in backends[name].traits.dialogs})
    near = nearest(model.name, known)
    hint = f"; did you mean '{near}'?" if near else f"; known: {', '.join(known) or 'none'}"
    return f"'{model.name}' is no rule that can be forbidden{hint}; or give a question"
