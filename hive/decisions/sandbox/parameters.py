"""Parameters of a template: from text to values, each within its bounds."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping

from hive.decisions.placement.quantities import parse_size
from hive.decisions.sandbox.template import Json, Parameter, ParameterType, SandboxTemplate

_DIGITS = re.compile(r"[+-]?[0-9]{1,18}")


def parameter_values(template: SandboxTemplate, given: Mapping[str, str]) -> dict[str, Json]:
    """The value of every parameter: what is given, else the default, else None.

    Raises `ConfigError` for a parameter that the template does not have, one that is missing, and a value
    that its type or bounds do not allow.
    """
    for name in given:
        if name not in template.parameters:
            raise template.error(_unknown(name, template), ("parameters",))
    return {name: parameter_value(template, name, given) for name in template.parameters}


def parameter_value(template: SandboxTemplate, name: str, given: Mapping[str, str]) -> Json:
    """Of one that the template has."""
    parameter = template.parameters[name]
    text = given.get(name, parameter.default)
    if text is None and parameter.is_required:
        raise template.error(
            f"parameter '{name}' ({parameter.description}) has no default and is not given",
            ("parameters", name),
        )
    try:
        return None if text is None else value_of(parameter, text)
    except ValueError as error:
        raise template.error(f"parameter '{name}': {error}", ("parameters", name)) from error


def value_of(parameter: Parameter, text: str) -> Json:
    """Raises `ValueError` with what to write."""
    match parameter.type:
        case ParameterType.STRING:
            if parameter.pattern is not None and re.fullmatch(parameter.pattern, text) is None:
                raise ValueError(f"'{text}' does not match {parameter.pattern}")
            return text
        case ParameterType.QUANTITY:
            _bound(parameter, text, parse_size(text), parse_size)
            return text
        case ParameterType.INTEGER:
            number = _integer(text)
            _bound(parameter, text, number, _integer)
            return number
        case ParameterType.BOOLEAN:
            if text not in ("true", "false"):
                raise ValueError(f"'{text}' is neither true nor false")
            return text == "true"
        case ParameterType.ENUM:
            if text not in parameter.values:
                raise ValueError(f"'{text}' is none of {', '.join(parameter.values)}")
            return text


def _bound(parameter: Parameter, text: str, value: int, read: Callable[[str], int]) -> None:
    if parameter.minimum is not None and value < read(parameter.minimum):
        raise ValueError(f"{text} is too little; at least {parameter.minimum}")
    if parameter.maximum is not None and value > read(parameter.maximum):
        raise ValueError(f"{text} is too much; at most {parameter.maximum}")


def _integer(text: str) -> int:
    if _DIGITS.fullmatch(text) is None:
        raise ValueError(f"'{text}' is no whole number")
    return int(text)


def _unknown(name: str, template: SandboxTemplate) -> str:
    near = difflib.get_close_matches(name, template.parameters, n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"it has: {', '.join(sorted(template.parameters))}"
    return f"it has no parameter '{name}'; {hint}"
