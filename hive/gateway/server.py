"""The threads behind the ways in: one for each connection, and there are only so many.

All ways end in one handler, which gets a request, its body, and how it came. Those of this machine's
agents share their places; pods have places of their own, so that nothing on a network keeps an agent out.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import ssl
import threading
import time
from collections.abc import Callable

from hive.errors import ConfigError
from hive.gateway import answers, doors
from hive.gateway.admission import Admission
from hive.gateway.conversation import Conversation, Handler
from hive.gateway.doors import Arrival, Door
from hive.gateway.settings import GatewaySettings, PodsDoor
from hive.gateway.wire import Closed, Peer

_LOG = logging.getLogger(__name__)


class Server:
    """Attributes:
    port: Of the proxy, once started.
    pods_port: Of the door for pods, once started; 0 where there is none.
    """

    def __init__(
        self, settings: GatewaySettings, handler: Handler, context: Callable[[str], ssl.SSLContext]
    ) -> None:
        self.port = settings.port
        self.pods_port = 0
        self._settings = settings
        self._handler = handler
        self._context = context
        self._doors: list[Door] = []
        self._acceptors: list[threading.Thread] = []
        self._closing = threading.Event()

    def start(self) -> None:
        """Raises `ConfigError` where an address is taken, or is not this machine's."""
        limits = self._settings.limits
        own = Admission(limits.connections, limits.connections_each)
        try:
            unix = doors.listen_unix(self._settings.socket_path, self._settings.socket_mode)
            self._doors.append(Door(unix, own))
            if self._settings.proxy_path is not None:
                proxy = doors.listen_unix(self._settings.proxy_path, self._settings.socket_mode)
                self._doors.append(Door(proxy, own, tunnels=True))
            proxy = doors.listen_tcp(self._settings.host, self._settings.port, "gateway")
            self.port = proxy.getsockname()[1]
            self._doors.append(Door(proxy, own, tunnels=True))
            if self._settings.pods is not None:
                self._doors.append(self._door_for_pods(self._settings.pods))
        except ConfigError:
            for door in self._doors:
                doors.close(door.listener)
            raise
        for door in self._doors:
            thread = threading.Thread(target=self._accept, args=(door,), name="gateway-accept", daemon=True)
            thread.start()
            self._acceptors.append(thread)

    def _door_for_pods(self, pods: PodsDoor) -> Door:
        listener = doors.listen_tcp(pods.host, pods.port, "gateway.pods")
        self.pods_port = listener.getsockname()[1]
        limits = self._settings.limits
        places = Admission(limits.pod_connections, limits.pod_connections_each)
        return Door(listener, places, tunnels=True, for_pods=True)

    def close(self, timeout: float) -> None:
        """Stop accepting, let requests under way end for `timeout` seconds, then cut them off."""
        self._closing.set()
        until = time.monotonic() + timeout
        for door in self._doors:
            doors.close(door.listener)
        for thread in self._acceptors:
            thread.join(max(0.0, until - time.monotonic()))
        for admission in {id(door.admission): door.admission for door in self._doors}.values():
            admission.close(until)

    def _accept(self, door: Door) -> None:
        while not self._closing.is_set():
            try:
                connection, address = door.listener.accept()
            except OSError:
                if self._closing.is_set():
                    return
                # Out of descriptors: those in use have to end first.
                time.sleep(0.05)
                continue
            arrival = Arrival(
                address=doors.origin(address) if door.for_pods else "",
                from_pod=door.for_pods,
                peer=doors.peer_of(connection),
                descriptor=connection.fileno(),
            )
            if not door.admission.admit(connection, doors.account(arrival)):
                self._turn_away(connection, door)
                continue
            threading.Thread(
                target=self._converse, args=(connection, door, arrival), name="gateway-peer", daemon=True
            ).start()

    def _turn_away(self, connection: socket.socket, door: Door) -> None:
        if not door.for_pods:  # before TLS there is nothing to be said
            peer = Peer(connection, self._settings.limits)
            connection.settimeout(0.2)
            with contextlib.suppress(Closed):
                peer.answer(answers.problem(503, "too many connections; try again"), to="GET", close=True)
        connection.close()

    def _converse(self, connection: socket.socket, door: Door, arrival: Arrival) -> None:
        try:
            if connection.family != socket.AF_UNIX:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            conversation = Conversation(
                limits=self._settings.limits,
                handler=self._handler,
                context=self._context,
                admission=door.admission,
                accepted=connection,
                closing=self._closing,
            )
            if door.for_pods:
                with self._secured(connection, door) as secure:
                    conversation.tunnel(secure, arrival)
            elif door.tunnels:
                conversation.tunnel(connection, arrival)
            else:
                conversation.requests(connection, arrival)
        except Closed:
            pass
        except (OSError, ssl.SSLError) as error:
            # A stranger on a network could fill the log.
            level = logging.DEBUG if door.for_pods else logging.INFO
            _LOG.log(level, "a connection to the gateway ended: %s", error)
        except Exception:
            # One request's bug must not take the gateway with it; the peer sees a closed connection.
            _LOG.exception("the gateway failed on a request")
        finally:
            door.admission.leave(connection)
            connection.close()

    def _secured(self, connection: socket.socket, door: Door) -> ssl.SSLSocket:
        """TLS over what was accepted. Raises `OSError` where the handshake fails or takes too long."""
        assert self._settings.pods is not None
        connection.settimeout(self._settings.limits.handshake_s)
        secure = self._context(self._settings.pods.name).wrap_socket(
            connection, server_side=True, do_handshake_on_connect=False
        )
        try:
            door.admission.layer(connection, secure)
            secure.do_handshake()
        except BaseException:
            secure.close()
            raise
        return secure
