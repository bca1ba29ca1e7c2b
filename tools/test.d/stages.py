"""The stages of a run: which build tree, what is built there, which of its tests run."""

import dataclasses
import typing

import selection

SHARE = 5  # without --all, one of so many tests that start compilers through the cache runs

SANITIZED = frozenset({"unit", "threads"})
# The sanitizers do not watch the compilers that these start.
RELEASED = frozenset({"integration", "compiler", "release", "check"})
QUICK = ("MainJob.", "Compilers/MainJob.", "Compilers/Shapes.")


@dataclasses.dataclass(frozen=True)
class Stage:
    preset: str
    heading: str
    targets: tuple
    chosen: typing.Callable  # of all tests of the tree, and by the seed, those to run
    environment: tuple = ()


@dataclasses.dataclass(frozen=True)
class Script:
    """A stage without a build tree here. The script ends with SKIPPED where it cannot run, after a line with the
    reason."""

    heading: str
    command: tuple


SKIPPED = 77

PROGRAMS = ("hipcache", "hipcached", "hipcache-trace")


def quick(tests, _):
    labelled = selection.labelled(tests, SANITIZED | {"check", "integration"})
    return [
        test
        for test in selection.share(labelled, 1)
        if "integration" not in test.labels or test.name.startswith(QUICK)
    ]


ADDRESS = Stage("clang-asan-ubsan", "unit tests", ("unit_tests",),
                lambda tests, _: selection.labelled(tests, SANITIZED))
THREAD = Stage("clang-tsan", "tests of what runs in threads", ("thread_tests",),
               lambda tests, _: selection.labelled(tests, {"threads"}))
NEWER = Stage(
    "complete",
    "tests with the newer compilers, and checks",
    ("release_tests", *PROGRAMS),
    lambda tests, _: selection.with_newer_compilers(selection.labelled(tests, RELEASED)),
)
OLDER = Stage(
    "complete",
    "tests with the older compiler",
    NEWER.targets,
    lambda tests, _: selection.with_older_compiler(selection.labelled(tests, RELEASED)),
)
# The tests' compiles do without clang's wrapper header, for it makes each ten times as long. Here they have
# it, and use it precompiled.
WRAPPED = Stage(
    "complete",
    "tables of cases and commands with clang's wrapper header, parsed once",
    NEWER.targets,
    lambda tests, _: [test for test in selection.labelled(tests, RELEASED) if test.name.startswith("Tables/")],
    (("WRAPPER_HEADER", "1"),),
)
SOME_OLDER = Stage(
    "complete",
    f"tests with the older compiler (one of {SHARE})",
    NEWER.targets,
    lambda tests, seed: selection.drawn(OLDER.chosen(tests, seed), SHARE, seed),
)
SOME = Stage(
    "release",
    f"unit tests, tests with compilers (one of {SHARE}), and checks",
    ("unit_tests", "release_tests", *PROGRAMS),
    lambda tests, _: selection.share(selection.labelled(tests, SANITIZED | RELEASED), SHARE),
)
QUICK_STAGE = Stage("release", "unit tests, main compiles, and checks", ("unit_tests", "quick_tests", *PROGRAMS), quick)

TRIXIE = Script("build and quick tests in Debian 13", ("tools/test.d/other-suite.sh",))
ARM64 = Script("build for arm64, and tests in qemu", ("tools/test.d/arm64.sh",))

# By the programs of NEWER. Before a release more files are tried (docs/soak.md).
CORPUS = Script("files of the compilers' own suites (one of 50)",
                ("tools/corpus", "--share", "0.02", "--seed", "1", "--minutes", "5", "build/complete/bin/hipcache"))

# Each build for another system takes long and finds little: they take turns.
ELSEWHERE = (TRIXIE, ARM64)


def stages_of(kind, seed):
    """`kind`: "default", "quick", "all" or "release"."""
    if kind == "release":
        return ADDRESS, THREAD, NEWER, OLDER, WRAPPED, CORPUS, *ELSEWHERE
    if kind == "all":
        return ADDRESS, THREAD, NEWER, SOME_OLDER, CORPUS, ELSEWHERE[seed % len(ELSEWHERE)]
    return (QUICK_STAGE,) if kind == "quick" else (SOME,)
