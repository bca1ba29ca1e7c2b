"""Checks the logic of tools/bench that needs no compiler: the picture of the builds, and of the part for shared caches
ratios, tables, bytes, and the long way.

usage: bench_tool.py ROOT
"""

import pathlib
import socket
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
sys.path[:0] = [str(ROOT / "tools/bench.d"), str(ROOT / "tools/shared.d")]

import plot  # noqa: E402
import targets  # noqa: E402
from launchers import Hipcache, Plain  # noqa: E402
from remote import tiers as remote_tiers  # noqa: E402
from remote.part import Remote  # noqa: E402
from remote.redis_traffic import RedisTraffic  # noqa: E402
from remote.samples import NEW, WARM, Sample, Samples  # noqa: E402
from remote.scene import CCACHE, LOCAL, PLAIN, PLAIN_FAR, Traffic, far  # noqa: E402
from remote.tiers import DIRECTORY, REDIS, shared_caches  # noqa: E402

import servers  # noqa: E402
from delay_proxy import DelayProxy  # noqa: E402

ROW = ("hip-language", "clang 19")
OTHER = ("cxx-style", "clang 19")
PATIENCE = 60


def luminance(colour):
    """As WCAG 2 defines it."""
    shares = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


class Picture(unittest.TestCase):
    DOCUMENT = (ROOT / "docs/benchmarks.md").read_text()

    def test_is_drawn_from_the_figures_of_the_document(self):
        self.assertEqual((ROOT / "docs/benchmarks.svg").read_text(), plot.svg(self.DOCUMENT), "tools/bench --plot draws it anew")

    def test_text_can_be_read_on_light_and_on_dark_screens(self):
        self.assertAlmostEqual(contrast("#ffffff", "#000000"), 21)
        self.assertAlmostEqual(contrast("#777777", "#ffffff"), 4.48, 2)
        for theme, colours in plot.THEMES.items():
            for name in ("ink", "faint"):
                self.assertGreaterEqual(contrast(colours[name], colours["back"]), 4.5, f"{name}, {theme}")
            for name in ("line", *plot.LAUNCHERS):
                self.assertGreaterEqual(contrast(colours[name], colours["back"]), 3, f"{name}, {theme}")

    def test_text_is_no_smaller_than_a_readmes_at_its_width(self):
        self.assertIn(f'viewBox="0 0 {plot.WIDTH} ', plot.svg(self.DOCUMENT))
        self.assertLessEqual(plot.WIDTH, 860)
        self.assertGreaterEqual(min(plot.SIZE, plot.SMALL), 14)

    def test_ratios_are_those_of_sums_over_projects_and_compilers(self):
        rows = ["| p | clang 19 | cold | 1.00 s (10.00) | 1.00 s (12.00) | - | 1.00 s (9.00) | 0.9 | - |", "| p | clang 19 | warm | - | 0.10 s (1.00) | - | 0.05 s (0.50) | - | - |",
                "| q | clang 15 | cold | 3.00 s (30.00) | 3.00 s (36.00) | - | 3.00 s (21.00) | 0.7 | - |", "| q | clang 15 | warm | - | 0.10 s (1.00) | - | 0.05 s (0.50) | - | - |"]
        table = "| project | compiler | phase | plain | ccache | sccache | hipcache | of plain | run |\n| - | - | - | - | - | - | - | - | - |\n"
        found = plot.ratios("### Builds\n\nwords\n" + plot.BEGIN + "\n\n### Builds\n\n" + table + "\n".join(rows) + "\n\n| another | table |\n")
        self.assertEqual(found, {("first build", "hipcache"): 0.75, ("first build", "ccache"): 1.2, ("nothing changed", "hipcache"): 0.025, ("nothing changed", "ccache"): 0.05})


