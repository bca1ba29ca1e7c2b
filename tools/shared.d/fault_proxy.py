"""A TCP proxy between hipcache and a server that injects faults, chosen by a seed.

A fault strikes one message of a connection, in one direction, at one place of the message. A message is what one read
brings, which on loopback is one request or one answer. Counted are faults that struck, not those that were meant to.
"""

import collections
import contextlib
import random
import select
import socket
import struct
import threading
import time

import wrong_answers

FAULTS = ("none", "refuse", "stall", "cut", "reset", "corrupt", "lose", "repeat", "garbage", "delay", "drip", "status",
          "empty", "short")
# Those that replace an answer; the others strike requests, too.
OF_ANSWERS = ("repeat", "status", "empty", "short")
# Those that strike a connection behind a whole message, too: a kept connection is closed, or says more.
BEHIND = ("cut", "reset", "garbage")
# Before which byte of a message; for others than BEHIND, the end is its last byte.
PLACES = ("first byte", "second byte", "within", "last byte", "end")
LONGEST_STALL = 30  # seconds; longer than any limit of hipcache's
BLOCKED = 10  # seconds for a peer that does not read
MOST = 65536


class _Ended(Exception):
    """The fault ended the connection."""


class _Plan:
    """What strikes next: a fault, the direction, the messages that pass before, and the place."""

    def __init__(self, rng, faults):
        self.fault = rng.choice(faults)
        is_request = self.fault not in OF_ANSWERS and rng.random() < 0.4
        self.direction = "request" if is_request else "answer"
        self.passing = rng.choice((0, 0, 0, 1, 1, 2, 3, 5))
        self.place = "whole" if self.fault in OF_ANSWERS else rng.choice(PLACES)


class FaultProxy:
    """`speaks`: what the server speaks, "http", "redis" or another; wrong answers are then its own. `faults`: those to
    choose from, some of FAULTS. Each connection has faults of its own until one ends it. `most`: the proxy heals after
    that many."""

    def __init__(self, port, seed, faults=FAULTS, speaks="http", most=None):
        self.target, self.seed, self.faults, self.speaks, self.most = port, seed, faults, speaks, most
        self.struck = collections.Counter()  # by fault, direction and place
        self.is_well = False  # written under the lock
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.ending = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def counts(self):
        """Faults that struck, by kind."""
        counted = collections.Counter()
        with self.lock:
            for (fault, _, _), count in self.struck.items():
                counted[fault] += count
        return counted

    def heal(self):
        """No further fault strikes. What stalls goes on to stall, as a connection that a router has forgotten."""
        with self.lock:
            self.is_well = True

    def stop(self):
        """Ends every connection, and takes no more."""
        self.ending.set()
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def _accept(self):
        number = 0
        while not self.ending.is_set():
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            rng = random.Random(f"{self.seed} {number}")
            number += 1
            threading.Thread(target=self._serve, args=(client, rng), daemon=True).start()

    def _serve(self, client, rng):
        plan = _Plan(rng, self.faults)
        with client, contextlib.suppress(OSError, _Ended):
            if plan.fault == "refuse" and self._may_strike("refuse", "request", "connection"):
                _reset(client)
                return
            with socket.create_connection(("127.0.0.1", self.target)) as server:
                for one in (client, server):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    one.settimeout(BLOCKED)
                self._pass_on(client, server, rng, plan)

    def _pass_on(self, client, server, rng, plan):
        while not self.ending.is_set():
            ready, _, _ = select.select((client, server), (), (), 0.1)
            for source in ready:
                data = source.recv(MOST)
                if not data:
                    return
                direction, target = ("request", server) if source is client else ("answer", client)
                if self.is_well or plan.fault == "none" or plan.direction != direction or plan.passing > 0:
                    plan.passing -= plan.direction == direction
                    target.sendall(data)
                elif self._strike(client, target, data, rng, plan):
                    plan = _Plan(rng, [fault for fault in self.faults if fault != "refuse"])

    def _strike(self, client, target, data, rng, plan):
        """False if the message is none that the fault can strike, and has passed."""
        places = {"first byte": 0, "second byte": 1, "within": rng.randrange(len(data)), "last byte": len(data) - 1}
        at = min(places.get(plan.place, len(data)), len(data) if plan.fault in BEHIND else len(data) - 1)
        made = self._made(data, at, rng, plan.fault)
        if made is None or not self._may_strike(plan.fault, plan.direction, plan.place):
            target.sendall(data)
            return False
        target.sendall(made[0])
        self._then(client, target, rng, plan.fault, made[1])
        return True

    def _made(self, data, at, rng, fault):
        """What is sent at once, and what comes later; None if the fault cannot be made of this message."""
        if fault in ("stall", "cut", "reset", "delay", "drip"):
            return data[:at], data[at:]
        if fault == "corrupt":
            return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :], b""
        if fault == "lose":
            return data[:at] + data[at + rng.choice((1, 1, 8, 100)) :], b""
        if fault == "repeat":
            return data + data, b""
        if fault == "garbage":
            return data[:at] + rng.randbytes(rng.choice((1, 9, 200))) + data[at:], b""
        answer = wrong_answers.made(fault, self.speaks, data, rng)
        return None if answer is None else (answer, b"")

    def _then(self, client, target, rng, fault, rest):
        if fault == "stall":
            self._wait_for_end(client, LONGEST_STALL)
        if fault == "reset":
            _reset(client)
        if fault in ("stall", "cut", "reset"):
            raise _Ended
        if fault == "delay":
            self._wait_for_end(client, rng.choice((0.01, 0.05, 0.2, 0.6)))
        if fault == "drip":
            for byte in rest[:40]:
                target.sendall(bytes([byte]))
                self._wait_for_end(client, 0.05)
            rest = rest[40:]
        target.sendall(rest)

    def _wait_for_end(self, client, seconds):
        """Waits; ends the connection if the proxy ends or the client is gone."""
        gone = select.poll()
        gone.register(client, select.POLLRDHUP)
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if gone.poll(1000 * min(left, 0.1)) or self.ending.is_set():
                raise _Ended

    def _may_strike(self, fault, direction, place):
        """Counts the fault, unless the proxy is well."""
        with self.lock:
            if self.is_well:
                return False
            self.struck[fault, direction, place] += 1
            self.is_well = self.most is not None and self.struck.total() >= self.most
            return True


def _reset(client):
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
