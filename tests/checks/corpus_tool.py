"""Checks tools/corpus: how it reads tests of compilers, that a seed repeats its edits, and that it finds a stale result.

usage: corpus_tool.py ROOT
"""

import os
import pathlib
import random
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
sys.path[:0] = [str(ROOT / "tools/corpus.d"), str(ROOT / "tools/shared.d")]

import edits  # noqa: E402
import main  # noqa: E402
import suites  # noqa: E402
import trial  # noqa: E402
from instance import Instance  # noqa: E402
from process import run  # noqa: E402

ODD = ('#define A(x) #x\nconst char* a = A( b  c ) "/* no */" R"x(" // \n)x";\nint i = 1\'000 + __LINE__; '
       "// \\\n more\n"
       "/* a\n b */ int j = i+++i;\n#if 0\n'\n#endif\n\xc3\xa9\f\0 x")
SIMPLE = "// RUN: %clang_cc1 -triple x86_64-linux-gnu -fsyntax-only -verify %s\nint f(int a) { return a + 1; }\n"
# Each takes the place of hipcache: the first does as told, the second gives its first object for ever.
HONEST = '#!/bin/sh\nexec "$@"\n'
STALE = """#!/bin/sh
[ -e "$HIPCACHE_DIR/o" ] || { "$@" || exit; cp out.o "$HIPCACHE_DIR/o"; exit; }
"$@"; code=$?
[ ! -e out.o ] || cp "$HIPCACHE_DIR/o" out.o
exit $code
"""


class Edits(unittest.TestCase):
    def test_tokens_are_the_text(self):
        self.assertEqual("".join(edits.tokens_of(ODD)), ODD)

    def test_a_comment_within_a_string_is_no_token(self):
        tokens = edits.tokens_of(ODD)
        self.assertIn('"/* no */"', tokens)
        self.assertIn('R"x(" // \n)x"', tokens)
        self.assertIn("1'000", tokens)
        self.assertIn("// \\\n more", tokens)

    def test_a_seed_makes_one_edit(self):
        tokens, groups = edits.tokens_of(ODD), [("-O2",), ("-DX=1",), ("-x", "c++")]
        for kind, edit in {**edits.TEXT, **edits.NEIGHBOURS}.items():
            self.assertEqual(edit(random.Random(3), tokens), edit(random.Random(3), tokens), kind)
        for kind, edit in {**edits.COMMAND, **edits.COMMAND_NEIGHBOURS}.items():
            self.assertEqual(edit(random.Random(3), groups, tokens), edit(random.Random(3), groups, tokens), kind)


