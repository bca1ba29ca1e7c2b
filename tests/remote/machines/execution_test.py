"""Device steps on real engines of remote execution, whose workers have this machine's /usr: buildbox-casd, which is one
worker, and BuildGrid, which has a queue.

usage: execution_test.py SOURCE_DIRECTORY BIN_DIRECTORY CLANG_VERSION [unittest arguments]
"""

import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import machines
import processes
import servers
from machines import HIP, KERNEL
from machines_test import CLANG, HEAVY, THREE, Machines

# Each step is worth it, and none is made twice; one slot, so that the second step finds none.
OPTIONS = "min_cost=1ms&audit=0&timeout=30s&connect_timeout=30s"
OPTIONAL = '#if __has_include("optional.h")\n#include "optional.h"\n#else\n#define FACTOR 2\n#endif\n'
SCALED = OPTIONAL + KERNEL.replace("scale = 2", "scale = FACTOR")
WARNED = '#include "runtime.h"\n' + HEAVY + "__global__ void warned(float* data) { int unused; data[0] = 2; }\n"
# A step that takes longer than an engine takes to give it to a worker.
LONG = '#include "runtime.h"\n' + "".join(HEAVY.replace("steps", f"steps{n}").replace("heavy", f"heavy{n}") for n in range(3))
BUSY = {"worker-overdue", "no-worker-in-time", "engine-full"}
TRIES = 20  # until a worker is faster than a busy machine
# In the place of the worker's shell: makes what it is told to make, and then something else of it.
# nullglob: the script runs within itself, and what it prints is noise.
LIAR = "#!/usr/bin/bash\n/usr/bin/bash \"$@\" || exit\nshopt -s nullglob\nfor file in \"$TMPDIR\"/{}; do {}; done\n"


class Engines(Machines):
    options = OPTIONS

    def setUp(self):
        super().setUp()
        self.assertEqual(servers.engine_mend(), "")
        self.numbers = itertools.count()
        self.engine = self.start_engine()

    def start_engine(self, name="casd", **how):
        engine = servers.buildbox_casd(self.make_directory(name), **how)
        self.addCleanup(engine.stop)
        return engine

    def client(self, name, options="", **settings):
        url = self.engine.url_with(self.options + options)
        return self.machine(name, "", execute=url, jobs=1, **settings)

    def compile_right(self, machine, flags=("-O1",)):
        """What came of the steps that were sent."""
        before = machine.stats()["executed"]
        made = self.project.compile(machine, THREE, flags)
        self.assertEqual(made, self.project.expected(machine, THREE, flags))
        return self.came_of(machine, before)

    def came_of(self, machine, before):
        after = machine.stats()["executed"]
        return {name: after[name] - before[name] for name in ("sent", "won", "lost", "not_proved", "failed")}, after

    def assert_taken(self, machine, flags=("-O1",)):
        counts, after = self.compile_right(machine, flags)
        self.assertGreater(counts["sent"], 0)
        self.assert_nothing_is_wrong(counts, after)
        self.assertEqual(after["differences"], 0)
        return counts["won"]

    def assert_nothing_is_wrong(self, counts, after):
        """Every step that was sent came back proved, or a busy machine was too slow for it."""
        self.assertEqual(counts["sent"], counts["won"] + counts["lost"] + counts["failed"], after)
        self.assertLessEqual(after["why"].keys(), BUSY, after)

    def compile_until(self, machine, holds, flags=("-O1",)):
        """Compiles other texts until that holds of what came of the steps that were sent."""
        for _ in range(TRIES):
            counts, after = self.compile_right(machine, flags)
            self.project.edit_header(f"__device__ int more{next(self.numbers)};")
            if holds(counts, after):
                return after
        self.fail(f"{TRIES} compiles, and still {after}")

    def assert_makes_the_objects_of_the_compiler(self, machine):
        won = sum(self.assert_taken(machine, flags) for flags in (("-O1",), ("-O1", "-g"), ("-O2", "-fgpu-rdc")))
        if not won:
            self.compile_until(machine, lambda counts, _: counts["won"] > 0)


