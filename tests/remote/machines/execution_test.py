"""Device steps on a real engine of remote execution: buildbox-casd, whose workers have this machine's /usr.

usage: execution_test.py SOURCE_DIRECTORY BIN_DIRECTORY CLANG_VERSION [unittest arguments]
"""

import shutil

import machines
import servers
from machines import KERNEL
from machines_test import CLANG, HEAVY, THREE, Machines

# Each step is worth it, and none is made twice; one slot, so that the second step finds none.
OPTIONS = "min_cost=1ms&audit=0&timeout=30s&connect_timeout=30s"
OPTIONAL = '#if __has_include("optional.h")\n#include "optional.h"\n#else\n#define FACTOR 2\n#endif\n'
SCALED = OPTIONAL + KERNEL.replace("scale = 2", "scale = FACTOR")


class Execution(Machines):
    def setUp(self):
        super().setUp()
        self.assertIsNotNone(shutil.which("bwrap"), "tools/setup installs bubblewrap")
        self.engine = servers.buildbox_casd(self.make_directory("casd"))
        self.assertIsNotNone(self.engine, "tools/test-servers installs buildbox-casd")
        self.addCleanup(self.engine.stop)

    def client(self, name, options="", **settings):
        url = self.engine.url_with(OPTIONS + options)
        return self.machine(name, "", execute=url, jobs=1, **settings)

    def compile_right(self, machine, flags=("-O1",)):
        """What came of the steps that were sent."""
        before = machine.stats()["executed"]
        made = self.project.compile(machine, THREE, flags)
        self.assertEqual(made, self.project.expected(machine, THREE, flags))
        after = machine.stats()["executed"]
        self.assertEqual(after["differences"], 0)
        return {name: after[name] - before[name] for name in ("sent", "won", "lost", "not_proved", "failed")}, after

    def assert_taken(self, machine, flags=("-O1",)):
        counts, after = self.compile_right(machine, flags)
        self.assertGreater(counts["sent"], 0)
        self.assertEqual(counts["sent"], counts["won"] + counts["lost"], after)
        return counts["won"]

    def test_makes_the_objects_of_the_compiler(self):
        machine = self.client("one")
        won = 0
        for flags in (("-O1",), ("-O1", "-g"), ("-O2", "-fgpu-rdc")):
            won += self.assert_taken(machine, flags)
        for number in range(20):  # a busy machine may be faster than its worker
            if won:
                break
            self.project.edit_header(f"__device__ int more{number};")
            won += self.assert_taken(machine)
        self.assertGreater(won, 0)
        self.project.compile(machine, THREE)
        self.project.compile(machine, THREE)
        self.assertGreater(machine.stats()["requests"]["hit"], 0)

    def test_sends_the_back_ends_of_edits_whose_front_ends_ran_here(self):
        machine = self.client("one", "&property=hipcache-toolchain")
        source = self.project.directory / "a.hip"
        source.write_text(KERNEL + HEAVY.replace("WORK", "3000"))
        self.assert_taken(machine)
        self.assertEqual(machine.stats()["steps"]["back"]["run"], 3, "a worker leaves the back ends that it ran")
        self.project.edit_header("#define UNUSED 1")
        counts, _ = self.compile_right(machine)
        self.assertEqual(counts["sent"], 0, "the bitcode is the same")
        self.assertEqual(machine.stats()["steps"]["back"]["run"], 3)
        for number in range(1, 6):  # a busy worker may miss its deadline
            source.write_text(KERNEL + HEAVY.replace("WORK", "3000").replace("* 7", f"* {2 * number}"))
            counts, after = self.compile_right(machine)
            self.assertEqual(counts["not_proved"], 0, after)
            steps = machine.stats()["steps"]
            self.assertEqual((steps["front"]["run"], steps["back"]["run"]), (6 + 3 * number, 3 + 3 * number))
            if counts["won"]:
                break
        self.assertGreater(counts["won"], 0)
        self.assertIn("hipcache-toolchain=", machine.log.read_text())

    def test_sees_headers_that_come_change_and_go(self):
        machine = self.client("one")
        (self.project.directory / "a.hip").write_text(SCALED)
        header = self.project.directory / "optional.h"
        self.assert_taken(machine)
        header.write_text("#define FACTOR 3\n")
        self.assert_taken(machine)
        header.write_text("#define FACTOR 4\n")
        self.assert_taken(machine)
        header.unlink()
        counts, _ = self.compile_right(machine)
        self.assertEqual(counts["sent"], 0, "what was made without the header is stored")

    def test_takes_nothing_that_was_made_without_a_header_of_here(self):
        home = self.make_directory("home")
        (home / "headers").mkdir()
        (home / "headers/optional.h").write_text("#define FACTOR 7\n")
        (self.project.directory / "a.hip").write_text(SCALED)
        machine = self.client("one")
        machine.variables["HOME"] = str(home)
        flags = ("-O1", f"-I{home}/headers")
        for number in range(20):
            counts, after = self.compile_right(machine, flags)
            self.assertEqual(counts["won"], 0, after)
            if counts["not_proved"]:
                break
            self.project.edit_header(f"__device__ int more{number};")
        self.assertIn("absent-there", after["why"])

    def test_builds_without_an_engine_that_died(self):
        machine = self.client("one")
        self.compile_right(machine)
        self.engine.stop()
        for number in range(3):
            self.project.edit_header(f"__device__ int later{number};")
            counts, _ = self.compile_right(machine)
            self.assertEqual(counts["won"], 0)

    def test_sends_nothing_from_a_machine_that_publishes_unless_workers_are_trusted(self):
        machine = self.client("one")
        machine.variables["HIPCACHE_REMOTE"] = f"file://{self.directory}/shared"
        counts, _ = self.compile_right(machine)
        self.assertEqual(counts["sent"], 0)
        trusting = self.client("two", "&trusted=true")
        trusting.variables["HIPCACHE_REMOTE"] = f"file://{self.directory}/other"
        self.assert_taken(trusting)


if __name__ == "__main__":
    machines.run_tests(CLANG)