class RatiosOfSamples(unittest.TestCase):
    def setUp(self):
        self.samples = Samples()

    def add(self, source, *walls, state=WARM, **more):
        for wall in walls:
            self.samples.add(ROW, source, state, Sample(wall, 10 * wall, **more))

    def test_are_the_medians_of_pairs(self):
        self.add(REDIS, 2, 30, 8)
        self.add(LOCAL, 1, 10, 2)
        self.assertEqual(self.samples.ratio(ROW, (REDIS, WARM), (LOCAL, WARM)), 3)

    def test_are_those_of_medians_without_pairs(self):
        self.add(REDIS, 2, 30, 8)
        self.add(PLAIN, 16)
        self.assertEqual(self.samples.ratio(ROW, (REDIS, WARM), (PLAIN, WARM)), 0.5)

    def test_are_none_of_what_was_not_measured(self):
        self.add(REDIS, 2)
        for one, other in (((REDIS, WARM), (REDIS, NEW)), ((REDIS, NEW), (REDIS, WARM))):
            self.assertIsNone(self.samples.ratio(ROW, one, other))

    def test_count_links_in_a_build_alone(self):
        self.add(REDIS, 2, links=1)
        self.add(LOCAL, 1, links=1)
        one, other = (REDIS, WARM), (LOCAL, WARM)
        self.assertEqual([self.samples.ratio(ROW, one, other, what) for what in ("wall", "processor", "build")], [2, 2, 1.5])

    def test_steps_run_are_the_most_of_a_build(self):
        self.add(REDIS, 2, ran=0)
        self.add(REDIS, 2, ran=3)
        self.assertEqual(self.samples.ran(ROW, REDIS, WARM), 3)
        self.assertIsNone(self.samples.ran(ROW, REDIS, NEW))


class Tables(unittest.TestCase):
    """Two servers and two projects; what the second project's directory serves is the slowest."""

    def setUp(self):
        self.part = Remote([Plain(), Hipcache("hipcache")], pathlib.Path("/nowhere"), ["gfx906"])
        self.part.names, self.part.missing = [REDIS, DIRECTORY], ["grpc (bazel-remote)"]
        for row, directory in ((ROW, 1.25), (OTHER, 1.4)):
            for source, wall in ((PLAIN, 40), (LOCAL, 1), (REDIS, 1.1), (DIRECTORY, directory), (CCACHE, 4)):
                self.add(row, source, wall)
            self.add(row, PLAIN_FAR, 10)
            self.add(row, far(REDIS), 2, links=1)
            self.add(row, far(REDIS), 3, NEW, links=1)
            self.part.traffic[row, REDIS] = Traffic(1000, 900, 5000, 4000)
            self.part.traffic[row, CCACHE] = Traffic(None, None, 10000, 16000)

    def add(self, row, source, wall, state=WARM, **more):
        self.part.samples.add(row, source, state, Sample(wall, wall, **more))

    def lines(self, name):
        return [line for line in self.part.text().splitlines() if f"| {name} " in line]

    def test_say_what_was_not_measured(self):
        self.assertTrue(self.part.text().startswith("Not installed, so not measured: grpc (bazel-remote)."))

    def test_hold_a_server_against_local_hits_the_compiler_and_ccache(self):
        served = self.lines(REDIS)[0]
        for cell in ("1.10 s (1.10)", "1.10 (1.10)", "0.03 (0.03)", "0.28 (0.28)"):
            self.assertIn(f" {cell} ", served)

    def test_say_the_long_way_with_links_and_with_a_new_daemon(self):
        cells = [cell.strip() for cell in self.lines(REDIS)[-1].split("|")]
        self.assertEqual(cells[1:-1], [*OTHER, REDIS, "10.00 s", "3.00 s", "0.30", "4.00 s", "0.40", "0"])

    def test_say_the_bytes_of_both_caches(self):
        self.assertTrue(any("10 kB" in line and "16 kB" in line for line in self.lines(CCACHE)))

    def test_targets_take_the_worst(self):
        found = {row["target"]: row["measured"] for row in targets._of_remote(self.part)}
        self.assertEqual(list(found.values()), ["1.40", "0.28", "0.50", "0.25", "0.40", "0"])

    def test_targets_of_a_part_that_did_not_run_are_not_measured(self):
        part = Remote([Plain(), Hipcache("hipcache")], pathlib.Path("/nowhere"), ["gfx906"])
        self.assertEqual({row["reached"] for row in targets._of_remote(part)}, {"not measured"})


