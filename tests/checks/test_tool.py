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
    def test_all_runs_each_test_in_one_tree_once(self):
        chosen = [stage.chosen(tests()) for stage in (stages.ADDRESS, stages.NEWER, stages.OLDER)]
        numbers = sorted(test.number for stage in chosen for test in stage)
        self.assertEqual(numbers, [test.number for test in tests()])

    def test_only_the_older_compiler_may_be_left_out(self):
        cut = [stage for stage in stages.STAGES["all"] if not stage.whole]
        self.assertEqual(cut, [stages.OLDER])
        self.assertTrue(all("15" in test.name for test in stages.OLDER.chosen(tests())))

    def test_as_many_run_as_there_is_time_for(self):
        for seconds, count in ((-1, 0), (0, 0), (9.5, 4), (1000, 105)):
            self.assertEqual(len(selection.fitting(tests(), seconds, 2, seed=1)), count)

    def test_the_seed_chooses_what_runs(self):
        first, again, other = (selection.fitting(tests(), 20, 1, seed) for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)

    def test_a_share_has_the_newer_compilers_alone(self):
        chosen = stages.SOME.chosen(tests())
        self.assertTrue(0 < len(chosen) < len(tests()) / 2)
        self.assertFalse(any("Clang15" in test.name for test in chosen))


if __name__ == "__main__":
    unittest.main()
