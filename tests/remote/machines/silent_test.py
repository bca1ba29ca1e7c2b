"""Machines whose servers say nothing: how long the last line of a job takes, and what it says.

usage: silent_test.py SOURCE_DIRECTORY BIN_DIRECTORY CLANG_VERSION [unittest arguments]
"""

import concurrent.futures
import os
import re
import socket
import threading
import time

import machines
from hanging_mount import HangingMount
from machines_test import CLANG, Machines

STANDSTILL = 20  # seconds without progress (src/cli/flush.cpp)
SLACK = 15  # for starting programs on a busy machine
DRAIN = 10  # for --stop-server, which waits for writes a little


class SilentServer:
    """Accepts connections and replies nothing, or a byte each half second (`trickles`)."""

    def __init__(self, trickles=False):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._trickles = trickles
        self._connections = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        try:
            while True:
                connection = self._listener.accept()[0]
                self._connections.append(connection)
                if self._trickles:
                    threading.Thread(target=self._trickle, args=(connection,), daemon=True).start()
        except OSError:
            return

    def _trickle(self, connection):
        try:
            for byte in b"HTTP/1.1 200 OK\r\nX-Long: " + b"a" * 100_000:
                connection.sendall(bytes([byte]))
                time.sleep(0.5)
        except OSError:
            return

    def stop(self):
        self._listener.close()
        for connection in self._connections:
            connection.close()


class Silence(Machines):
    results = 9  # more than are written at once

    def silent_server(self, **how):
        server = SilentServer(**how)
        self.addCleanup(server.stop)
        return server.address

    def setUp(self):
        super().setUp()
        for number in range(self.results):
            (self.project.directory / f"{number}.c").write_text(f"int number = {number};\n")

    def make_results(self, machine):
        for number in range(self.results):
            done = machine.run(["gcc", "-c", f"{number}.c", "-o", str(machine.directory / "c.o")], cwd=self.project.directory)
            self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def flushed(self, name, url):
        """Seconds and words of --flush, and seconds of --stop-server after it."""
        machine = self.machine(name, url)
        self.make_results(machine)
        start = time.monotonic()
        done = machine.flush()
        took = time.monotonic() - start
        stopped = machine.run(["--stop-server"])
        return done, took, stopped, time.monotonic() - start - took

    def assert_given_up(self, url, done, took, stopped, stop_took):
        self.assertEqual(done.returncode, 1, url)
        self.assertLess(took, STANDSTILL + SLACK, url)
        *before, last = done.stderr.splitlines()
        self.assertRegex(last, rf"^hipcache: error: {self.results} results could not be written to a shared cache: ")
        self.assertIn(url if url.startswith("file:") else re.match(r"\w+://[^/?]*", url).group(), last)
        if before:  # once, and only if it took long
            self.assertEqual(len(before), 1, done.stderr)
            # On a loaded machine some have been given up by now.
            self.assertRegex(before[0], r"^hipcache: \d+ results? to write; waiting for ")
        self.assertEqual(stopped.returncode, 0, f"{url}: {stopped.stderr}")
        self.assertLess(stop_took, DRAIN + SLACK, url)

    def test_servers_that_say_nothing_are_given_up(self):
        endpoint = f"endpoint=http://{self.silent_server()}"
        urls = {
            "http": f"http://{self.silent_server()}/cache",
            "trickle": f"http://{self.silent_server(trickles=True)}/cache",
            "redis": f"redis://{self.silent_server()}",
            "grpc": f"grpc://{self.silent_server()}",
            "s3": f"s3://bucket?{endpoint}",
            "google": f"gs://bucket?credentials=none&{endpoint}",
            "azure": f"azblob://account/bucket?{endpoint}",
        }
        with concurrent.futures.ThreadPoolExecutor(len(urls)) as pool:
            tries = {url: pool.submit(self.flushed, name, url) for name, url in urls.items()}
            for url, tried in tries.items():
                self.assert_given_up(url, *tried.result())
        silent = tries[urls["http"]].result()[0].stderr
        self.assertIn("no answer yet", silent.splitlines()[0])
        self.assertIn("no answer in time", silent.splitlines()[1])

    def test_a_mounted_directory_that_hangs_is_given_up(self):
        if os.getuid() != 0 or not os.path.exists("/dev/fuse"):
            self.skipTest("needs root and /dev/fuse")
        directory = self.make_directory("mounted")
        mount = HangingMount(directory)
        self.addCleanup(mount.end)
        url = f"file://{directory}/cache"
        self.assert_given_up(url, *self.flushed("first", url))
        self.assertTrue(mount.asked.is_set())


if __name__ == "__main__":
    machines.run_tests(CLANG)
