"""Sandbox templates from their files: those that hive ships, and an operator's own beside them.

A template is tried on a request when it is read, so that a mistake in it is told with its line at the
start, and not by the first sandbox that wants it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from hive import assets, documents
from hive.decisions.sandbox.parameters import value_of
from hive.decisions.sandbox.soundness import unsound
from hive.decisions.sandbox.template import Parameter, ParameterType, SandboxTemplate
from hive.documents import Document, Limits
from hive.documents.models import StrictModel
from hive.documents.values import Flag
from hive.errors import ConfigError
from hive.settings.manifest_text import typed

ASSET = "sandbox-templates"
_SUFFIX = ".yaml"
_LIMITS = Limits(size=256 * 1024, depth=40, values=5000)
_NAME = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"


def _pattern(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f"'{value}' is no regular expression: {error}") from error
    return value


class ParameterModel(StrictModel):
    """One parameter; `required` goes without saying where there is no default."""

    type: ParameterType
    description: Annotated[str, Field(min_length=1)]
    default: str | None = None
    required: Flag | None = None
    minimum: str | None = None
    maximum: str | None = None
    values: list[str] | None = None
    pattern: Annotated[str, AfterValidator(_pattern)] | None = None

    def parameter(self) -> Parameter:
        required = self.default is None if self.required is None else self.required
        return Parameter(
            self.type,
            self.description,
            self.default,
            required and self.default is None,
            self.minimum,
            self.maximum,
            tuple(self.values or ()),
            self.pattern,
        )


class TemplateFile(StrictModel):
    """The shape of ``sandbox-templates/NAME.yaml``."""

    name: Annotated[str, Field(pattern=f"^{_NAME}$")]
    description: Annotated[str, Field(min_length=1)]
    parameters: dict[Annotated[str, Field(pattern="^[a-z][a-z0-9_]*$")], ParameterModel]
    objects: Annotated[list[dict[str, Any]], Field(min_length=1)]


def load_templates(own: Path | None = None) -> Mapping[str, SandboxTemplate]:
    """Templates by name: the shipped ones, and over them those in the operator's folder `own`.

    Raises `ConfigError`, with file and line, for the first that is wrong.
    """
    found = {}
    for name in assets.names(ASSET, _SUFFIX):
        source = f"{ASSET}/{name}"
        template = read_template(assets.data(source), source)
        found[template.name] = template
    for path in _files(own) if own is not None else ():
        template = read_template(_read(path), str(path))
        found[template.name] = template
    return found


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == _SUFFIX and path.is_file())
    except OSError as error:
        raise ConfigError(
            f"the folder of sandbox templates cannot be read: {error.strerror}", source=str(folder)
        ) from error


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_LIMITS.size + 1)
    except OSError as error:
        raise ConfigError(f"the file cannot be read: {error.strerror}", source=str(path)) from error


def read_template(data: bytes, source: str) -> SandboxTemplate:
    """Return the template in `data`, which is the file `source`. Raises `ConfigError`."""
    document = documents.read(data, source, limits=_LIMITS)
    file = document.parse(TemplateFile)
    stem = Path(source).stem
    if file.name != stem:
        raise document.error(f"name: '{file.name}' is not the file's own name; write {stem}", ("name",))
    parameters = {name: model.parameter() for name, model in file.parameters.items()}
    for name, model in file.parameters.items():
        _check_parameter(document, name, model, parameters[name])
    objects = typed(document, ("objects",))
    assert isinstance(objects, list)
    template = SandboxTemplate(
        file.name, file.description, parameters, tuple(objects), source, document.lines
    )
    for at, message in unsound(template):
        raise template.error(message, at)
    return template


def _check_parameter(document: Document, name: str, model: ParameterModel, parameter: Parameter) -> None:
    """Raises `ConfigError` for keys that contradict each other."""
    for key, message in _contradictions(model, parameter):
        raise document.error(f"parameters.{name}: {message}", ("parameters", name, key))


def _contradictions(model: ParameterModel, parameter: Parameter) -> Iterator[tuple[str, str]]:
    if model.required and model.default is not None:
        yield "required", "what has a default is never required; leave one of them out"
    if (parameter.type is ParameterType.ENUM) != (model.values is not None):
        yield "values", "an enum has values, and nothing else has"
    if model.pattern is not None and parameter.type is not ParameterType.STRING:
        yield "pattern", "only a string has a pattern"
    for key in ("minimum", "maximum"):
        bound = getattr(model, key)
        if bound is None:
            continue
        if parameter.type not in (ParameterType.QUANTITY, ParameterType.INTEGER):
            yield key, f"only a quantity or an integer has a {key}"
        else:
            yield from _no_value(key, bound, Parameter(parameter.type, parameter.description))
    if model.default is not None:
        yield from _no_value("default", model.default, parameter)


def _no_value(key: str, text: str, parameter: Parameter) -> Iterator[tuple[str, str]]:
    try:
        value_of(parameter, text)
    except ValueError as error:
        yield key, f"{key}: {error}"
