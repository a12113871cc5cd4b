"""What a command is to the parser."""

from __future__ import annotations

# As in the parser: typing is slow to import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable

    Options = Callable[[ArgumentParser], None]


class Command:
    """One command, or a group of them where `commands` is given.

    Attributes:
        handler: "module:function" below `hive.cli`, imported when the command is run.
        options: Adds the command's own options to its parser.
    """

    __slots__ = ("about", "as_json", "commands", "handler", "options")

    def __init__(
        self,
        about: str,
        handler: str = "",
        options: Options | None = None,
        *,
        as_json: bool = False,
        commands: Group | None = None,
    ) -> None:
        self.about = about
        self.handler = handler
        self.options = options
        self.as_json = as_json
        self.commands = commands


Group = dict[str, Command]
