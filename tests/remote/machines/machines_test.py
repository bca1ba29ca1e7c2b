"""Machines that share results through real servers: what is compiled where, and what trouble costs.

usage: machines_test.py SOURCE_DIRECTORY BIN_DIRECTORY CLANG_VERSION [unittest arguments]
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import machines  # noqa: E402
import servers  # noqa: E402
from machines import KERNEL, Machine, Project  # noqa: E402

SOURCE, BIN = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
CLANG = f"/usr/lib/llvm-{sys.argv.pop(1)}/bin/clang++"
RUNTIME = SOURCE / "fixtures/projects/bare-hip/bare_hip.h"
TWO, THREE = ("gfx906", "gfx1030"), ("gfx906", "gfx1030", "gfx90a")
PATIENT = "timeout=30s&connect_timeout=30s"  # a loaded machine is no failure here
BRIEF = "timeout=1s&connect_timeout=1s"
HEAVY = """
template <int N> __device__ float steps(float value, const float* data) {
#pragma unroll
  for (int at = 0; at < N; ++at) value = value * data[(at * 7) & 255] + data[static_cast<int>(value) & 255];
  return value;
}
__global__ void heavy(float* data) { data[1] = steps<WORK>(data[1], data); }
"""


class Machines(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)
        self.project = Project(self.directory / "project", RUNTIME, CLANG)

    def make_directory(self, name):
        path = self.directory / name
        path.mkdir()
        return path

    def machine(self, name, remote, **settings):
        machine = Machine(BIN, self.directory / name, remote, **settings)
        self.addCleanup(machine.stop)
        return machine

    def server(self, kind):
        start = {
            "redis": servers.redis,
            "rediss": servers.redis_with_tls,
            "http": servers.nginx,
            "apache": servers.apache,
            "grpc": servers.bazel_remote,
            "buildgrid": servers.buildgrid,
            "s3": servers.versitygw,
            "google": servers.fake_gcs_server,
            "azure": servers.azurite,
        }[kind]
        made = start(self.make_directory(kind))
        if made is None and kind in ("grpc", "s3", "google", "azure"):
            name = start.__name__.replace("_", "-")
            self.skipTest(f"{name} is not installed: tools/test-servers brings it, with Go or npm")
        self.assertIsNotNone(made, f"tools/setup or tools/test-servers installs the server of {kind}")
        self.addCleanup(made.stop)
        return made

    def url(self, kind):
        """Of a tier of that kind, with patience."""
        base = f"file://{self.directory}/shared?" if kind == "file" else self.server(kind).url_with(f"{PATIENT}&")
        return base + "prefix=tests"

    def fill(self, url, archs=TWO):
        filler = self.machine("filler", url)
        made = self.project.compile(filler, archs)
        self.assertEqual(made, self.project.expected(filler, archs))
        flushed = filler.flush()
        self.assertEqual(flushed.returncode, 0, flushed.stderr)
        return made

    def assert_served(self, machine, made, archs=TWO):
        self.assertEqual(self.project.compile(machine, archs), made)
        self.assertEqual(machine.steps_run(), {})
        self.assertEqual(machine.stats()["requests"]["hit"], 1)

    def assert_compiles(self, machine, archs=TWO, flags=("-O1",)):
        made = self.project.compile(machine, archs, flags)
        self.assertEqual(made, self.project.expected(machine, archs, flags))
        return made


class SharingOf:
    """What holds for each kind of tier."""

    kind = ""

    def test_serves_a_machine_with_an_empty_store(self):
        url = self.url(self.kind)
        made = self.fill(url)
        second = self.machine("second", url)
        self.assert_served(second, made)
        tier = second.stats()["remote"]["tiers"][0]
        self.assertGreater(tier["hits"], 0)
        self.assertEqual((tier["errors"], tier["state"]), (0, "ok"))
        self.assert_served_by_itself(second, made)

    def assert_served_by_itself(self, machine, made):
        before = machine.stats()["remote"]["tiers"][0]
        self.assertEqual(self.project.compile(machine, TWO), made)
        self.assertEqual(machine.stats()["remote"]["tiers"][0], before, "a local hit asks nobody")

    def test_compiles_one_more_architecture_alone(self):
        url = self.url(self.kind)
        self.fill(url)
        third = self.machine("third", url)
        made = self.project.compile(third, THREE)
        self.assertEqual({step for step in third.steps_run() if step.startswith("device")}, {"device gfx90a"})
        self.assertEqual(made, self.project.expected(third, THREE))

    def test_serves_nothing_after_a_change(self):
        url = self.url(self.kind)
        self.fill(url)
        self.project.edit_header("static int more;")
        second = self.machine("second", url)
        made = self.project.compile(second, TWO)
        self.assertEqual(made, self.project.expected(second, TWO))
        self.assertEqual(second.steps_run()["host"], 1)

    def test_says_why_a_machine_misses_that_never_compiled_it(self):
        url = self.url(self.kind)
        self.fill(url)
        self.project.edit_header("static int more;")
        none = "no compile of this output is stored"
        for name, settings, why in (("logging", {}, "/runtime.h: they differ"), ("silent", {"log": ""}, "/runtime.h: they differ"), ("closed", {"share_history": "false"}, none)):
            machine = self.machine(name, url + "&mode=ro", **settings)
            self.project.compile(machine, TWO)
            said = machine.option("--report", "--format", "markdown")
            self.assertEqual((why in said, none in said), (True, why == none), f"{name}: {said}")

    def test_works_after_the_daemon_was_stopped_without_a_flush(self):
        url = self.url(self.kind)
        first = self.machine("first", url)
        made = self.project.compile(first, TWO)
        first.stop()
        self.assert_served(self.machine("second", url), made)

    def test_serves_compiles_of_one_step(self):
        url = self.url(self.kind)
        first, second = (self.machine(name, url) for name in ("first", "second"))
        (self.project.directory / "b.c").write_text('#include "size.h"\nint size = SIZE;\n')
        for machine, size, steps in (first, 7, 2), (second, 7, 0), (second, 8, 2):
            (self.project.directory / "size.h").write_text(f"#define SIZE {size}\n")
            before = sum(machine.steps_run().values())
            for compiler in ("gcc", CLANG.removesuffix("++")):
                self.assert_compiles_c(machine, [compiler, "-O1", "-g", "-MD", "-c", "b.c", "-o", "b.o"])
            self.assertEqual(sum(machine.steps_run().values()) - before, steps)
            self.assertEqual(machine.flush().returncode, 0)

    def assert_compiles_c(self, machine, command):
        """Object and depfile are those of the compiler alone."""
        made = []
        for words in ([machine.hipcache, *command], command):
            done = subprocess.run(
                words, cwd=self.project.directory, env=machine.variables, text=True, capture_output=True, check=True
            )
            self.assertEqual(done.stdout + done.stderr, "")
            made.append([(self.project.directory / name).read_bytes() for name in ("b.o", "b.d")])
        self.assertEqual(made[0], made[1])


KINDS = {"File": "file", "Http": "http", "Apache": "apache", "Redis": "redis", "RedisOverTls": "rediss", "Grpc": "grpc",
         "BuildGrid": "buildgrid", "S3": "s3", "Google": "google"}
for name, kind in KINDS.items():
    globals()[f"SharingBy{name}"] = type(f"SharingBy{name}", (SharingOf, Machines), {"kind": kind})


class SharingByAzure(SharingOf, Machines):
    kind = "azure"

    def test_serves_who_may_only_read_and_takes_nothing_from_them(self):
        server = self.server(self.kind)
        made = self.fill(server.url_with(PATIENT))
        reader = self.machine("reader", server.url_with(PATIENT + "&mode=ro"))
        self.assert_served(reader, made)
        self.project.compile(reader, TWO, ("-O2",))
        self.assertEqual(reader.flush().returncode, 0)
        tier = reader.stats()["remote"]["tiers"][0]
        self.assertEqual((tier["errors"], reader.stats()["remote"]["written"]), (0, 0))

    def test_a_wrong_key_costs_no_compile_and_is_named(self):
        machine = self.machine("first", self.server(self.kind).url_with(PATIENT))
        machine.variables.update(AZURE_STORAGE_KEY="c2VjcmV0")
        self.assert_compiles(machine)
        said = machine.flush().stderr
        self.assertRegex(said, r"could not be written .* HTTP status 403 \(AuthorizationFailure\)")
        self.assertNotIn("c2VjcmV0", said + machine.log.read_text())


class Settings(Machines):
    def test_a_machine_finds_what_it_published_itself_after_a_clear(self):
        first = self.machine("first", f"file://{self.make_directory('shared')}")
        self.assert_compiles(first)
        self.assertEqual(first.flush().returncode, 0)
        first.option("--clear")
        self.assert_compiles(first)
        self.assertEqual(first.stats()["requests"]["hit"], 1)

    def test_a_clear_forgets_that_nobody_had_a_result(self):
        shared = self.make_directory("shared")
        first, second = self.machine("first", f"file://{shared}"), self.machine("second", f"file://{shared}?mode=ro")
        self.assert_compiles(second)
        self.assert_compiles(first)
        self.assertEqual(first.flush().returncode, 0)
        second.option("--clear")
        self.assert_compiles(second)
        self.assertEqual(second.stats()["requests"]["hit"], 1)

    def test_a_tier_that_is_only_read_is_not_written_to(self):
        shared = self.make_directory("shared")
        first = self.machine("first", f"file://{shared}?mode=ro")
        self.project.compile(first, TWO)
        self.assertEqual(first.flush().returncode, 0)
        self.assertEqual(list(shared.iterdir()), [])

    def test_a_tier_that_is_only_written_serves_nothing(self):
        url = f"file://{self.make_directory('shared')}"
        self.fill(url)
        second = self.machine("second", url + "?mode=wo")
        self.project.compile(second, TWO)
        self.assertEqual(second.steps_run()["host"], 1)

    def test_readonly_publishes_nothing(self):
        shared = self.make_directory("shared")
        first = self.machine("first", f"file://{shared}", readonly=1)
        self.project.compile(first, TWO)
        self.assertEqual(first.flush().returncode, 0)
        self.assertEqual(list(shared.iterdir()), [])

    def test_recache_asks_nothing_and_publishes(self):
        shared = self.make_directory("shared")
        self.fill(f"file://{shared}")
        second = self.machine("second", f"file://{shared}", recache=1)
        self.project.compile(second, TWO)
        self.assertEqual(second.steps_run()["host"], 1)
        self.assertEqual(second.flush().returncode, 0)
        self.assertGreater(second.stats()["remote"]["written"], 0)

    def test_a_bundle_is_made_here_because_that_is_sooner(self):
        url = f"file://{self.make_directory('shared')}"
        first = self.machine("first", url)
        self.assert_compiles(first)
        self.assertEqual(first.flush().returncode, 0)
        second = self.machine("second", url)
        flags = ("-O1", "-MD", "-MF", "a.d")
        self.assert_compiles(second, flags=flags)
        self.assertEqual(second.steps_run(), {"bundle": 1, "host": 1, "probe": 1})

    def test_a_short_back_end_is_not_shared_by_itself(self):
        counts = []
        for name, work in ("light", 1), ("heavy", 3000):
            source = KERNEL + HEAVY.replace("WORK", str(work))
            (self.project.directory / "a.hip").write_text(source)
            shared = self.make_directory(name)
            machine = self.machine(f"machine-{name}", f"file://{shared}")
            self.assert_compiles(machine, flags=("-O3",))
            self.assertEqual(machine.steps_run().get("back"), 2, "both are split")
            self.assertEqual(machine.flush().returncode, 0)
            counts.append(len(machines.lists_in(shared)))
        self.assertEqual(counts[1] - counts[0], 2)

    def test_namespaces_are_apart(self):
        url = f"file://{self.make_directory('shared')}"
        self.fill(url)
        other = self.machine("other", url, namespace="other")
        self.project.compile(other, TWO)
        self.assertEqual(other.steps_run()["host"], 1)

    def test_what_a_later_tier_has_is_written_into_an_earlier_one(self):
        far, near = (f"file://{self.make_directory(name)}" for name in ("far", "near"))
        made = self.fill(far)
        self.assert_served(self.machine("second", f"{near},{far}"), made)
        near_alone = self.machine("third", near)
        self.assertTrue(servers.comes_true(lambda: list(pathlib.Path(near[7:]).rglob("v1/r/*/*"))))
        self.assert_served(near_alone, made)

    def test_secrets_are_shown_nowhere(self):
        secret = "verysecret"
        url = f"http://ada:{secret}@127.0.0.1:{servers.free_port()}/x"
        other = f"https://127.0.0.1:{servers.free_port()}/?token={secret}"
        bucket = f"s3://bucket?endpoint=http://127.0.0.1:{servers.free_port()}"
        blobs = f"azblob://account/container?endpoint=http://127.0.0.1:{servers.free_port()}"
        machine = self.machine("first", f"{url},{other},{bucket},{blobs}")
        machine.variables.update(AWS_SECRET_ACCESS_KEY=secret, AWS_SESSION_TOKEN=secret)
        machine.variables.update(AZURE_STORAGE_CONNECTION_STRING=f"SharedAccessSignature=sig={secret}")
        self.project.compile(machine, TWO)
        shown = machine.option("--show-config") + machine.option("--show-stats") + str(machine.stats())
        shown += machine.flush().stderr + machine.log.read_text()
        processes = [path.read_bytes() for path in pathlib.Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
        self.assertNotIn(secret, shown)
        self.assertFalse(any(secret.encode() in words for words in processes))
        self.assertIn(re.sub("ada:.*@(.*)/x", r"\1", url), shown)
        self.assertNotIn("ada", shown)


if __name__ == "__main__":
    machines.run_tests(CLANG)
