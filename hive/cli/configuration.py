"""`hive init` and `hive check`."""

from __future__ import annotations

import os
from argparse import Namespace
from pathlib import Path

from hive.cli.output import print_json, print_text


def init(options: Namespace) -> int:
    from hive.settings.example import init_text, preferred, write_new
    from hive.shells.git.remote import origin

    path = Path(options.config)
    found = origin(path.resolve().parent)
    repository = found.repository if found else None
    from hive.kernel.plugins import backends

    write_new(
        path, init_text(repository, host=found.host if found else "github.com", backend=preferred(backends()))
    )
    print_text(f"wrote {path}; set GITHUB_TOKEN, read the file, then: hive check -c {path}")
    return 0


def check(options: Namespace) -> int:
    from hive.kernel.plugins import backend_kinds, backends, guardrails
    from hive.settings.check import check_document, exit_code
    from hive.settings.check_text import render
    from hive.settings.loading import load

    settings = load(
        Path(options.config),
        environ=os.environ,
        backends=backends(),
        guardrails=guardrails(),
        kinds=backend_kinds(),
    )
    document = check_document(settings)
    if settings.fleet is not None and settings.fleet.inventory is not None:
        from hive.surfaces.inventory_file import read_inventory

        problems = read_inventory(settings.fleet.inventory).problems
        document["fleet"]["problems"] = [{"object": one.object, "message": one.message} for one in problems]
    if any(spec.sandbox is None for spec in settings.agents):
        from hive.app.isolation import tried

        choice, _ = tried(settings.isolation, settings.state)
        taken = choice.mode.value if choice.mode is not None else None
        document["isolation"] |= {"taken": taken, "because": choice.because, "remedy": choice.remedy}
    if options.json:
        print_json(document)
    else:
        print_text(render(document))
    return exit_code(document)
