"""The dashboard's program: it asks once a second, tells the screens, and carries operators' keys out."""

from __future__ import annotations

import contextlib
import re
from collections import deque
from collections.abc import Callable
from datetime import tzinfo
from typing import ClassVar

from textual import on
from textual.app import App
from textual.binding import Binding, BindingType
from textual.css.query import NoMatches

from hive.dashboard.cells import Cell, Row
from hive.dashboard.fleet import Fleet, Incident
from hive.dashboard.looks import Tone
from hive.dashboard.rows import journal_rows
from hive.dashboard.screens.ask import AskScreen, ChooseScreen, ConfirmScreen
from hive.dashboard.screens.help import HelpScreen
from hive.dashboard.screens.level import LevelOrder, LevelScreen, Scope
from hive.dashboard.screens.overview import Overview
from hive.dashboard.screens.waiting import Decided, WaitingScreen
from hive.dashboard.screens.watching import Attending, Watching
from hive.dashboard.watch import JournalReader, News, Sight, Watch
from hive.decisions.one_line import one_line
from hive.ports.clock import Clock
from hive.ports.operator import Operator

BEAT_SECONDS = 1.0
MOST_FEED = 500
"""Rows of the journal that are kept; `hive explain` reads what is older."""


class HiveDashboard(App[None]):
    """Shows a hive and lets `user` steer it.

    `operator` and `journal` are called from threads of the dashboard's own, never two calls of a kind at
    once. `clock` gives the present; times of day are shown in `zone` (None: this machine's).
    """

    TITLE = "hive"
    CSS_PATH = "hive.tcss"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (150, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (32, "-tall")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "pause", "Pause"),
        Binding("r", "resume", "Resume"),
        Binding("R", "restart", "Restart"),
        Binding("s", "send", "Send"),
        Binding("a", "answer", "Answer", show=False),
        Binding("L", "level", "Level"),
        Binding("w", "waiting", "Waiting", show=False),
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(
        self,
        operator: Operator,
        journal: JournalReader,
        *,
        user: str,
        clock: Clock,
        zone: tzinfo | None = None,
    ) -> None:
        super().__init__()
        self._watch = Watch(operator, journal, clock)
        self._user = user
        self._zone = zone
        self._sight: Sight | None = None
        self._feed: deque[Row] = deque(maxlen=MOST_FEED)
        self._journal_trouble = ""
        self._is_looking = False
        self._is_listening = False

    def on_mount(self) -> None:
        self.push_screen(Overview(self._watch, self._zone))
        self.set_interval(BEAT_SECONDS, self.beat)

    def on_unmount(self) -> None:
        self._watch.close()

    def beat(self) -> None:
        """Look and listen, unless the last time is still under way."""
        if not self._is_looking:
            self._is_looking = True
            self.run_worker(self._look(), group="look")
        if not self._is_listening:
            self._is_listening = True
            self.run_worker(self._listen(), group="listen")

    async def _look(self) -> None:
        try:
            self._see(await self._watch.look())
        finally:
            self._is_looking = False

    async def _listen(self) -> None:
        try:
            self._hear(await self._watch.news())
        finally:
            self._is_listening = False

    def _see(self, sight: Sight) -> None:
        self._sight = sight
        self._tell(lambda screen: screen.see(sight, self._journal_trouble))

    def _hear(self, news: News) -> None:
        self._journal_trouble = news.trouble
        if news.skipped:
            words = f"… {news.skipped} records are not shown"
            self._feed.append(Row(f"before {news.records[0].seq}", (Cell(""), Cell(words, Tone.MUTED))))
        if not news.records:
            return
        self._feed.extend(journal_rows(news.records, self._zone))
        self._tell(lambda screen: screen.hear(news, tuple(self._feed)))

    def _tell(self, tell: Callable[[Watching], None]) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, Watching) and screen.is_attending:
                # Only a screen that is being taken down has lost its widgets: it needs no telling.
                with contextlib.suppress(NoMatches), self.batch_update():
                    tell(screen)

    @on(Attending)
    def tell_what_is_known(self) -> None:
        """A screen has just come to be."""
        if self._sight is None:
            self.beat()
        else:
            self._see(self._sight)
            self._tell(lambda screen: screen.hear(News(), tuple(self._feed)))

    @property
    def _fleet(self) -> Fleet:
        return self._sight.fleet if self._sight else Fleet()

    def action_pause(self) -> None:
        self._ask(
            "Pause",
            "why (may stay empty)",
            lambda agent, why: self._do(
                f"paused {agent}", lambda hive: hive.pause(agent, by=self._user, why=why)
            ),
        )

    def action_resume(self) -> None:
        agent = self._agent_in_hand()
        if agent is not None:
            self._do(f"resumed {agent}", lambda hive: hive.resume(agent, by=self._user, why=""))

    def action_restart(self) -> None:
        agent = self._agent_in_hand()
        if agent is None:
            return
        name = agent

        def answered(yes: bool | None) -> None:
            if yes:
                self._do(
                    f"restart of {name} asked for",
                    lambda hive: hive.restart(name, by=self._user, why="asked for in the dashboard"),
                )

        self.push_screen(ConfirmScreen(f"Restart {name}?", "What it is doing now is ended."), answered)

    def action_send(self) -> None:
        self._ask(
            "Send text to",
            "typed into its terminal, then enter",
            lambda agent, text: self._do(
                f"sent to {agent}", lambda hive: hive.send(agent, text, by=self._user)
            ),
            required=True,
        )

    def action_answer(self) -> None:
        """Choose in the box that an agent's program shows."""
        name = self._agent_in_hand()
        agent = next((one for one in self._fleet.agents if one.name == name), None)
        if agent is None:
            return
        if not agent.options:
            self.notify(f"{agent.name} shows no box to choose in", severity="warning", markup=False)
            return
        offered = agent

        def answered(number: int | None) -> None:
            if number is not None:
                # By its text: the box may be another one by the time the answer is there.
                option = offered.options[number - 1]
                self._do(
                    f"chose '{option}' for {offered.name}",
                    lambda hive: hive.answer(offered.name, option, by=self._user),
                )

        question = one_line(offered.detail or "it asks", 100)
        options = [one_line(option, 90) for option in offered.options]
        self.push_screen(ChooseScreen(f"Answer {offered.name}", question, options), answered)

    def action_level(self) -> None:
        def answered(order: LevelOrder | None) -> None:
            if order is not None:
                self._set_level(order)

        self.push_screen(LevelScreen(self._fleet.level, self._scopes()), answered)

    def _set_level(self, order: LevelOrder) -> None:
        done = f"level of {order.scope.words} " + (f"set to L{order.level}" if order.level else "taken back")
        self._do(
            done,
            lambda hive: hive.set_level(
                order.level, scope=order.scope.kind, name=order.scope.name, by=self._user, why=order.why
            ),
        )

    def _scopes(self) -> list[Scope]:
        agent = self._in_hand()
        repos = sorted({repo for each in self._fleet.agents for repo in each.repos})
        chosen = [Scope("agent", agent)] if agent is not None else []
        return [Scope("hive"), *chosen, *(Scope("repo", repo) for repo in repos)]

    def action_waiting(self) -> None:
        if not isinstance(self.screen, WaitingScreen):
            self.push_screen(WaitingScreen())

    @on(Decided)
    def take_word(self, event: Decided) -> None:
        about, why = event.about, event.why
        if isinstance(about, Incident):
            self._do(
                f"{about.id} is closed", lambda hive: hive.close_incidents([about.id], by=self._user, why=why)
            )
            return
        word = "approved" if event.approved else "denied"
        self._do(
            f"{about.id} is {word}",
            lambda hive: hive.decide(about.id, approve=event.approved, by=self._user, why=why),
        )

    def action_help(self) -> None:
        self.push_screen(HelpScreen())

    def _in_hand(self) -> str | None:
        return self.screen.agent_in_hand() if isinstance(self.screen, Watching) else None

    def _agent_in_hand(self) -> str | None:
        agent = self._in_hand()
        if agent is None:
            self.notify("no agent is chosen here", severity="warning")
        return agent

    def _ask(
        self, verb: str, placeholder: str, then: Callable[[str, str], None], *, required: bool = False
    ) -> None:
        agent = self._agent_in_hand()
        if agent is None:
            return
        name = agent

        def answered(text: str | None) -> None:
            if text is not None:
                then(name, text)

        self.push_screen(AskScreen(f"{verb} {name}", placeholder=placeholder, required=required), answered)

    def _do(self, done: str, action: Callable[[Operator], object]) -> None:
        self.run_worker(self._act(done, action), group="act")

    async def _act(self, done: str, action: Callable[[Operator], object]) -> None:
        trouble = await self._watch.act(action)
        if trouble:
            self.notify(trouble, severity="error", markup=False, timeout=10)
        else:
            self.notify(done, markup=False)
            self.beat()

    def export_screenshot(self, *, title: str | None = None, simplify: bool = False) -> str:
        """The screen as SVG; unlike Textual's it fetches no fonts from anybody."""
        return _FROM_OUTSIDE.sub("", super().export_screenshot(title=title, simplify=simplify))


_FROM_OUTSIDE = re.compile(r"@font-face\s*\{[^}]*\}\s*|<!-- Generated with[^>]*-->\s*")
