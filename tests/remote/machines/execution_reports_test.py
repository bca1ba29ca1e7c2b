"""What hipcache says of a real engine of remote execution: --plan, --doctor, the statistics, the events, --report.

usage: execution_reports_test.py SOURCE_DIRECTORY BIN_DIRECTORY CLANG_VERSION [unittest arguments]
"""

import json
import pathlib
import shutil

import machines
import servers
from machines import HIP
from machines_test import CLANG, THREE, Machines

# Each step is worth it, and none is made twice; one slot, so that the second step finds none.
OPTIONS = "min_cost=1ms&audit=0&timeout=30s&connect_timeout=30s"
ATTEMPTS = 20  # a busy machine may be faster than its worker


class Reports(Machines):
    def setUp(self):
        super().setUp()
        self.assertIsNotNone(shutil.which("bwrap"), "tools/setup installs bubblewrap")
        self.engine = servers.buildbox_casd(self.make_directory("casd"))
        self.assertIsNotNone(self.engine, "tools/test-servers installs buildbox-casd")
        self.addCleanup(self.engine.stop)

    def client(self, remote=""):
        return self.machine("one", remote, execute=self.engine.url_with(OPTIONS), jobs=1)

    def plan(self, machine):
        words = ["--plan", "--format", "json", "--", *self.project.command(THREE)]
        return json.loads(machine.run(words, cwd=self.project.directory).stdout)

    def steps_in_log(self, machine):
        """What came of each step at the engine; none of those that were not sent."""
        lines = [
            json.loads(line)
            for log in pathlib.Path(machine.variables["HIPCACHE_DIR"]).glob("[0-9]*/events.jsonl")
            for line in log.read_text().splitlines()
        ]
        return [line for line in lines if "engine" in line]

    def doctor(self, machine, compiler=CLANG):
        """What it says of the engine and the worker. Again if the worker was too late: the machine is busy."""
        for _ in range(ATTEMPTS):
            done = machine.run(["--doctor", "--", compiler, *HIP, "--offload-arch=gfx906"])
            lines = [line for line in done.stdout.splitlines() if "engine" in line or "worker" in line]
            if not any("no worker took" in line or "longer than its deadline" in line for line in lines):
                break
        return done.returncode, lines

    def test_the_plan_says_what_is_sent_and_sends_nothing(self):
        machine = self.client()
        steps = {step["name"]: step for step in self.plan(machine)["steps"]}
        self.assertTrue(steps["device gfx906"]["sent"], steps)
        self.assertEqual(steps["host"]["not_sent"], "not a device step")
        self.assertEqual(machine.stats()["executed"]["sent"], 0)

    def test_the_plan_says_that_a_daemon_that_publishes_sends_nothing(self):
        machine = self.client(f"file://{self.directory}/shared")
        plan = self.plan(machine)
        self.assertIn("trusted=true", plan["not_sent"])
        self.assertFalse(any(step["sent"] for step in plan["steps"]))

    def test_all_say_the_same_of_the_steps_that_were_sent(self):
        machine = self.client()
        for number in range(ATTEMPTS):
            self.project.compile(machine, THREE)
            counts = machine.stats()["executed"]
            if counts["won"]:
                break
            self.project.edit_header(f"__device__ int more{number};")
        self.assertGreater(counts["won"], 0)
        steps = self.steps_in_log(machine)
        self.assertEqual(len(steps), counts["sent"])
        for outcome in ("won", "lost", "failed"):
            self.assertEqual(sum(step["engine"] == outcome for step in steps), counts[outcome], outcome)
        won = [step for step in steps if step["engine"] == "won"]
        for step in won:
            self.assertGreater(step["execution_us"], 0)
            self.assertGreater(step["bytes_received"], 0)
        report = json.loads(machine.option("--report", "--since", "1d", "--format", "json"))["executed"]
        for name in ("sent", "won", "lost", "not_proved", "failed", "bytes_sent", "bytes_received"):
            self.assertEqual(report[name], counts[name], name)
        self.assertEqual(report["execution_us"], sum(step["execution_us"] for step in won))
        self.assertIn("Taken from workers", machine.option("--show-stats"))

    def test_the_doctor_finds_a_worker_with_the_toolchain_of_here(self):
        code, lines = self.doctor(self.client())
        self.assertEqual(code, 0, lines)
        self.assertRegex("\n".join(lines), r"ok +the engine grpc://[^\n]* answers .*and executes, with SHA-256")
        self.assertRegex("\n".join(lines), r"ok +the worker[^\n]* it has /usr/[^\n]*clang[^\n]*lld[^\n]* of here")

    def test_the_doctor_names_a_compiler_that_the_worker_lacks(self):
        toolchain = self.make_directory("llvm") / "bin"
        toolchain.mkdir()
        (toolchain.parent / "lib").symlink_to(pathlib.Path(CLANG).parents[1] / "lib")
        own = toolchain / "clang++"
        shutil.copy(CLANG, own)
        for name in ("lld", "clang-offload-bundler"):
            (toolchain / name).symlink_to(pathlib.Path(CLANG).parent / name)
        code, lines = self.doctor(self.client(), str(own))
        self.assertEqual(code, 1, lines)
        self.assertIn(f"error    the worker has no {own}: install the toolchain on its image", lines)


if __name__ == "__main__":
    machines.run_tests(CLANG)
