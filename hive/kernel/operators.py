"""The operator's socket: one JSON object a line, answered while a tick is under way."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from hive.errors import HiveError

_LOG = logging.getLogger(__name__)
_LINE = 1024 * 1024
"""Longest request, bytes."""

Answer = Mapping[str, Any]
Handler = Callable[[Mapping[str, Any]], Awaitable[Answer]]


class OperatorServer:
    """Listens on a Unix socket of mode 0600: who can open it may do what the operator may."""

    def __init__(self, path: Path, handlers: Mapping[str, Handler]) -> None:
        self._path = path
        self._handlers = handlers
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Take the socket's place; what a dead supervisor left there goes away."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path.unlink(missing_ok=True)
        mask = os.umask(0o177)
        try:
            self._server = await asyncio.start_unix_server(self._serve, self._path, limit=_LINE)
        finally:
            os.umask(mask)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                writer.write(json.dumps(await self._answer(line)).encode() + b"\n")
                await writer.drain()
        except (ConnectionError, ValueError):
            _LOG.debug("an operator's connection ended early")
        finally:
            writer.close()

    async def _answer(self, line: bytes) -> Answer:
        try:
            request = json.loads(line)
        except (ValueError, RecursionError):
            return _no("the request is no JSON that hive reads", 2)
        handler = self._handlers.get(str(request.get("op"))) if isinstance(request, dict) else None
        if handler is None:
            return _no(f"unknown request; known: {', '.join(sorted(self._handlers))}", 2)
        try:
            return {"ok": True, **await handler(request)}
        except HiveError as error:
            return _no(str(error), error.exit_code)


def _no(message: str, code: int) -> Answer:
    return {"ok": False, "error": message, "exit": code}
