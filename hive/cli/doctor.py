"""`hive doctor`: what is wrong with this machine and with what the configuration leans on, and the remedy."""

from __future__ import annotations

import os
from argparse import Namespace
from pathlib import Path

from hive.cli.output import print_json, print_text
from hive.errors import ConfigError


def doctor(options: Namespace) -> int:
    """0: nothing worse than a warning; 1: a problem; 2: a configuration that cannot be read."""
    from hive.app.doctor.checks import diagnose
    from hive.decisions.doctor.finding import State, document, render, worst

    config = Path(options.config) if options.config is not None else None
    told = diagnose(config, os.environ)
    answer = document(told.findings, told.source)
    if options.json:
        print_json(answer)
    else:
        print_text(render(answer))
    if not told.is_readable:
        return ConfigError.exit_code
    return 1 if worst(told.findings) is State.PROBLEM else 0