class Execution(Engines):
    def test_makes_the_objects_of_the_compiler(self):
        machine = self.client("one")
        self.assert_makes_the_objects_of_the_compiler(machine)
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
        after = self.compile_until(machine, lambda counts, _: counts["not_proved"] > 0, flags)
        self.assertEqual(after["won"], 0)
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

    def assert_as_the_compiler(self, machine, cwd, source, *words):
        """Object, depfile, messages and exit code are the compiler's; each step that is sent comes back proved."""
        command = [CLANG, *HIP, "-O1", "-Wall", "-DWORK=100", *words, "-MD", "-MF", "a.d", "-c", source, "-o", "a.o"]
        plan = machine.run(["--plan", "--format", "json", "--", *command], cwd=cwd)
        before = machine.stats()["executed"]
        mine = machine.run(command, cwd=cwd)
        made = [(cwd / name).read_bytes() for name in ("a.o", "a.d")]
        command[1:1] = [f"-cuid={json.loads(plan.stdout)['cuid']}"]
        real = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
        self.assertEqual((mine.returncode, mine.stdout, mine.stderr), (real.returncode, real.stdout, real.stderr))
        self.assertEqual((real.returncode, "unused" in real.stderr), (0, True), real.stderr)
        self.assertEqual(made, [(cwd / name).read_bytes() for name in ("a.o", "a.d")])
        counts, after = self.came_of(machine, before)
        self.assertGreater(counts["sent"], 0, source)
        self.assert_nothing_is_wrong(counts, after)
        return counts["won"]

    def test_makes_objects_depfiles_and_messages_of_the_compiler_whatever_the_names(self):
        project = self.project.directory
        (project / "a.hip").write_text(WARNED)
        deep = project.joinpath(*(letter * 200 for letter in "abcdefgh"))
        for path in (project / "sub", deep, self.directory / "elsewhere"):
            path.mkdir(parents=True)
        (deep / "deep.hip").write_text(WARNED.replace("runtime.h", "../" * 8 + "runtime.h"))
        (project / "sub/dotted.hip").write_text(WARNED.replace("runtime.h", "../sub/../runtime.h"))
        (project / "link.hip").symlink_to("sub/target.hip")
        (project / "sub/target.hip").write_text(WARNED.replace("runtime.h", "sub/../runtime.h"))
        (project / "linked").symlink_to(self.directory / "elsewhere")
        (self.directory / "elsewhere/a.hip").write_text(WARNED)
        archs = [f"--offload-arch={arch}" for arch in THREE]
        machine = self.client("one")
        based = self.client("based", basedir=str(project))
        cases = (
            (machine, project, "a.hip", *(f"--offload-arch={arch}" for arch in ("gfx90a:xnack+", "gfx90a:xnack-", "gfx906"))),
            (machine, project, "a.hip", *archs, "-mllvm", "-amdgpu-early-inline-all=true"),  # in one process
            (machine, project / "sub", "../sub/../sub/dotted.hip", *archs),
            (machine, project, "link.hip", *archs),
            (machine, project, "linked/a.hip", "-I.", *archs),
            (machine, self.directory / "elsewhere", "../project/a.hip", *archs),
            (machine, project, str(deep.relative_to(project) / "deep.hip"), *archs),
            (based, project, "a.hip", *archs),
            (based, project / "sub", str(project / "sub/dotted.hip"), *archs),
        )
        self.assertGreater(sum(self.assert_as_the_compiler(*case) for case in cases), 0)


class WorkersThatDiffer(Engines):
    """Of this machine, or of what they say."""

    def start_engine(self, name="casd", **how):
        return super().start_engine(name, **how) if how else None

    def write(self, name, text):
        path = self.directory / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def liar(self, files, deed, name="casd"):
        self.engine = self.start_engine(name, mounts=[f"{self.write('sh', LIAR.format(files, deed))}:/usr/bin/dash"])

    def test_have_another_header_of_the_system(self):
        theirs = self.write("limits.h", pathlib.Path("/usr/include/limits.h").read_text() + "#define OF_THE_WORKER 1\n")
        self.engine = self.start_engine(mounts=[f"{theirs}:/usr/include/limits.h"])
        text = "#include <limits.h>\n" + KERNEL + "#ifdef OF_THE_WORKER\n__device__ int theirs;\n#endif\n"
        (self.project.directory / "a.hip").write_text(text)
        after = self.compile_until(self.client("one"), lambda counts, _: counts["not_proved"] > 0)
        self.assertEqual((after["won"], after["why_detail"]["other-content"].split()[-1]), (0, "/usr/include/limits.h"))

    def test_leave_a_trace_that_is_none(self):
        """Cut, empty, damaged, of another program, without a header that was read, or endless."""
        for number, deed in enumerate((
            'truncate -s 1000 "$file"',
            ': > "$file"',
            'printf "\\377" | dd of="$file" bs=1 seek=1 conv=notrunc status=none',
            'rm "$file"; LD_PRELOAD="$TMPDIR/libhipcache-trace.so" HIPCACHE_TRACE="$file" HIPCACHE_TRACE_CONTENTS=1 true',
            'sed -i -z "/runtime.h/d" "$file"',
            'truncate -s 30M "$file"',
        )):
            with self.subTest(deed):
                self.liar("*.trace", deed, f"casd{number}")
                after = self.compile_until(self.client(f"client{number}"), lambda counts, _: counts["not_proved"] > 0)
                self.assertEqual(after["won"], 0)
                self.engine.stop()

    def test_print_more_than_the_compiler_does(self):
        """compile_right() compares the messages: the loader's line is in none."""
        self.engine = self.start_engine(before=["env", "LD_PRELOAD=/usr/lib/hipcache-test-missing.so"])
        after = self.compile_until(self.client("one"), lambda counts, _: counts["failed"] > 0)
        self.assertEqual(after["won"], 0)
        self.assertIn("hipcache-test-missing.so", after["why_detail"]["worker-noise"])

    def test_have_another_time(self):
        for number, clock in enumerate(("-400d", "+400d", "+0 x50")):
            with self.subTest(clock):
                self.engine = self.start_engine(f"casd{number}", before=["faketime", "--exclude-monotonic", "-f", clock])
                machine = self.client(f"client{number}")
                start = time.monotonic()
                after = self.compile_until(machine, lambda counts, _: counts["won"] > 0)
                whole_ms = 1000 * (time.monotonic() - start)
                self.assertLess(max(after["execution_ms"], after["queue_ms"]), after["won"] * whole_ms)
                self.engine.stop()

    def test_make_another_object_which_an_audit_finds(self):
        self.liar("*.out", 'printf x | dd of="$file" bs=1 seek=900 conv=notrunc status=none')
        machine = self.client("one", "&audit=1")
        after = self.compile_until(machine, lambda _, after: after["differences"] > 0)
        self.assertEqual(machine.stats()["errors"], after["differences"])
        self.project.edit_header("__device__ int later;")
        counts, _ = self.compile_right(machine)
        self.assertEqual(counts["sent"], 0, "the engine is asked no more")

    def test_run_a_command_in_a_directory_that_holds_the_input_root(self):
        """As most engines do. Here the sandbox of buildbox-run does it."""
        sandboxes = self.make_directory("sandboxes")
        shutil.copy(pathlib.Path(__file__).with_name("plain_sandbox.py"), sandboxes / "bwrap").chmod(0o755)
        self.engine = self.start_engine(before=["env", f"PATH={sandboxes}:{os.environ['PATH']}"])
        self.assert_makes_the_objects_of_the_compiler(self.client("one"))
        self.assertTrue((sandboxes / "was-used").exists())

    def test_have_no_space_left(self):
        if os.geteuid() != 0:
            self.skipTest("only root mounts a small disk")
        small = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=16m tmpfs "$0" && exec "$@"', str(self.directory / "casd")]
        self.engine = self.start_engine(before=small)
        disk = f"/proc/{self.engine.process.pid}/root{self.directory}/casd"
        subprocess.run(["dd", "if=/dev/zero", f"of={disk}/full", "bs=4k", "status=none"], capture_output=True)
        after = self.compile_until(self.client("one"), lambda counts, _: counts["failed"] > 0)
        self.assertEqual(after["won"], 0)


