"""Checks the logic of tools/test-toolchains that needs no tree: what it counts, expects, finds different, and writes down.

usage: toolchains_tool.py ROOT
"""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
sys.path[:0] = [str(ROOT / "tools/test-toolchains.d"), str(ROOT / "tools/shared.d")]

import bare_project  # noqa: E402
import cases  # noqa: E402
import command_lines  # noqa: E402
import oracle  # noqa: E402
import report  # noqa: E402
import reporting  # noqa: E402
import suites  # noqa: E402
import tree  # noqa: E402
from cache import Counts  # noqa: E402
from cases import Ran, Steps  # noqa: E402

TOOLCHAINS = [toolchain for suite in suites.SUITES for toolchain in suite.toolchains]
CLANG_21, CLANG_23 = (next(one for one in TOOLCHAINS if one.title == f"clang {version}") for version in (21, 23))


def built(compiles, link=Counts()):
    return bare_project.Built(compiles, link, (), {})


def row(ran, expected, differences=()):
    ok = ran == expected and not differences
    case = {"case": "cold", "ran": ran, "expected": expected, "ok": ok, "differences": list(differences)}
    others = [{**case, "case": one.name, "ran": "0", "expected": "0", "ok": True, "differences": []} for one in cases.CASES[1:]]
    return {"compiler": "clang 23", "version": "clang 23.1", "driver": "new", "default": "new", "compile": [case, *others]}


class Tool(unittest.TestCase):
    def test_a_spared_back_end_does_not_count(self):
        ran = Ran.of(built(Counts(device=2, front=2, spared=1, host=1)), CLANG_21, suites.OLD, False)
        self.assertEqual(ran.compiles, Steps(front=2, back=1, host=1))

    def test_where_the_wrapper_makes_the_code_a_device_step_is_a_back_end(self):
        ran = Ran.of(built(Counts(device=1, front=2, host=1)), CLANG_23, suites.NEW, False)
        self.assertEqual(ran.compiles, Steps(front=2, back=1, host=1))

    def test_relocatable_code_has_its_back_ends_in_the_link(self):
        ran = Ran.of(built(Counts(device=4, host=2), Counts(device=2, link=1)), CLANG_21, suites.OLD, True)
        self.assertEqual((ran.compiles, ran.link), (Steps(front=4, host=2), Steps(back=2, link=1)))

    def test_what_is_passed_through_or_not_stored_is_not_expected(self):
        expected = cases.expected(CLANG_21, suites.OLD, False, "warm")
        for counts in (Counts(passed=1), Counts(errors=1), Counts(not_stored=("input-changed",))):
            self.assertNotEqual(Ran.of(built(counts), CLANG_21, suites.OLD, False), expected)
        self.assertEqual(Ran.of(built(Counts(hits=2)), CLANG_21, suites.OLD, False), expected)

    def test_every_compiler_driver_and_case_has_an_expectation(self):
        for toolchain in TOOLCHAINS:
            for driver in suites.DRIVER_FLAGS:
                for case in cases.CASES:
                    compiles = cases.expected(toolchain, driver, False, case.name).compiles
                    self.assertIsNotNone(cases.expected(toolchain, driver, True, case.name).link)
                    if toolchain.splits(driver) and case.archs != cases.BASE:
                        self.assertEqual(compiles.host, 0, f"{toolchain.title}, {driver}: {case.title}")

    def test_every_edit_is_one_of_the_fixture(self):
        for name, before, after in bare_project.EDITS.values():
            text = (ROOT / "fixtures/projects/bare-hip" / name).read_text()
            self.assertEqual(text.count(before), 1)
            self.assertNotIn(after, text)
        self.assertLessEqual({case.edit for case in cases.CASES}, {"", "library", *bare_project.EDITS})

    def test_the_table_of_command_lines_is_read(self):
        lines = list(command_lines.read(ROOT / "fixtures/commands"))
        self.assertGreater(len(lines), 100)
        self.assertGreater(sum(line.planned for line in lines), 50)
        self.assertEqual({line.run.split()[0] for line in lines}, {"hip"})

    def test_files_differ_by_absence_mode_and_bytes(self):
        real = {"a.o": (0o644, b"1"), "b.o": (0o644, b"1"), "c.o": (0o644, b"1"), "d.o": (0o644, b"1")}
        mine = {"a.o": (0o644, b"1"), "b.o": (0o644, b"2"), "c.o": (0o755, b"1"), "e.o": (0o644, b"1")}
        told = [
            "b.o is another one: mode 644, 1 bytes; the compiler's: mode 644, 1 bytes",
            "c.o is another one: mode 755, 1 bytes; the compiler's: mode 644, 1 bytes",
            "d.o is missing",
            "e.o is left, which the compiler does not leave",
        ]
        self.assertEqual(list(oracle.file_differences(mine, real)), told)
        self.assertEqual(list(oracle.file_differences(mine, real, random=("b.o",))), told[1:])

    def test_files_are_brought_back_as_they_were(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory)
            (path / "kept").write_text("1")
            (path / "changed").write_text("1")
            (path / "link").symlink_to("kept")
            before = tree.files_in(path)
            (path / "changed").write_text("2")
            (path / "new").write_text("1")
            (path / "link").unlink()
            self.assertEqual(set(tree.changes(before, tree.files_in(path))), {"changed", "link", "new"})
            tree.restore(path, before)
            self.assertEqual(tree.files_in(path), before)

    def test_an_id_goes_to_the_frontends_where_the_driver_ignores_it(self):
        self.assertEqual(oracle.with_id(["clang++", "-c"], "1", False), ["clang++", "-cuid=1", "-c"])
        self.assertEqual(oracle.with_id(["clang++", "-c"], "1", True), ["clang++", "-Xclang", "-cuid=1", "-c"])
        self.assertEqual(oracle.with_id(["clang++", "-c"], "", True), ["clang++", "-c"])

    def test_what_differs_is_a_problem_and_stands_out(self):
        good, counted, wrong = row("4F", "4F"), row("4F", "2F"), row("4F", "4F", ["a.o is another one"])
        self.assertEqual(list(report.problems([good])), [])
        self.assertNotIn("**", report.markdown("today", {"sid": "then"}, [good]))
        for bad in (counted, wrong):
            self.assertEqual(len(list(report.problems([bad]))), 1)
            self.assertIn("**", report.markdown("today", {"sid": "then"}, [bad]))

    def test_a_document_changes_between_its_marks_alone(self):
        first, last = reporting.marks("tools/x")
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "page.md"
            path.write_text(f"before\n{first}\nold\n{last}\nafter\n")
            reporting.put_into(path, "tools/x", "new")
            self.assertEqual(path.read_text(), f"before\n{first}\nnew\n{last}\nafter\n")
            with self.assertRaises(SystemExit):
                reporting.put_into(path, "tools/y", "new")
            self.assertIn("new", path.read_text())


if __name__ == "__main__":
    unittest.main()
