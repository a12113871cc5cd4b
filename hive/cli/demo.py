"""`hive demo`."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from pathlib import Path

from hive.app.places import Places
from hive.cli.output import print_text
from hive.errors import ConfigError


def demo(options: Namespace) -> int:
    from hive.demo.run import run_demo
    from hive.demo.summary import render
    from hive.demo.world import Wishes

    if options.agents is not None and not 1 <= options.agents <= 300:
        raise ConfigError("--agents takes 1 to 300")
    wishes = Wishes(
        level=options.level,
        agents=options.agents or 6,
        repo=Path(options.repo) if options.repo else None,
        issues=Path(options.issues) if options.issues else None,
        check=options.check,
        keep=options.keep,
    )
    outcome = run_demo(wishes, timeout=options.timeout, dashboard=_dashboard if options.dash else None)
    if options.json:
        # One line, the last one: what came before on standard error is for people.
        sys.stdout.write(json.dumps(outcome.summary, ensure_ascii=False) + "\n")
        return 0
    where = {
        "journal": outcome.summary["journal"],
        "explain": f"hive explain '#1' -c {outcome.folder}/hive.yaml",
    }
    if options.keep:
        where |= {
            "to end it": outcome.end,
            "agents": outcome.attach,
            "dashboard": f"hive dash -c {outcome.folder}/hive.yaml",
        }
    print_text(render(outcome.summary, where))
    return 0


def _dashboard(places: Places) -> None:
    from hive.cli.dash import show

    show(places)
