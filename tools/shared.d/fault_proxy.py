"""A TCP proxy between hipcache and a server that injects faults, chosen by a seed."""

import random
import socket
import threading
import time

FAULTS = ("none", "stall", "cut", "reset", "corrupt", "delay", "status", "garbage", "empty", "drip")
STATUSES = (400, 401, 403, 404, 405, 409, 413, 429, 500, 502, 503, 507)


class FaultProxy:
    """Each connection gets a fault, and a place in the conversation where it strikes. `faults`: those to choose from."""

    def __init__(self, port, seed, faults=FAULTS):
        self.target, self.random, self.faults = port, random.Random(seed), faults
        self.counts = dict.fromkeys(faults, 0)
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.ending = threading.Event()
        threading.Thread(target=self.accept, daemon=True).start()

    def stop(self):
        self.ending.set()
        self.listener.close()

    def accept(self):
        while not self.ending.is_set():
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                fault = self.random.choice(self.faults)
                place = self.random.choice((0, 1, 20, 100, 300, 1000, 5000, 20000))
                status = self.random.choice(STATUSES)
                self.counts[fault] += 1
            threading.Thread(target=self.serve, args=(client, fault, place, status), daemon=True).start()

    def serve(self, client, fault, place, status):
        with client:
            try:
                if fault == "status":
                    client.recv(65536)
                    client.sendall(f"HTTP/1.1 {status} Fault\r\nContent-Length: 0\r\nRetry-After: 1\r\n\r\n".encode())
                    return
                if fault == "empty":
                    client.recv(65536)
                    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                    return
                with socket.create_connection(("127.0.0.1", self.target)) as server:
                    forward = threading.Thread(target=self.copy, args=(client, server), daemon=True)
                    forward.start()
                    self.answer(server, client, fault, place)
            except OSError:
                pass

    def copy(self, source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def answer(self, server, client, fault, place):
        passed = 0
        while data := server.recv(65536):
            strikes = fault != "none" and passed + len(data) > place
            if not strikes:
                client.sendall(data)
                passed += len(data)
                continue
            at = place - passed
            client.sendall(data[:at])
            rest = data[at:]
            if fault == "stall":
                self.ending.wait(30)
            elif fault == "reset":
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            elif fault == "corrupt":
                client.sendall(bytes([rest[0] ^ 0x10]) + rest[1:])
                fault, passed = "none", passed + len(data)
                continue
            elif fault == "delay":
                time.sleep(0.2)
                client.sendall(rest)
                passed += len(data)
                continue
            elif fault == "garbage":
                client.sendall(b"\0garbage" * 10)
            elif fault == "drip":
                for byte in rest[:200]:
                    client.sendall(bytes([byte]))
                    if self.ending.wait(0.1):
                        return
            return
