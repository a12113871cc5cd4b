"""The agents' programs: whether each is there, which version, and whether it could log in.

Nobody is asked for a conversation: a login is told by the variables and files that a program takes it from.
They are those of the agent's own HOME, which is not the operator's: a login of the operator's own is no help.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hive.decisions.doctor.finding import Finding, ok, problem, skipped, warning
from hive.decisions.doctor.machine import UNUSABLE


@dataclass(frozen=True, slots=True)
class Known:
    """What the vendor of a program documents.

    Attributes:
        install: A command line.
        variables: Any one of them logs the program in.
        files: Below HOME; any one of them holds a login.
    """

    install: str
    variables: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


KNOWN: Mapping[str, Known] = {
    "claude": Known(
        "npm install -g @anthropic-ai/claude-code",
        (
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CODE_USE_VERTEX",
        ),
        (".claude/.credentials.json",),
    ),
    "copilot": Known(
        "npm install -g @github/copilot",
        ("COPILOT_GITHUB_TOKEN", "COPILOT_PROVIDER_API_KEY", "COPILOT_PROVIDER_BASE_URL"),
    ),
    "gemini": Known(
        "npm install -g @google/gemini-cli",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI"),
        (".gemini/oauth_creds.json",),
    ),
    "codex": Known(
        "npm install -g @openai/codex", ("OPENAI_API_KEY", "CODEX_API_KEY"), (".codex/auth.json",)
    ),
    "opencode": Known(
        "npm install -g opencode-ai",
        ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"),
        (".local/share/opencode/auth.json",),
    ),
    "goose": Known(
        "brew install block-goose-cli, or as goose's own documentation says",
        ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GOOSE_PROVIDER"),
        (".config/goose/config.yaml", ".config/goose/secrets.yaml"),
    ),
}
"""By backend. Of the vendors' documentation; Claude's, Copilot's and Gemini's keys were tried."""

SILENT = "silent"
"""In place of a version: the program did not end."""

BUILT_IN = "scripted"
"""Its program comes with hive."""


@dataclass(frozen=True, slots=True)
class Program:
    """One program as it was found, and the agents on this machine that run it.

    Attributes:
        name: As it is looked for on PATH.
        path: None where it is not there.
        said: What it says of its version; empty where it was not asked.
        logins: What could log in, by agent: names of variables and files, never what they hold.
    """

    backend: str
    name: str
    path: str | None
    said: str = ""
    logins: Mapping[str, Sequence[str]] = field(default_factory=dict)


def program_findings(program: Program, *, is_configured: bool) -> Iterator[Finding]:
    """Without a configuration a program that is missing is nobody's trouble."""
    name = f"backend {program.backend}"
    known = KNOWN.get(program.backend)
    if program.path is None:
        said = f"{program.name} is not on PATH"
        default = known is not None and program.name == program.backend
        remedy = known.install if known and default else f"install {program.name}, and put it on PATH"
        yield problem(name, said, remedy) if is_configured else skipped(name, said, remedy)
        return
    if program.said == SILENT:
        said = f"{program.path} does not say its version in time"
        yield warning(name, said, f"see what '{program.name} --version' does; the machine may be busy")
    elif program.said.startswith(UNUSABLE):
        yield problem(name, f"{program.path}: {program.said}", "install it anew")
        return
    else:
        yield ok(name, ", ".join(each for each in (program.said, program.path) if each))
    if known is not None and is_configured:
        yield _login(f"{name}: login", program, known)


def _login(name: str, program: Program, known: Known) -> Finding:
    without = [agent for agent, found in program.logins.items() if not found]
    if without:
        agents = ", ".join(without[:5]) + (f" and {len(without) - 5} more" if len(without) > 5 else "")
        variable = known.variables[0]
        return warning(
            name,
            f"none is seen for {agents}: each agent has a HOME of its own",
            f"set {variable} in the agents' `environment` (`{variable}: ${{{variable}}}`)",
        )
    used = sorted({each for found in program.logins.values() for each in found})
    return ok(name, f"by {', '.join(used)}; whether it is accepted shows when an agent starts")
