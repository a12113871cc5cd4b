"""A program that reads its terminal in raw mode, asks for bracketed paste, and logs every byte it gets.

python raw_reader.py LOG
"""

from __future__ import annotations

import os
import sys
import tty


def main() -> None:
    tty.setraw(0)
    log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(1, b"\x1b[?2004hready\r\n")
    while data := os.read(0, 1 << 16):
        os.write(log, data)


if __name__ == "__main__":
    main()
