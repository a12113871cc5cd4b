"""`python -m hive.standins.github`: serve a stand-in until it is told to stop."""

import argparse
import os
import signal
import sys
from pathlib import Path

from hive.errors import ConfigError
from hive.standins.github import seed
from hive.standins.github.forge import Forge
from hive.standins.github.runner import CheckRunner
from hive.standins.github.service import GitHubService
from hive.standins.github.wire import Server


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="hive.standins.github", description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="folder that keeps the state")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--seed", type=Path, help="first state; not looked at where the folder has one")
    parser.add_argument("--port-file", type=Path, help="gets the port once it is listening")
    parser.add_argument("--control-token-file", type=Path, help="holds the token of /_standin")
    parser.add_argument("--check-command", help="run by `sh -c` on each pull request's merge result")
    parser.add_argument("--check-timeout", type=float, default=300.0, help="seconds")
    parser.add_argument("--check-workers", type=int, default=1, help="checks at once")
    parser.add_argument(
        "--requests-per-hour", type=int, help="the primary rate limit, GitHub's 5000 by default"
    )
    parser.add_argument(
        "--parent", type=int, metavar="PID", help="stop when this process, which started it, is gone"
    )
    return parser.parse_args()


def _control_token(given: Path | None, root: Path) -> str:
    """The token in the given file, else one kept in the folder, made on the first start."""
    path = given or root / "control-token"
    if path.exists():
        return path.read_text(encoding="utf-8").strip()
    if given is not None:
        raise ConfigError("the control token file is not there", source=str(given))
    token = seed.new_token()
    write_whole(path, token)
    return token


def write_whole(path: Path, text: str) -> None:
    """Put `text` into `path`, readable by its owner alone, all at once."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    draft.replace(path)


def _open(arguments: argparse.Namespace) -> Forge:
    """The forge in the folder, seeded where it is new."""
    arguments.root.mkdir(mode=0o700, parents=True, exist_ok=True)
    forge = Forge(arguments.root.resolve())
    if arguments.seed is not None and len(forge.store.repositories) == 0:
        try:
            seed.sow(forge, arguments.seed)
        except ConfigError:
            # Half a world must not be taken for a whole one by the next start.
            forge.discard()
            raise
    return forge


def main() -> int:
    """Serve until SIGTERM or SIGINT."""
    arguments = _arguments()
    try:
        forge = _open(arguments)
        token = _control_token(arguments.control_token_file, forge.root)
        runner = CheckRunner(forge, arguments.check_command, arguments.check_timeout, arguments.check_workers)
        service = GitHubService(forge, token, per_hour=arguments.requests_per_hour)
        server = Server((arguments.host, arguments.port), service.answer)
    except ConfigError as error:
        sys.stderr.write(f"hive: {error}\n")
        return 2
    except OSError as error:
        sys.stderr.write(f"hive: {error}\n")
        return 3
    runner.start()
    server.parent = arguments.parent  # told, not asked for: it may have ended while this process began
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: server.stop())
    if arguments.port_file is not None:
        write_whole(arguments.port_file, str(server.server_port))
    server.serve_forever(poll_interval=0.2)
    runner.stop()
    with forge.lock:
        forge.store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
