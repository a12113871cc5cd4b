"""`hive demo`."""

from __future__ import annotations

import json
import signal
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from hive.app.places import Places
from hive.cli.output import print_text
from hive.errors import ConfigError

if TYPE_CHECKING:
    from hive.demo.clusters import ClusterWishes

_ASKS_TO_END = (signal.SIGTERM, signal.SIGHUP)


def demo(options: Namespace) -> int:
    from hive.demo.run import run_demo, run_in_pods
    from hive.demo.summary import render
    from hive.demo.world import Wishes

    if options.agents is not None and not 1 <= options.agents <= 300:
        raise ConfigError("--agents takes 1 to 300")
    in_pods = _in_pods(options)
    wishes = Wishes(
        level=options.level,
        agents=options.agents or (4 if in_pods else 6),
        repo=Path(options.repo) if options.repo else None,
        issues=Path(options.issues) if options.issues else None,
        check=options.check,
        keep=options.keep,
    )
    dashboard = _dashboard if options.dash else None
    with _ending_orderly():
        if in_pods is None:
            outcome = run_demo(wishes, timeout=options.timeout, dashboard=dashboard)
        else:
            outcome = run_in_pods(wishes, in_pods, timeout=options.timeout, dashboard=dashboard)
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


@contextmanager
def _ending_orderly() -> Iterator[None]:
    """Asked to end, or with its terminal gone, the demo takes its world down as after Ctrl-C: left to
    Python, either signal ends this process alone. What comes while it clears up is not heard."""

    def end(number: int, frame: FrameType | None) -> None:
        for each in _ASKS_TO_END:
            signal.signal(each, signal.SIG_IGN)
        raise SystemExit(128 + number)

    # What whoever started it had it ignore (nohup does) stays ignored.
    heard = [each for each in _ASKS_TO_END if signal.getsignal(each) is not signal.SIG_IGN]
    before = {each: signal.signal(each, end) for each in heard}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _in_pods(options: Namespace) -> ClusterWishes | None:
    from hive.demo.clusters import ClusterWishes

    extra = [name for name in ("kubeconfig", "image", "address") if getattr(options, name) is not None]
    if not options.kubernetes:
        if extra:
            raise ConfigError(f"--{extra[0]} goes with --kubernetes")
        return None
    if options.keep and options.kubeconfig is None:
        raise ConfigError("--keep: the test cluster ends with the demo; leave it out, or give --kubeconfig")
    kubeconfig = Path(options.kubeconfig) if options.kubeconfig else None
    return ClusterWishes(kubeconfig=kubeconfig, image=options.image, address=options.address)


def _dashboard(places: Places) -> None:
    from hive.cli.dash import show

    show(places)