class ExecutionByBuildGrid(Engines):
    """The engine takes long to start: the tests share it."""

    options = OPTIONS + "&property=pool:tests"

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        directory = pathlib.Path(scratch.name) / "buildgrid"
        directory.mkdir()
        cls.shared = servers.buildgrid_engine(directory)
        if cls.shared:
            cls.addClassCleanup(cls.shared.stop)

    def start_engine(self):
        self.assertIsNotNone(self.shared, "tools/test-servers installs buildgrid and buildbox-casd")
        return self.shared

    def test_makes_the_objects_of_the_compiler(self):
        (self.project.directory / "a.hip").write_text(LONG.replace("WORK", "3000"))
        self.compile_until(self.client("one"), lambda counts, _: counts["won"] > 0)  # its workers come after its port

    def test_a_pool_that_nobody_serves_costs_no_time(self):
        (self.project.directory / "a.hip").write_text(WARNED.replace("int unused; ", ""))
        self.options = self.options.replace("pool:tests", "pool:nobody")
        machine = self.client("one")
        for work in (300, 301):
            flags = ("-O1", f"-DWORK={work}")
            start = time.monotonic()
            self.project.compile(machine, THREE, flags)
            took, start = time.monotonic() - start, time.monotonic()
            expected = self.project.expected(machine, THREE, flags)
            self.assertEqual((self.project.directory / "a.o").read_bytes(), expected)
            self.assertLess(took, 10 + 5 * (time.monotonic() - start))
        executed = machine.stats()["executed"]
        self.assertEqual((executed["won"], executed["not_proved"]), (0, 0))
        self.assertEqual(executed["sent"], executed["lost"] + executed["failed"], executed)
        self.assertLessEqual(executed["why"].keys(), {"no-worker-in-time"})

    def test_a_worker_that_dies_during_an_action_costs_no_object(self):
        (self.project.directory / "a.hip").write_text(LONG)
        machine = self.client("one")
        killed = 0
        for number in range(TRIES):
            flags = ("-O1", f"-DWORK={3000 + number}")
            compiling = subprocess.Popen([machine.hipcache, *self.project.command(THREE, flags)], cwd=self.project.directory,
                                         env=machine.variables)
            while compiling.poll() is None:
                for pid in processes.below(self.shared.process.pid):
                    if processes.named(pid).startswith("buildbox-run"):
                        processes.end_all([pid])
                        killed += 1
                time.sleep(0.05)
            self.assertEqual(compiling.returncode, 0)
            made = (self.project.directory / "a.o").read_bytes()
            self.assertEqual(made, self.project.expected(machine, THREE, flags))
            if killed and machine.stats()["executed"]["failed"]:
                return
        self.fail(f"{killed} killed, {machine.stats()['executed']}")


if __name__ == "__main__":
    machines.run_tests(CLANG)