class WithServers(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)

    def test_redis_tells_the_bytes_of_others_alone(self):
        server = servers.redis(self.directory)
        self.assertIsNotNone(server, "tools/setup installs redis-server")
        self.addCleanup(server.stop)
        traffic = RedisTraffic(server.port)
        self.addCleanup(traffic.close)
        before = traffic.total()
        self.assertEqual(traffic.total(), before)
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as client:
            client.sendall(b"PING\r\n")
            self.assertEqual(client.makefile("rb").readline(), b"+PONG\r\n")
            self.assertEqual(traffic.total() - before, len("PING\r\n") + len("+PONG\r\n"))

    def test_a_server_that_is_not_installed_is_named_and_a_directory_is_always_there(self):
        makers = remote_tiers.MAKERS
        self.addCleanup(setattr, remote_tiers, "MAKERS", makers)
        remote_tiers.MAKERS = {"grpc (bazel-remote)": lambda _: None}
        with shared_caches(self.directory) as (tiers, missing):
            self.assertEqual((list(tiers), missing), ([DIRECTORY], ["grpc (bazel-remote)"]))
            self.assertTrue(pathlib.Path(tiers[DIRECTORY].url.removeprefix("file://")).is_dir())


class TheLongWay(unittest.TestCase):
    """A server that sends back what it gets. Times have lower limits; the upper one is of what
    would be much slower."""

    ROUND_TRIP = 0.4

    def setUp(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        threading.Thread(target=self.echo, args=(listener,), daemon=True).start()
        self.proxy = DelayProxy(listener.getsockname()[1], self.ROUND_TRIP)
        self.addCleanup(self.proxy.stop)

    @staticmethod
    def echo(listener):
        connection, _ = listener.accept()
        with connection:
            while data := connection.recv(65536):
                connection.sendall(data)

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.proxy.port), timeout=PATIENCE)
        self.addCleanup(client.close)
        return client

    @staticmethod
    def answer(client, length):
        answer = b""
        while len(answer) < length and (data := client.recv(65536)):
            answer += data
        return answer

    def test_takes_a_round_trip_and_one_more_for_a_connection(self):
        begin = time.monotonic()
        client = self.connect()
        for trips in (2, 1, 1):
            client.sendall(b"question")
            self.assertEqual(self.answer(client, len("question")), b"question")
            self.assertGreaterEqual(time.monotonic() - begin, trips * self.ROUND_TRIP - 0.001)
            begin = time.monotonic()

    def test_holds_many_messages_at_once(self):
        client = self.connect()
        count, begin = 200, time.monotonic()
        for number in range(count):
            client.sendall(number.to_bytes(4, "big"))
            time.sleep(0.001)  # so that they are pieces of their own
        answers = self.answer(client, 4 * count)
        self.assertEqual(answers, b"".join(number.to_bytes(4, "big") for number in range(count)))
        self.assertLess(time.monotonic() - begin, count * self.ROUND_TRIP / 2)

    def test_passes_the_end_on(self):
        client = self.connect()
        client.sendall(b"last")
        client.shutdown(socket.SHUT_WR)
        self.assertEqual((client.makefile("rb").read()), b"last")

    def test_ends_a_connection_that_nobody_takes(self):
        with socket.create_server(("127.0.0.1", 0)) as gone:
            port = gone.getsockname()[1]
        proxy = DelayProxy(port, self.ROUND_TRIP)
        self.addCleanup(proxy.stop)
        with socket.create_connection(("127.0.0.1", proxy.port), timeout=PATIENCE) as client:
            self.assertEqual(client.recv(1), b"")


if __name__ == "__main__":
    unittest.main()
