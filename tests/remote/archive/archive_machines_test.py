"""Machines that share results through an archive: what is compiled where, with real compilers and daemons.

usage: archive_machines_test.py SOURCE_DIRECTORY BIN_DIRECTORY CLANG_VERSION [unittest arguments]
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "machines"))
from machines import Machine, Project  # noqa: E402

SOURCE, BIN = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
CLANG = f"/usr/lib/llvm-{sys.argv.pop(1)}/bin/clang++"
RUNTIME = SOURCE / "fixtures/projects/bare-hip/bare_hip.h"
TWO, THREE = ("gfx906", "gfx1030"), ("gfx906", "gfx1030", "gfx90a")
SOURCES = {"plain.cpp": "#include <vector>\nint f() { return static_cast<int>(std::vector<int>{1, 2}.size()); }\n", "plain.c": "int g(void) { return 2; }\n"}


class Archives(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)
        self.archive = str(self.directory / "results.tar.zst")
        self.project = Project(self.directory / "project", RUNTIME, CLANG)
        for name, text in SOURCES.items():
            (self.project.directory / name).write_text(text)
        self.a, self.b = self.machine("a"), self.machine("b")

    def machine(self, name, remote="", **settings):
        machine = Machine(BIN, self.directory / name, remote, **settings)
        self.addCleanup(machine.stop)
        return machine

    def build(self, machine, archs=TWO):
        """HIP, C++ by clang and C by gcc; the objects' bytes."""
        made = [self.project.compile(machine, archs)]
        for compiler, source in ((CLANG, "plain.cpp"), ("gcc", "plain.c")):
            done = machine.run([compiler, "-O1", "-c", source, "-o", "plain.o"], cwd=self.project.directory)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            made.append((self.project.directory / "plain.o").read_bytes())
        return made

    def test_a_machine_with_an_empty_store_runs_no_step(self):
        made = self.build(self.a)
        self.assertEqual(made[0], self.project.expected(self.a, TWO))
        said = self.a.option("--export", self.archive)
        self.assertRegex(said, r"^Exported \d+ results of \d+, \d+\.\d MB\n$")
        self.assertRegex(self.b.option("--import", self.archive), r"^Imported \d+ results; 0 were there already, 0 cannot be used here\n$")
        self.assertEqual(self.build(self.b), made)
        self.assertEqual(self.b.steps_run(), {})
        self.assertEqual(self.b.stats()["requests"]["hit"], 3)

    def test_a_miss_after_an_import_says_why(self):
        self.build(self.a)
        self.a.option("--export", self.archive)
        closed = str(self.directory / "closed.tar.zst")
        self.a.stop()
        self.a.variables["HIPCACHE_SHARE_HISTORY"] = "false"
        self.a.option("--export", closed)
        self.b.option("--import", self.archive)
        third = self.machine("third")
        third.option("--import", closed)
        self.project.edit_header("static int more;")
        (self.project.directory / "plain.c").write_text("int g(void) { return 3; }\n")
        for machine in (self.b, third):
            self.build(machine)
        said = self.b.option("--report", "--format", "markdown")
        self.assertIn("/runtime.h: they differ", said)
        self.assertIn("tokens of plain.c: they differ", said)
        self.assertNotIn("no compile of this output is stored", said)
        self.assertIn("no compile of this output is stored", third.option("--report", "--format", "markdown"))

    def test_an_architecture_more_runs_that_one_alone(self):
        self.build(self.a)
        self.a.option("--export", self.archive)
        self.b.option("--import", self.archive)
        self.assertEqual(self.project.compile(self.b, THREE), self.project.expected(self.b, THREE))
        ran = {name: count for name, count in self.b.steps_run().items() if name not in ("probe", "proof", "split_codegen_proof", "front", "back")}
        self.assertEqual(ran, {"device gfx90a": 1, "bundle": 1})

    def test_by_architecture_the_other_machine_has_that_device_step_only(self):
        self.build(self.a)
        self.a.option("--export", self.archive, "--arch", "gfx1030")
        self.b.option("--import", self.archive)
        self.assertEqual(self.project.compile(self.b, TWO), self.project.expected(self.b, TWO))
        ran = self.b.steps_run()
        self.assertEqual(ran.get("device gfx906"), 1)
        self.assertNotIn("device gfx1030", ran)
        self.assertNotIn("host", ran)

    def test_what_was_imported_can_be_exported_again(self):
        made = self.build(self.a)
        self.a.option("--export", self.archive)
        self.b.option("--import", self.archive)
        second = str(self.directory / "second.tar.zst")
        self.b.option("--export", second)
        third = self.machine("third")
        third.option("--import", second)
        self.assertEqual(self.build(third), made)
        self.assertEqual(third.steps_run(), {})

    def test_standard_output_and_input_are_files_too(self):
        made = self.project.compile(self.a, TWO)
        bytes_out = subprocess.run([self.a.hipcache, "--export", "-"], env=self.a.variables, capture_output=True, check=True)
        self.assertRegex(bytes_out.stderr.decode(), r"^Exported \d+ results of \d+")
        subprocess.run([self.b.hipcache, "--import", "-"], env=self.b.variables, input=bytes_out.stdout, capture_output=True, check=True)
        self.assertEqual(self.project.compile(self.b, TWO), made)
        self.assertEqual(self.b.steps_run(), {})

    def test_only_what_was_used_since_then(self):
        self.build(self.a)
        self.assertRegex(self.a.option("--export", self.archive, "--newer-than", "0s"), r"^Exported \d+ results? of \d+")
        self.assertRegex(self.a.option("--export", self.archive, "--newer-than", "1h"), r"^Exported ([1-9]\d*) results of \1,")

    def test_a_size_limit_is_kept_and_said(self):
        self.build(self.a)
        self.a.option("--export", self.archive)
        whole = pathlib.Path(self.archive).stat().st_size
        said = self.a.option("--export", self.archive, "--max-size", str(whole // 2))
        self.assertIn("; the size limit left out others\n", said)
        self.assertLessEqual(pathlib.Path(self.archive).stat().st_size, whole // 2)
        self.b.option("--import", self.archive)
        self.build(self.b)

    def test_an_unpacked_archive_is_a_shared_cache(self):
        if not shutil.which("zstd"):
            self.skipTest("zstd is not installed, so tar cannot read the archive")
        made = self.build(self.a)
        self.a.option("--export", self.archive)
        listing = subprocess.run(["tar", "--zstd", "-tf", self.archive], capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual((listing[0], listing[-1]), ("hipcache-archive", "hipcache-archive-end"))
        self.assertTrue(all(name.startswith("v1/") for name in listing[1:-1]))
        shared = self.directory / "shared"
        shared.mkdir()
        subprocess.run(["tar", "--zstd", "-xf", self.archive, "-C", str(shared)], check=True)
        third = self.machine("third", f"file://{shared}")
        self.assertEqual(self.build(third), made)
        self.assertEqual(third.steps_run(), {})

    def test_builds_go_on_beside_exports_and_imports(self):
        made = self.build(self.a)
        self.a.option("--export", self.archive)
        problems = []

        def transfer(machine, *words):
            for _ in range(5):
                done = machine.run(words)
                if done.returncode != 0:
                    problems.append(done.stderr)

        transfers = [
            threading.Thread(target=transfer, args=(self.a, "--export", str(self.directory / "other.tar.zst"))),
            threading.Thread(target=transfer, args=(self.a, "--import", self.archive)),
        ]
        for thread in transfers:
            thread.start()
        for level in ("-O0", "-O2"):
            self.project.compile(self.a, TWO, (level,))
        for thread in transfers:
            thread.join()
        self.assertEqual(problems, [])
        self.assertEqual(self.build(self.a), made)

    def assert_one_line(self, done, part):
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertTrue(done.stderr.startswith("hipcache: error: ") and done.stderr.count("\n") == 1, done.stderr)
        self.assertIn(part, done.stderr)

    def test_trouble_is_one_line_and_leaves_the_file_that_was_there(self):
        self.build(self.a)
        self.a.option("--export", self.archive)
        good = pathlib.Path(self.archive).read_bytes()
        self.assert_one_line(self.a.run(["--export", str(self.directory / "missing/results")]), "cannot write")
        self.assert_one_line(self.b.run(["--import", str(self.directory / "missing")]), "No such file")
        cut = self.directory / "cut"
        cut.write_bytes(good[: len(good) // 2])
        self.assert_one_line(self.b.run(["--import", str(cut)]), f"cannot import {cut}: it is damaged")
        foreign = self.directory / "foreign"
        foreign.write_text("hello")
        self.assert_one_line(self.b.run(["--import", str(foreign)]), "no archive of hipcache")
        self.assertEqual(pathlib.Path(self.archive).read_bytes(), good)
        self.assertEqual([path.name for path in self.directory.glob("*.part-*")], [])
        self.assertEqual(self.build(self.b), self.build(self.a))
        self.assertEqual(self.machine("reader", readonly="1").run(["--import", self.archive]).returncode, 1)

    def key(self, name):
        """A signing key: its path and its public key."""
        path = self.directory / f"{name}.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", path], check=True)
        path.chmod(0o600)
        shown = subprocess.run([BIN / "hipcache", "--public-key", path], check=True, capture_output=True, text=True)
        return path, shown.stdout.strip()

    def test_only_what_a_trusted_key_signed_is_taken(self):
        (path, public), (_, other) = self.key("ours"), self.key("theirs")
        signer = self.machine("signer", trusted_keys=public, signing_key=path)
        made = self.build(signer)
        signer.option("--export", self.archive)
        trusting = self.machine("trusting", trusted_keys=public)
        said = trusting.option("--import", self.archive)
        self.assertRegex(said, r"^Imported [1-9]\d* results; 0 were there already, 0 cannot be used here\n$")
        self.assertEqual(self.build(trusting), made)
        self.assertEqual(trusting.steps_run(), {})
        distrusting = self.machine("distrusting", trusted_keys=other)
        said = distrusting.option("--import", self.archive)
        self.assertRegex(said, r"^Imported 0 results; .*, [1-9]\d* are not signed by a key of trusted_keys\n$")
        self.assertEqual(self.build(distrusting), made)
        self.assertEqual(distrusting.stats()["requests"]["hit"], 0)

    def test_what_nobody_signed_is_not_taken_where_keys_are_trusted_and_not_signed_later(self):
        path, public = self.key("ours")
        made = self.build(self.a)
        self.a.option("--export", self.archive)
        signer = self.machine("signer", trusted_keys=public, signing_key=path)
        said = signer.option("--import", self.archive)
        self.assertRegex(said, r"^Imported 0 results; .*, [1-9]\d* are not signed\n$")
        self.assertRegex(signer.option("--export", self.archive), r"^Exported 0 results of 0,")
        self.assertEqual(self.build(signer), made)
        self.assertEqual(signer.stats()["requests"]["hit"], 0)

    def test_settings_that_forbid_are_named_in_one_line(self):
        path, public = self.key("ours")
        self.build(self.a)
        self.a.option("--export", self.archive)
        before = pathlib.Path(self.archive).read_bytes()
        reader = self.machine("reader", trusted_keys=public)
        self.assert_one_line(reader.run(["--export", self.archive]), "trusted_keys is set and signing_key is not")
        self.assertEqual(pathlib.Path(self.archive).read_bytes(), before)
        alone = self.machine("alone", signing_key=path)
        self.assert_one_line(alone.run(["--import", self.archive]), "signing_key is set and trusted_keys is empty")
        unusable = self.machine("unusable", trusted_keys=public, signing_key=self.directory / "missing.pem")
        self.assert_one_line(unusable.run(["--export", self.archive]), "signing_key: cannot read its file")

    def test_a_rate_below_the_limit_fails_the_job_and_shows_the_statistics(self):
        self.assert_fails(self.a.run(["--show-stats", "--fail-under", "0"]), "nothing was looked up")
        self.project.compile(self.a, TWO)
        self.assert_fails(self.a.run(["--show-stats", "--fail-under", "60"]), "the hit rate is 0.0 %, less than 60 %: 0 of 3 steps")
        self.project.compile(self.a, TWO)
        self.assert_fails(self.a.run(["--show-stats", "--fail-under", "60"]), "50.0 %")
        self.assertIn("**50.0 %** came from the cache: 3 of 6 steps", self.a.option("--show-stats", "--format", "markdown", "--fail-under", "50"))
        self.a.option("--zero-stats")
        self.project.compile(self.a, TWO)
        self.a.option("--show-stats", "--fail-under", "100")

    def assert_fails(self, done, part):
        self.assertEqual(done.returncode, 1)
        self.assertIn("Compile requests", done.stdout)
        self.assertIn(part, done.stderr)


if __name__ == "__main__":
    if not pathlib.Path(CLANG).exists():
        print(f"skipped: {CLANG} is not installed")
        sys.exit(77)
    unittest.main(verbosity=2)
