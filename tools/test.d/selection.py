"""Which tests of a build tree a run takes.

A test's labels say where it belongs (cmake/HipcacheTargets.cmake). A run without --all takes those of the newer
compiler, and of the longest groups a share. The share is fixed: it depends on a test's name alone, so a test is in it
on every machine, and
another test that comes or goes does not move it.
"""

import dataclasses
import json
import random
import re
import subprocess
import zlib

OLDER_COMPILER = re.compile(r"clang(\+\+)?[-_]?15", re.IGNORECASE)


@dataclasses.dataclass(frozen=True)
class Test:
    number: int  # ctest's
    name: str
    labels: frozenset
    built: bool


def tests_of(tree):
    """Those that the build tree knows."""
    shown = subprocess.run(["ctest", "--test-dir", tree, "--show-only=json-v1"], check=True, capture_output=True,
                           text=True)
    tests = []
    for number, test in enumerate(json.loads(shown.stdout)["tests"], 1):
        labels = next((each["value"] for each in test.get("properties", []) if each["name"] == "LABELS"), [])
        tests.append(Test(number, test["name"], frozenset(labels), "command" in test))
    return tests


def in_share(name, of):
    """Whether the test is in the share: one of every `of`. A parameter that stands behind its name does not count."""
    return zlib.crc32(name.split("  #")[0].encode()) % of == 0


def labelled(tests, labels):
    return [test for test in tests if test.labels & labels]


def with_newer_compilers(tests):
    return [test for test in tests if not OLDER_COMPILER.search(test.name)]


def with_older_compiler(tests):
    return [test for test in tests if OLDER_COMPILER.search(test.name)]


def share(tests, of):
    """The tests without the older compiler and clang-tidy, and of those that start compilers through the cache one of
    every `of`."""
    return [
        test
        for test in with_newer_compilers(tests)
        if "tidy" not in test.labels and ("integration" not in test.labels or in_share(test.name, of))
    ]


def drawn(tests, of, seed):
    """Golden plans and tables of commands (the label compiler), and of the others one of every `of`, chosen by the seed."""
    others = [test for test in tests if "compiler" not in test.labels]
    chosen = set(random.Random(seed).sample(others, -(-len(others) // of)))
    return [test for test in tests if test in chosen or "compiler" in test.labels]


def numbers(tests):
    """ctest's -I argument for exactly these tests."""
    return "0,0,0," + ",".join(str(test.number) for test in tests)
