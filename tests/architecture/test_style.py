"""The house's measures: sizes of modules and functions, names, docstrings, and what no text may hold."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.architecture.project import ROOT, modules, shown

PRODUCT = ("hive", "backends", "guardrails")
LONGEST_MODULE = 350
LONGEST_TEST_MODULE = 600
LONGEST_FUNCTION = 60
NAMELESS = {"utils.py", "util.py", "helpers.py", "helper.py", "manager.py", "common.py", "misc.py"}

# Put together here, so that this file does not hold them.
UNDONE = re.compile("|".join(("TO" + "DO", "FIX" + "ME", "NotImplemented" + "Error")))
MACHINES = re.compile(
    r"(?<![\w.~}-])/(?:"
    + "|".join(("ro" + "ot", "wo" + "rk", "ho" + r"me/(?!(?:agent|ada|x)/)\w+", "Us" + r"ers/\w+"))
    + ")/"
    r"|py" + r"pi\.org|files\.python" + r"hosted|arti" + r"factory|registry\.np" + "m"
)
FOREIGN = ("hive/standins/github/schema/", "requirements.lock")
"""Written by others: the forge's own schema, and what the lock was made from."""


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Name and length in lines of every function."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1


def texts() -> Iterator[tuple[str, str]]:
    """Name and content of every text that the project keeps and wrote itself."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in listed.stdout.decode().split("\0"):
        path = ROOT / name
        if name and not name.startswith(FOREIGN) and path.is_file():
            try:
                yield name, path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def matches(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}:{number}: {line.strip()[:120]}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_module_is_long() -> None:
    long = {shown(path): lines(path) for path in modules(*PRODUCT) if lines(path) > LONGEST_MODULE}
    long |= {shown(path): lines(path) for path in modules("tests") if lines(path) > LONGEST_TEST_MODULE}
    assert long == {}


def test_no_function_is_long() -> None:
    """Of the product: a test that states a whole answer may be as long as the answer."""
    long = {
        f"{shown(path)}:{name}": length
        for path in modules(*PRODUCT)
        for name, length in functions(path)
        if length > LONGEST_FUNCTION
    }
    assert long == {}


def test_every_module_is_named_for_what_is_in_it() -> None:
    assert [shown(path) for path in modules(*PRODUCT, "tests") if path.name in NAMELESS] == []


def test_every_module_of_the_product_says_what_it_is() -> None:
    silent = [shown(path) for path in modules(*PRODUCT) if ast.get_docstring(tree(path)) is None]
    assert silent == []


def test_nothing_is_left_for_later() -> None:
    assert matches(UNDONE) == []


def test_the_text_names_no_machine() -> None:
    assert matches(MACHINES) == []
