"""Runs every example workflow, so that none can rot: on main, then as a pull request, on machines with empty caches.

usage: examples_test.py SOURCE_DIRECTORY BIN_DIRECTORY [unittest arguments]
"""

import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BIN = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
sys.path[:0] = [str(SOURCE / "tools/shared.d"), str(pathlib.Path(__file__).resolve().parent)]
try:
    from workflow import ActionsCache, Failed, Job, Workflow  # noqa: E402
except ModuleNotFoundError as missing:
    print(f"skipped: {missing}; the package is python3-yaml")
    sys.exit(77)
import servers  # noqa: E402

EXAMPLES = SOURCE / "examples/ci"
PASSWORD = "s3cret"
# Two sources of a fixture with one kernel each, and one without.
CMAKE_LISTS = """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX HIP)
set(CMAKE_BUILD_TYPE Release)
set(CMAKE_HIP_STANDARD 17)
set(CMAKE_HIP_EXTENSIONS OFF)
include_directories(include)
add_compile_definitions(__HIP_PLATFORM_AMD__)
add_library(maths STATIC src/devices.hip src/elementary.hip src/report.cpp)
"""


def bazel_remote(directory):
    """As the example asks for it: everybody reads, the user "ci" writes. None if it is not installed."""
    probe = servers.bazel_remote(directory)
    if probe is None:
        return None
    probe.stop()
    (directory / "http").unlink(missing_ok=True)
    users = directory / "users"
    users.write_text("ci:{SHA}" + base64.b64encode(hashlib.sha1(PASSWORD.encode()).digest()).decode() + "\n")
    return servers.Server(probe.url, [*probe.command, "--htpasswd_file", str(users), "--allow_unauthenticated_reads"])


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.directory = pathlib.Path(cls.scratch.name)
        subprocess.run([str(SOURCE / "fixtures/hip-root/make"), str(cls.directory / "root")], check=True, stdout=subprocess.DEVNULL)
        cls.sources = cls.directory / "sources"
        shutil.copytree(SOURCE / "fixtures/projects/hip-language", cls.sources)
        (cls.sources / "CMakeLists.txt").write_text(CMAKE_LISTS)

    def setUp(self):
        self.machines = pathlib.Path(tempfile.mkdtemp(dir=self.directory))
        self.variables = {name: value for name, value in os.environ.items() if not name.startswith("HIPCACHE_")}
        self.variables.update(
            PATH=f"{BIN}:{os.environ['PATH']}", HIPCACHE_CONFIG="/dev/null",
            CMAKE_TOOLCHAIN_FILE=str(self.directory / "root/clang-19.cmake")
        )

    def job(self, name, job, row, event, sha, context, cache=None):
        context = {**context, "github.event_name": event, "github.sha": sha}
        made = Job(job, row, self.machines / name, self.sources, context, self.variables, cache)
        self.addCleanup(self.option, made, "--stop-server")
        return made

    def option(self, job, *words):
        return subprocess.run([str(BIN / "hipcache"), *words], env=job.variables, capture_output=True, text=True, check=True).stdout

    def stats(self, job):
        return json.loads(self.option(job, "--show-stats", "--format", "json"))

    def assert_all_from_the_cache(self, job):
        stats = self.stats(job)
        self.assertEqual({arch: steps["run"] for arch, steps in stats["steps"]["device"].items() if steps["run"]}, {})
        self.assertGreater(stats["requests"]["hit"], 0)
        summary = job.summary.read_text()
        self.assertIn("came from the cache", summary)
        self.assertIn("By architecture", summary)

    def test_every_example_has_a_test(self):
        tested = {"bazel-remote.yml", "s3.yml", "actions-cache.yml"}
        self.assertEqual({path.name for path in EXAMPLES.iterdir()}, tested)
        for name in tested:
            self.assertEqual(Workflow(EXAMPLES / name).events(), {"push", "pull_request"})
            self.assertGreater(len(Workflow(EXAMPLES / name).rows()), 1)

    def server(self, start):
        """Starts a server by one of the functions that know how. Skips the test if it is not installed."""
        directory = self.machines / "server"
        directory.mkdir(parents=True)
        server = start(directory)
        if server is None:
            self.skipTest(f"{start.__name__} is not installed: tools/test-servers builds it")
        self.addCleanup(server.stop)
        return server

    def assert_main_fills_what_pull_requests_read(self, rows, writer, reader, secret):
        """`writer` and `reader` are the contexts of pushes to main and of pull requests."""
        # A pull request before main has filled the cache: nothing to read, and nothing is written.
        early = self.job("early", *rows[0], "pull_request", "1", reader)
        with self.assertRaisesRegex(Failed, "Check the hit rate: exit code 1"):
            early.run()
        self.assertIn("Summary", early.ran)

        for number, (job, row) in enumerate(rows):
            filled = self.job(f"main-{number}", job, row, "push", "1", writer).run()
            stats = self.stats(filled)
            self.assertEqual(stats["remote"]["tiers"][0]["write_errors"], 0)
            self.assertGreater(stats["remote"]["tiers"][0]["written"], 0)
            self.assertNotIn(secret, filled.summary.read_text())
        for number, (job, row) in enumerate(rows):
            served = self.job(f"request-{number}", job, row, "pull_request", "2", reader)
            self.assert_all_from_the_cache(served.run())
            self.assertEqual(self.stats(served)["remote"]["tiers"][0]["written"], 0)

    def test_bazel_remote(self):
        host = {"vars.HIPCACHE_HOST": self.server(bazel_remote).url.removeprefix("grpc://")}
        rows = Workflow(EXAMPLES / "bazel-remote.yml").rows()
        writer, reader = ({**host, "secrets.HIPCACHE_PASSWORD": password} for password in (PASSWORD, ""))
        self.assert_main_fills_what_pull_requests_read(rows, writer, reader, PASSWORD)

    def test_s3(self):
        server = self.server(servers.versitygw)
        self.make_readable(server)
        bucket = {"vars.HIPCACHE_BUCKET": server.url}
        role = "arn:aws:iam::1:role/hipcache"
        writer = {**bucket, "vars.HIPCACHE_ROLE": role, role: servers.S3_KEYS}
        rows = Workflow(EXAMPLES / "s3.yml").rows()
        self.assert_main_fills_what_pull_requests_read(rows, writer, bucket, servers.S3_KEYS["AWS_SECRET_ACCESS_KEY"])

        # Without keys the server takes nothing, whatever the job asks for.
        job, row = rows[0]
        liar = self.job("liar", job, row, "pull_request", "3", bucket)
        liar.steps = [
            {**step, "run": step["run"].replace("mode=ro&", "")} if "run" in step else step
            for step in liar.steps
            if step.get("name") != "Check the hit rate"
        ]
        source = liar.workspace / "src/elementary.hip"
        source.write_text(source.read_text() + "\nint of_nobody_else() { return 1; }\n")
        liar.run()
        flushed = subprocess.run([str(BIN / "hipcache"), "--flush"], env=liar.variables, capture_output=True, text=True)
        self.assertEqual(flushed.returncode, 0, "a server that takes nothing does not fail the job")
        self.assertIn("hipcache: warning: ", flushed.stderr)
        self.assertIn("s3://bucket?endpoint&credentials: ", flushed.stderr)
        tier = self.stats(liar)["remote"]["tiers"][0]
        self.assertEqual(tier["written"], 0)
        self.assertGreater(tier["write_errors"], 0)

    def make_readable(self, server):
        """Gives the bucket the policy that docs/ci.md has."""
        found = re.search(r"^    (\{.*?\}\]\})$", (SOURCE / "docs/ci.md").read_text(), re.DOTALL | re.MULTILINE)
        policy = self.machines / "policy.json"
        policy.write_text(found.group(1).replace("our-cache/hipcache", "bucket/cache").replace("our-cache", "bucket"))
        keys = servers.S3_KEYS
        endpoint = server.url.split("endpoint=")[1]
        digest = hashlib.sha256(policy.read_bytes()).hexdigest()
        subprocess.run(
            ["curl", "--silent", "--show-error", "--fail-with-body", "--aws-sigv4", "aws:amz:us-east-1:s3", "--user",
             f"{keys['AWS_ACCESS_KEY_ID']}:{keys['AWS_SECRET_ACCESS_KEY']}", "--header", f"x-amz-content-sha256: {digest}", "--upload-file", str(policy),
             f"{endpoint}/bucket?policy="],
            check=True
        )

    def test_actions_cache(self):
        cache = ActionsCache(self.machines / "actions-cache")
        job, row = Workflow(EXAMPLES / "actions-cache.yml").rows()[1]
        first = self.job("main", job, row, "push", "1", {}, cache).run()
        self.assertNotIn("Import the archive", first.ran)
        self.assertEqual(list(cache.entries), [f"hipcache-{row['family']}-1"])
        request = self.job("request", job, row, "pull_request", "2", {}, cache).run()
        self.assertIn("Import the archive", request.ran)
        self.assert_all_from_the_cache(request)
        self.assertEqual(len(cache.entries), 1, "a pull request saves nothing")

        # A damaged entry is a warning and a slow build.
        entry = cache.entries[f"hipcache-{row['family']}-1"]
        entry.write_bytes(entry.read_bytes()[:1000])
        damaged = self.job("damaged", job, row, "pull_request", "3", {}, cache).run()
        self.assertGreater(self.stats(damaged)["requests"]["miss"], 0)


    def test_execute(self):
        if mend := servers.engine_mend():
            self.skipTest(mend)
        command = [str(SOURCE / "examples/execute"), str(BIN / "hipcache")]
        told = subprocess.run(command, env={**self.variables, "PORT": str(servers.free_port())}, capture_output=True, text=True)
        self.assertEqual((told.returncode, told.stderr), (0, ""), told.stdout)
        self.assertRegex(told.stdout, r"Steps sent +[1-9]")
        missing = subprocess.run(command, env={**self.variables, "HIPCACHE_TEST_SERVERS": "/nowhere"}, capture_output=True, text=True)
        self.assertEqual(missing.returncode, 1)
        self.assertIn("/nowhere/buildbox-casd is not installed: tools/test-servers", missing.stderr)

    # The actions of examples/action, as a workflow uses them.
    WITH_ACTION = {
        "steps": [
            {"uses": "actions/checkout@v4"},
            {"uses": "./.github/actions/hipcache", "with": {"name": "gfx90X", "remote": "${{ vars.REMOTE }}", "package": "${{ vars.PACKAGE }}"}},
            {"name": "Build", "run": "cmake -S . -B build -G Ninja -DCMAKE_HIP_ARCHITECTURES=gfx906 && cmake --build build"},
            {
                "uses": "./.github/actions/hipcache/save", "if": "always()",
                "with": {"name": "gfx90X", "remote": "${{ vars.REMOTE }}", "writes": "${{ github.event_name == 'push' }}"}
            },
        ]
    }

    def action_job(self, name, event, sha, remote="", cache=None, package="none"):
        made = self.job(name, self.WITH_ACTION, {}, event, sha, {"vars.REMOTE": remote, "vars.PACKAGE": package}, cache)
        shutil.copytree(SOURCE / "examples/action", made.workspace / ".github/actions/hipcache")
        return made

    def test_action_with_the_archive(self):
        cache = ActionsCache(self.machines / "actions-cache")
        self.action_job("main", "push", "1", cache=cache).run()
        self.assertEqual(list(cache.entries), ["hipcache-gfx90X-1"])
        request = self.action_job("request", "pull_request", "2", cache=cache).run()
        self.assert_all_from_the_cache(request)
        self.assertEqual(list(cache.entries), ["hipcache-gfx90X-1"], "a pull request saves nothing")

    def test_action_with_a_shared_cache(self):
        url = self.server(servers.bazel_remote).url
        self.action_job("main", "push", "1", url).run()
        self.assert_all_from_the_cache(self.action_job("request", "pull_request", "2", url + "?mode=ro").run())

    def test_action_says_what_pip_could_not_install(self):
        job = self.action_job("main", "push", "1", package="./no-such-package.whl")
        job.variables["PATH"] = os.environ["PATH"]
        with self.assertRaisesRegex(Failed, "Install hipcache: exit code 1"):
            job.run()


if __name__ == "__main__":
    unittest.main(verbosity=2)
