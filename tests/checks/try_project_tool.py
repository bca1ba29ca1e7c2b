"""Checks the logic of tools/try-project that needs no compiler: recipes, generated headers, edits, and what failed.

usage: try_project_tool.py ROOT
"""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
sys.path[:0] = [str(ROOT / f"tools/{name}.d") for name in ("try-project", "bench", "shared")]

import checkout_edits as edits  # noqa: E402
import recipe as recipes  # noqa: E402
import survey  # noqa: E402
from checkout import Project  # noqa: E402
from launchers import Plain  # noqa: E402
from process import Failed  # noqa: E402
from trial import COLD, PHASES, Trial  # noqa: E402

RECIPE = """
origin = "https://example.org"
revision = "1"
units = ["src/*.hip"]
skip = ["src/b.hip"]
needs = ["other"]
flags = ["-I{source}/include", "-I{other}/include", "-I{build}/more"]
[generated]
"x.h" = "#define X"
[[configured]]
header = "sub/config.h"
from = "{other}/config.in"
values = { VERSION = "7" }
"""
CONFIGURED = "#define WITH_A\n/* #undef WITH_B */\n#define VERSION 7\n"


class Tool(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)
        self.write("recipe.toml", RECIPE)
        self.write("other/config.in", "#define VERSION @VERSION@\n")
        for unit in ("a", "b", "c d"):
            self.write(f"source/src/{unit}.hip", "int i;\n")

    def write(self, name, text):
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def read(self):
        return recipes.read(self.directory / "recipe.toml")

    def project(self):
        recipe, source = self.read(), self.directory / "source"
        places = {"other": self.directory / "other"}
        return Project(recipe, source, recipe.units_in(source), places, "19", ["gfx906"], ["gfx90a"], 2)

    def test_every_recipe_of_the_tool_is_read(self):
        names = [path.stem for path in recipes.RECIPES.glob("*.toml")]
        self.assertGreater(len(names), 3)
        for name in names:
            self.assertEqual(recipes.read(name).name, name)

    def test_a_recipe_with_an_unknown_key_or_without_units_is_refused(self):
        for text in (f'unit = ["x"]{RECIPE}', RECIPE.replace("units = ", "skips = ")):
            with self.assertRaises(Failed):
                recipes.read(self.write("wrong.toml", text))

    def test_units_are_those_that_match_and_are_not_skipped(self):
        self.assertEqual([str(unit) for unit in self.project().units], ["src/a.hip", "src/c d.hip"])

    def test_a_pattern_without_a_match_is_an_error(self):
        self.write("recipe.toml", RECIPE.replace("b.hip", "gone.hip"))
        with self.assertRaisesRegex(Failed, "gone.hip"):
            self.project()

    def test_every_project_that_is_needed_has_to_be_given(self):
        self.read().check_needs({"other": "/o"})
        for places in ({}, {"other": "/o", "third": "/t"}):
            with self.assertRaisesRegex(Failed, "--with other="):
                self.read().check_needs(places)

    def test_a_template_becomes_what_cmake_makes_of_it(self):
        template = "#cmakedefine WITH_A\n#cmakedefine WITH_B\n#define VERSION @VERSION@\n"
        self.assertEqual(recipes.configured(template, {"WITH_A": "1", "VERSION": "7"}), CONFIGURED)
        with self.assertRaisesRegex(Failed, "@VERSION@"):
            recipes.configured(template, {})

    def test_a_build_directory_has_the_generated_headers_and_a_rule_for_each_unit(self):
        build = self.project().checkout(self.directory / "first").build("build", ["gfx906", "gfx1030"])
        build.configure(Plain(), {pathlib.Path("src/a.hip"): "1a2b"})
        self.assertEqual((build.directory / "include/x.h").read_text(), "#define X")
        self.assertEqual((build.directory / "include/sub/config.h").read_text(), "#define VERSION 7\n")
        rules = (build.directory / "plain.ninja").read_text()
        self.assertIn("build objects/src/c$ d.hip.o: hip ", rules)
        self.assertEqual(rules.count("-cuid=1a2b "), 1)
        command = build.command(pathlib.Path("src/a.hip"))
        for word in (f"-I{build.directory}/include", f"-I{build.directory}/more", f"-I{self.directory}/first/include", "--offload-arch=gfx1030"):
            self.assertIn(word, command)

    def test_edits_change_the_copy_and_another_checkout_has_them(self):
        first = self.project().checkout(self.directory / "first")
        first.build("build", ["gfx906"])
        first.edit(edits.comment_units)
        first.edit(edits.add_host_code)
        second = first.copy(self.directory / "second")
        text = (second.directory / "src/a.hip").read_text()
        self.assertRegex(text, r"^//.*1\.\nint i;\n\nint \w+\(\) \{ return 2; \}\n$")
        self.assertEqual((self.directory / "source/src/a.hip").read_text(), "int i;\n")
        self.assertEqual([path.name for path in second.directory.iterdir()], ["src"])

    def states(self, chosen=PHASES):
        """Each phase's name, its build, and the sources as they are then. The units' depfiles name one header twice, another once."""
        self.write("source/src/a.h", "// Copyright (c) 2019 A\nint a( );\n")
        self.write("source/src/b.h", "int b;\n")
        trial = Trial(self.project(), (Plain(), Plain()), None, self.directory, False)
        for phase, build in trial._states(chosen):
            build.clean()
            for unit, headers in (("a", "../src/b.h"), ("c d", "../src/b.h \\\n  ../src/a.h")):
                (build.directory / f"objects/src/{unit}.hip.o.d").write_text(f"x.o: /usr/include/stdio.h {headers}\n")
            texts = {name: (build.checkout / f"src/{name}").read_text() for name in ("a.hip", "c d.hip", "a.h", "b.h")}
            yield phase, build, texts

    def test_phases_come_in_order_each_with_its_own_state(self):
        states = list(self.states())
        self.assertEqual([phase for phase, *_ in states], list(PHASES))
        self.assertEqual([phase for phase, build, _ in states if build.archs != ["gfx906"]], ["arch added"])
        self.assertEqual(len({build.directory for _, build, _ in states}), 3)
        changed = {}
        for (_, build, before), (phase, later, after) in zip(states, states[1:]):
            changed[phase] = [name for name in after if before[name] != after[name]] + ["commit"] * (build.commit != later.commit)
        units = ["a.hip", "c d.hip"]
        self.assertEqual(
            {phase: names for phase, names in changed.items() if names},
            {"commit id": ["commit"], "licence year": ["a.h"], "header documented": ["b.h"], "formatted": ["a.h"]}
            | {"comment added, first": units, "comment added, later": units, "host edit": units},
        )
        last = states[-1][2]
        self.assertRegex(last["a.h"], r"^// Copyright \(c\) 3\d19 A\nint a\(\);\n$")
        self.assertRegex(last["b.h"], r"^// Edited.*\nint b;\n$")

    def test_edits_that_are_not_chosen_are_not_made(self):
        states = list(self.states({"cold", "comment added, later", "second checkout"}))
        self.assertEqual(
            [phase for phase, *_ in states],
            ["cold", "warm", "arch added", "comment added, first", "comment added, later", "second directory", "second checkout"],
        )
        self.assertEqual(states[0][2]["b.h"], states[-1][2]["b.h"])

    def test_a_project_without_headers_of_its_own_is_told(self):
        first = self.project().checkout(self.directory / "first")
        build = first.build("build", ["gfx906"])
        build.clean()
        for unit in build.project.units:
            (build.directory / f"{build.output(unit)}.d").write_text("x.o: /usr/include/stdio.h\n")
        with self.assertRaisesRegex(Failed, "no unit includes"):
            edits.most_included(first)

    def test_outputs_that_are_missing_or_others_are_not_the_compilers(self):
        trial = Trial(self.project(), (Plain(), Plain()), None, self.directory, False)
        trial.digests = {"a": ("1", "2"), "b": ("1", "2"), "c": (None, None)}
        trial._compare(COLD, {"a": ("1", "2"), "b": ("1", "3"), "c": (None, None)})
        self.assertEqual((trial.compared[COLD], trial.differing[COLD]), (3, {"b", "c"}))

    def test_the_first_error_of_each_unit_is_told(self):
        printed = (
            "[1/3] clang++ a\nFAILED: objects/src/a.hip.o \nclang++ a\nx.h:1:2: error: first\nx.h:2:2: error: second\n"
            "[2/3] clang++ b\nb.hip:1:1: warning: no error: here\n"
            "[3/3] clang++ c\nFAILED: [code=1] objects/src/c.hip.o \nclang++ c\nc.hip:1:1: fatal error: 'c.h' file not found\n"
        )
        self.assertEqual(survey.first_errors(printed), {"src/a.hip": "first", "src/c.hip": "'c.h' file not found"})


if __name__ == "__main__":
    unittest.main()
