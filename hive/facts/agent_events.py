"""Events about one agent: what operators asked of it, and what was seen of it."""

from __future__ import annotations

from hive.facts.recorded import AgentEvent


class AgentRejected(AgentEvent, tag="agent-rejected", frozen=True, kw_only=True):
    """One agent's part of the configuration is wrong; the others start."""

    message: str


class AgentPaused(AgentEvent, tag="agent-paused", frozen=True, kw_only=True):
    by: str
    why: str = ""


class AgentResumed(AgentEvent, tag="agent-resumed", frozen=True, kw_only=True):
    by: str
    why: str = ""


class RestartRequested(AgentEvent, tag="restart-requested", frozen=True, kw_only=True):
    by: str
    why: str = ""


class TextSent(AgentEvent, tag="text-sent", frozen=True, kw_only=True):
    """An operator typed into an agent's session through hive."""

    by: str
    text: str


class DialogAnswered(AgentEvent, tag="dialog-answered", frozen=True, kw_only=True):
    """An operator chose an option of the box on an agent's screen."""

    by: str
    question: str
    option: str


class AgentAttached(AgentEvent, tag="agent-attached", frozen=True, kw_only=True):
    """Somebody opened the agent's terminal."""

    by: str


class AgentChanged(AgentEvent, tag="agent-changed", frozen=True, kw_only=True):
    """The observed state of an agent changed (`facts.agents.AgentState`).

    Attributes:
        with_terminal: It went down with its whole session, which no task is to blame for.
        shared: All sessions of its terminal went at once: no agent is to blame either.
        options: What the box on its screen offers to choose from.
        not_installed: Its program, or what that runs on, is not there.
    """

    state: str
    detail: str = ""
    with_terminal: bool = False
    shared: bool = False
    not_installed: bool = False
    options: tuple[str, ...] = ()


class ConversationSeen(AgentEvent, tag="conversation-seen", frozen=True, kw_only=True):
    """The agent's program told which conversation it is in, in the start of this generation."""

    conversation: str
    generation: int


class ProgramSeen(AgentEvent, tag="program-seen", frozen=True, kw_only=True):
    """The version that the agent's program had at a start: another one than at the last."""

    version: str


class ModelSeen(AgentEvent, tag="model-seen", frozen=True, kw_only=True):
    """The model that the agent's program used, where that is not the configured one; `used` is empty once it
    is again."""

    wanted: str
    used: str = ""


class SandboxChanged(AgentEvent, tag="sandbox-changed", frozen=True, kw_only=True):
    """What is to be seen of an agent's sandbox changed (`facts.fleet_sighting.SandboxPhase`).

    `cluster` is where it is or goes, `why` what the placement says of each cluster (at most 50).
    """

    phase: str
    cluster: str = ""
    node: str = ""
    pod: str = ""
    message: str = ""
    why: tuple[tuple[str, str], ...] = ()


class PromptArrived(AgentEvent, tag="prompt-arrived", frozen=True, kw_only=True):
    """Proof that the agent has the prompt; `evidence` is transcript or screen."""

    task: str
    prompt_id: str
    evidence: str


class TurnEnded(AgentEvent, tag="turn-ended", frozen=True, kw_only=True):
    task: str
    prompt_id: str
    outcome: str
    detail: str = ""
