"""The bytes that a Redis server has received and sent, by its own account (INFO): the same measure
for every client.

What the question itself costs is left out.
"""

import re
import socket

QUESTION = b"*2\r\n$4\r\nINFO\r\n$5\r\nstats\r\n"
PATIENCE = 60  # seconds


class RedisTraffic:
    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.stream = self.connection.makefile("rb")
        self.own_received = self.own_sent = 0

    def total(self):
        """Bytes that others and the server have exchanged since its start, both directions
        together."""
        self.connection.sendall(QUESTION)
        self.own_received += len(QUESTION)
        head = self.stream.readline()
        body = self.stream.read(int(head[1:]) + len("\r\n"))
        received, sent = (int(re.search(rb"total_net_%s_bytes:(\d+)" % way, body).group(1))
                          for way in (b"input", b"output"))
        found = received - self.own_received + sent - self.own_sent
        self.own_sent += len(head) + len(body)
        return found

    def close(self):
        self.stream.close()
        self.connection.close()
