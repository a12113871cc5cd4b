"""`python -m tests.cluster build | serve | reap`: the test cluster without a test."""

from __future__ import annotations

import argparse
import sys

from tests.cluster import binaries, run, serve
from tests.cluster.unavailable import Unavailable


def main(argv: list[str]) -> int:
    """0 done, 2 bad input, 3 when this machine lacks what is needed."""
    arguments = _parser().parse_args(argv)
    try:
        if arguments.command == "build":
            binaries.ensure(_tell)
        elif arguments.command == "reap":
            for name in run.reap():
                _tell(f"ended what {name} had left")
        else:
            serve.serve(_wanted(arguments), _tell)
    except Unavailable as unavailable:
        _tell(str(unavailable))
        return 3
    except KeyboardInterrupt:
        return 130
    return 0


def _tell(line: str) -> None:
    print(f"cluster: {line}", file=sys.stderr, flush=True)


def _wanted(arguments: argparse.Namespace) -> serve.Wanted:
    members = arguments.member or [f"member-{number}" for number in range(1, arguments.members + 1)]
    if arguments.gpu_member and arguments.gpu_member not in members:
        _tell(f"--gpu-member {arguments.gpu_member} is none of the members: {', '.join(members)}")
        raise SystemExit(2)
    return serve.Wanted(
        tuple(members),
        min(arguments.nodes, len(members)),
        arguments.gpu_member,
        arguments.gpu_resource,
        arguments.gpu_count,
        arguments.gpu_product,
        arguments.gpu_memory_mib,
        arguments.measure,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.cluster", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("build", help="build Kubernetes and etcd into the cache, once")
    commands.add_parser("reap", help="end what runs that died have left behind")
    up = commands.add_parser("serve", help="run a hub and members until the input closes or SIGTERM")
    up.add_argument("--members", type=int, default=2, metavar="N", help="how many (named member-1 …)")
    up.add_argument("--member", action="append", metavar="NAME", help="name them instead; once for each")
    up.add_argument("--nodes", type=int, default=0, metavar="N", help="how many members have a node")
    up.add_argument("--gpu-member", metavar="NAME", help="the member whose node offers GPUs")
    up.add_argument("--gpu-resource", default="nvidia.com/gpu", metavar="NAME")
    up.add_argument("--gpu-count", type=int, default=2, metavar="N")
    up.add_argument("--gpu-product", default="NVIDIA-A100-SXM4-80GB", metavar="NAME")
    up.add_argument("--gpu-memory-mib", type=int, default=81920, metavar="MIB")
    up.add_argument("--measure", action="store_true", help="also start a pod, and reach tmux in it by exec")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
