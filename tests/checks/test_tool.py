"""Checks which tests a run of tools/test takes.

usage: test_tool.py ROOT
"""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
sys.path[:0] = [str(ROOT / "tools/test.d")]

import selection  # noqa: E402
import stages  # noqa: E402


def tests():
    """Those of two compilers, without the compiler, and of every label."""
    names = [f"Compilers/Group.Case{number}/Clang{version}" for number in range(50) for version in (15, 19)]
    found = [selection.Test(number, name, frozenset({"integration"}), True) for number, name in enumerate(names, 1)]
    more = ("unit", "threads", "compiler", "release", "check")
    return found + [selection.Test(len(found) + n, f"{label}_test", frozenset({label}), True) for n, label in enumerate(more, 1)]


class Tool(unittest.TestCase):
    def test_a_release_runs_each_test_in_one_tree_once(self):
        chosen = [stage.chosen(tests(), 1) for stage in (stages.ADDRESS, stages.NEWER, stages.OLDER)]
        numbers = sorted(test.number for stage in chosen for test in stage)
        self.assertEqual(numbers, [test.number for test in tests()])
        self.assertTrue({stages.ADDRESS, stages.NEWER, stages.OLDER} <= set(stages.stages_of("release", 1)))

    def test_in_part_run_the_older_compilers_tests_and_other_systems_alone(self):
        for seed in (1, 2):
            left = set(stages.stages_of("release", seed)) - set(stages.stages_of("all", seed))
            self.assertEqual(left, {stages.OLDER, stages.WRAPPED, stages.ELSEWHERE[(seed + 1) % 2]})

    def test_the_seed_draws_some_of_the_older_compilers_tests(self):
        labelled = [*stages.OLDER.chosen(tests(), 1), selection.Test(999, "Clang15", frozenset({"compiler"}), True)]
        first, again, other = (selection.drawn(labelled, 5, seed) for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertTrue(len(labelled) / 5 <= len(first) <= len(labelled) / 4)
        self.assertIn(labelled[-1], first)

    def test_a_share_has_the_newer_compilers_alone(self):
        chosen = stages.SOME.chosen(tests(), 1)
        self.assertTrue(0 < len(chosen) < len(tests()) / 2)
        self.assertFalse(any("Clang15" in test.name for test in chosen))


if __name__ == "__main__":
    unittest.main()
