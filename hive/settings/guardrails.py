"""The section `guardrails` of `hive.yaml`: which installed guardrails are in force, and their settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationError

from hive.contracts.guardrail import Configurable, Guardrail
from hive.documents import Document
from hive.documents.models import first_error, nearest

_FLAGS = {"true": True, "false": False}


def _entry(value: Any) -> Any:
    flag = _FLAGS.get(value) if isinstance(value, str) else value
    if not isinstance(flag, bool | dict):
        raise ValueError("true, false or a mapping of settings is expected")
    return flag


GuardrailEntry = Annotated[
    bool | dict[str, Any], BeforeValidator(_entry, json_schema_input_type=bool | dict[str, Any])
]
"""``true``: in force as it comes; ``false``: not in force; a mapping: in force with these settings."""


def read_guardrails(
    document: Document, given: Mapping[str, bool | dict[str, Any]], installed: Mapping[str, Guardrail]
) -> tuple[Guardrail, ...]:
    """Those in force, in order of their names.

    Raises `ConfigError` for one that is not installed or whose settings are wrong, and `PluginError` for
    one that is broken: a rule that the operator counts on is never quietly left out.
    """
    for name in given:
        if name not in installed:
            near = nearest(name, [*installed])
            hint = f"did you mean '{near}'?" if near else f"installed: {', '.join(installed) or 'none'}"
            raise document.error(f"no guardrail '{name}' is installed; {hint}", ("guardrails", name))
    found = (_read(document, name, given.get(name), one) for name, one in installed.items())
    return tuple(one for one in found if one is not None)


def _read(
    document: Document, name: str, given: bool | dict[str, Any] | None, guardrail: Guardrail
) -> Guardrail | None:
    if not isinstance(guardrail, Configurable):
        if isinstance(given, dict):
            raise document.error(
                f"the guardrail '{name}' has no settings; write {name}: true", ("guardrails", name)
            )
        return None if given is False else guardrail
    if given is False or (given is None and not guardrail.is_on):
        return None
    settings = guardrail.settings
    try:
        return guardrail.configured(settings.model_validate(given if isinstance(given, dict) else {}))
    except ValidationError as error:
        raise first_error(document, settings, error, ("guardrails", name)) from error
