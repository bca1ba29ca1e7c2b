"""A TCP proxy on loopback that makes a server seem far away. It needs no rights and no part of the
kernel, as netem does.

Whatever passes arrives half a round trip later. A connection's first bytes also wait for the round
trip that a handshake over the real distance takes. Bandwidth is not limited.
"""

import contextlib
import queue
import socket
import threading
import time

PIECE = 65536
MOST_PIECES = 256  # on their way in one direction of a connection; a sender that is faster waits


class DelayProxy:
    """Listens on `port`, and passes each connection on to `target`, a port of loopback.
    `round_trip`: seconds."""

    def __init__(self, target, round_trip):
        self.target, self.round_trip = target, round_trip
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self):
        """Takes no more connections; those that are open end with their peers."""
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(client, time.monotonic()), daemon=True).start()

    def _serve(self, client, accepted):
        with client, contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.target)) as server:
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connected = accepted + self.round_trip
            forward = threading.Thread(target=self._pass_on, args=(client, server, connected), daemon=True)
            forward.start()
            self._pass_on(server, client, connected)
            forward.join()

    def _pass_on(self, source, target, connected):
        """Passes one direction on until it ends. Nothing leaves before `connected`."""
        pieces = queue.Queue(MOST_PIECES)
        threading.Thread(target=_read, args=(source, pieces), daemon=True).start()
        alive = True
        while (piece := pieces.get())[1]:
            if alive:
                time.sleep(max(0, max(piece[0], connected) + self.round_trip / 2 - time.monotonic()))
                alive = _send(target, piece[1])
                if not alive:
                    _shut(source, socket.SHUT_RDWR)
        _shut(target, socket.SHUT_WR)


def _read(source, pieces):
    """Puts what comes, each with its time, and at last an empty piece."""
    data = b"at least one"
    while data:
        try:
            data = source.recv(PIECE)
        except OSError:
            data = b""
        pieces.put((time.monotonic(), data))


def _send(target, data):
    try:
        target.sendall(data)
    except OSError:
        return False
    return True


def _shut(one, how):
    with contextlib.suppress(OSError):
        one.shutdown(how)
