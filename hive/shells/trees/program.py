"""One step on a working copy, in the agent's place: ``python -I -S program.py``, an order in JSON on its
input, the answer in JSON on its output; exit code 1 with one line on stderr where it cannot be done."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict

if __name__ == "__main__":  # nothing is on the path of an isolated interpreter but the standard library
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__)))))

from hive.facts.trees import TreeOrder, TreeReport, TreeSighting
from hive.shells.trees import looking, making, removing
from hive.shells.trees.folders import Folders
from hive.shells.trees.git import Failed
from hive.shells.trees.rescue import Rescued


def main(text: str) -> int:
    told = json.loads(text)
    try:
        folders = Folders(os.environ["HOME"], told["repo"], told["name"])
        with folders.locked():
            answer = _step(folders, told)
    except (Failed, OSError) as error:
        sys.stderr.write(" ".join(str(error).split()) + "\n")
        return 1
    sys.stdout.write(json.dumps(asdict(answer)))
    return 0


def _step(folders: Folders, told: dict[str, object]) -> TreeReport | TreeSighting | Rescued:
    match told.pop("step"):
        case "prepare":
            return making.prepare(folders, TreeOrder(**told))  # type: ignore[arg-type]  # hive's own words
        case "look":
            numbers = told["pulls"]
            assert isinstance(numbers, list)
            return looking.look(folders, str(told["url"]), tuple(numbers))
        case "aside":
            return removing.set_aside(folders)
        case "delete":
            return removing.delete(folders, whole=told["whole"] is True)
        case "back":
            return removing.put_back(folders)
        case other:
            raise Failed(f"there is no step {other}")


if __name__ == "__main__":
    sys.exit(main(sys.stdin.read()))