class Trials(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.addCleanup(os.chdir, ROOT)
        self.place = pathlib.Path(scratch.name)
        suites.PLACE = self.place / "corpus"

    def suite(self, compiler, files):
        suite = suites.Suite(compiler, "package")
        for name, text in files.items():
            path = suite.directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="latin-1")
        return suite

    def test_run_lines_of_clang_become_commands_of_the_driver(self):
        run_line = ("// RUN: mkdir %t\n// RUN: %clang_cc1 -triple i386-linux -verify -std=c++17 -I %S/Inputs \\\n"
                    "// RUN:   -fsyntax-only -DA='b c' -target-cpu x -o %t -emit-llvm %s | FileCheck %s\n"
                    '#include "h.h"\n')
        inputs = {"Sema/Inputs/h.h": '#include "i.h"\n', "Sema/Inputs/i.h": "", "Sema/Inputs/b.c": ""}
        suite = self.suite("clang-19", {"Sema/a.cpp": run_line, **inputs})
        unit = suite.unit("Sema/a.cpp")
        self.assertEqual((suite.files(), unit.program, unit.source), (["Sema/a.cpp"], "clang++-19", "a.cpp"))
        self.assertEqual(unit.groups, [("--target=i386-linux",), ("-std=c++17",), ("-I", "Inputs"), ("-DA=b c",),
                                       ("-Xclang", "-target-cpu", "-Xclang", "x")])
        self.assertEqual(sorted(unit.files), ["Inputs/h.h", "Inputs/i.h", "a.cpp"])

    def test_kernels_are_compiled_as_hip(self):
        run_line = "// RUN: %clang_cc1 -triple nvptx -fcuda-is-device -x cuda %s\n"
        unit = self.suite("clang-19", {"SemaCUDA/a.cu": run_line}).unit("SemaCUDA/a.cu")
        self.assertEqual(unit.groups, list(suites.AS_HIP))

    def test_options_of_gcc_are_those_of_its_test_or_the_usual_ones(self):
        asked = '/* { dg-options "-O2 -Wall" } */\n/* { dg-additional-options "-m32" { target x } } */\n'
        suite = self.suite("gcc-12", {"gcc.dg/a.c": asked, "g++.dg/b.C": ""})
        self.assertEqual(suite.unit("gcc.dg/a.c").groups, [("-O2",), ("-Wall",)])
        usual = [("-pedantic-errors",), ("-Wno-long-long",)]
        self.assertEqual(suite.unit("g++.dg/b.C"), suites.Unit("g++-12", "b.C", {"b.C": ""}, usual))

    def tried(self, launcher, text, last=None):
        stub = self.place / "hipcache"
        stub.write_text(launcher)
        stub.chmod(0o755)
        (self.place / "cache").mkdir()
        (self.place / "work").mkdir()
        hipcache = Instance(stub, self.place / "cache", {"PATH": os.environ["PATH"], "LC_ALL": "C"})
        suite = self.suite("clang-19", {"Sema/a.c": text})
        return trial.try_file(suite, "Sema/a.c", 1, hipcache, trial.Runner(), self.place / "work", last)

    def test_each_edit_is_asked_for_and_an_honest_launcher_has_no_differences(self):
        report = self.tried(HONEST, SIMPLE)
        self.assertEqual((report.state, report.findings), (trial.COMPILES, []))
        self.assertGreater(len(report.asked), trial.MANY)
        self.assertLessEqual(len(report.asked), 1 + 4 * trial.MANY)
        self.assertTrue(any(stayed for _, stayed in report.asked[1:]))
        self.assertFalse(all(stayed for _, stayed in report.asked[1:]))

    def test_a_stale_object_is_a_finding_that_can_be_repeated(self):
        report = self.tried(STALE, SIMPLE)
        self.assertTrue(report.findings)
        finding = report.findings[0]
        self.assertIn("out.o is another one", " ".join(finding.told))
        trial.keep(self.place / "kept", finding, "repeat")
        (self.place / "cache/o").unlink()
        again = run([self.place / "kept/run.sh", self.place], os.environ)
        self.assertEqual(again.code, 1, again.err)

    def test_lines_with_errors_are_removed(self):
        report = self.tried(HONEST, SIMPLE + "int g() { return nothing; }\n", last=0)
        self.assertEqual(report.state, trial.MENDED)

    def test_what_does_not_compile_is_tried_less(self):
        report = self.tried(HONEST, SIMPLE.replace("-verify", "-include missing.h"))
        self.assertEqual((report.state, report.findings), (trial.FAILS, []))
        self.assertLessEqual(len(report.asked), 1 + 4 * trial.FEW)

    def test_hits_are_counted_by_kind_and_files_without_any_are_strict(self):
        asked = [("none", True), ("comment", True), ("CRLF", False), (None, False), ("number", True)]
        reports = [trial.Report("clang-19", name, f"/{name}", trial.COMPILES, asked) for name in "ab"]
        said = {"/a": ["miss", "hit", "miss", "hit", "miss"], "/b": ["miss", "miss", "hit", "hit", "hit"]}
        kinds, strict = main.tallied(reports, said)
        self.assertEqual((kinds["comment"], kinds["CRLF"], kinds["number"]), ([2, 2, 1], [2, 0, 0], [2, 2, 1]))
        self.assertEqual(strict["clang-19"], 1)


if __name__ == "__main__":
    unittest.main()
