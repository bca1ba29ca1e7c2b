"""Builds and tests hipcache in stages: tools/test."""

import argparse
import os
import pathlib
import resource
import secrets
import shutil
import subprocess
import sys
import tempfile
import time

import progress
import selection
import stages

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORES = os.cpu_count() or 1
JOBS = str(CORES)
# Many tests wait: for servers, time limits and the disk.
TESTS_AT_ONCE = str(2 * CORES)
SLOWEST = 10
HELP = f"""\
Without an option: the tests that a change needs, in one build tree.
  - the unit tests, without sanitizers
  - the checks of form, but not clang-tidy
  - the tests that start compilers through the cache, with clang 19 and gcc: one of every {stages.SHARE},
    always the same ones (chosen by a checksum of the test's name)
"""


class OneLine(argparse.ArgumentParser):
    """Refuses an argument in one line."""

    def error(self, message):
        sys.exit(f"tools/test: {message}; see tools/test --help")


def arguments():
    parser = OneLine(prog="tools/test", description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter,
                     allow_abbrev=False)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true",
                       help="all tests with the newer compilers, some with the older one, the sanitizers (address, "
                            "undefined behaviour, threads), clang-tidy, the build that users make, and a build in Debian "
                            "13 or for arm64, in turn")
    which.add_argument("--release", action="store_true", help="as --all, and nothing in part or in turn")
    which.add_argument("--quick", action="store_true",
                       help="in build/release: what an edit recompiles, unit tests without sanitizers, main compiles, checks")
    parser.add_argument("--seed", type=int,
                        help="chooses which of the compiler's remembered results are verified, which tests run with the "
                             "older compiler, and which other system is built for (default: others each time)")
    given = parser.parse_args()
    return given


def configuration():
    # Continuous integration starts with an empty cache: filling it would cost time and save none.
    if shutil.which("ccache") is None or os.environ.get("CI"):
        return ["-DHIPCACHE_PCH=ON"]
    # ccache needs these to cache compiles with precompiled headers.
    os.environ["CCACHE_SLOPPINESS"] = "pch_defines,time_macros"
    return ["-DHIPCACHE_PCH=ON", *(f"-DCMAKE_{language}_COMPILER_LAUNCHER=ccache" for language in ("C", "CXX"))]


class Clock:
    """Time since it was made, and processor time of the children that have ended since."""

    def __init__(self):
        self.begun, self.used_before = time.monotonic(), self.used()

    @staticmethod
    def used():
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime

    def times(self):
        return time.monotonic() - self.begun, self.used() - self.used_before


def shown(seconds, used):
    return f"{progress.span(seconds):>6} ({progress.span(used)} of processor time)"


class Brought:
    """What tests need and Debian does not have. It comes while the first tree is built."""

    def __init__(self, tools):
        self.started = []
        for tool in tools:
            log = tempfile.TemporaryFile("w+")
            self.started.append((tool, log, subprocess.Popen([ROOT / tool], stdout=log, stderr=subprocess.STDOUT)))

    def wait(self):
        """Says what is waited for, and what the tools said themselves: go and pip say more than anybody reads."""
        for tool, log, process in self.started:
            if process.poll() is None:
                print(f"   waiting for {tool}, which brings what the tests need, once", flush=True)
            code = process.wait()
            log.seek(0)
            lines = log.read().splitlines()
            print("".join(f"{line}\n" for line in lines if line.startswith(f"{tool}: ")), end="", flush=True)
            if code != 0:
                sys.exit("\n".join([*lines[-10:], f"tools/test: {tool} failed"]))
        self.started = []


class Run:
    """What became of the stages."""

    def __init__(self, seed, brought):
        self.seed, self.brought = seed, brought
        self.times, self.seconds, self.failed, self.summaries, self.skipped = [], {}, [], [], []

    def timed(self, what, clock):
        self.times.append((what, *clock.times()))
        print(shown(*clock.times()), flush=True)

    def build(self, stage):
        clock = Clock()
        print(f"== {stage.preset}: build", flush=True)
        configured = subprocess.run(["cmake", "--preset", stage.preset, *configuration()], stdout=subprocess.PIPE,
                                    text=True)
        if configured.returncode != 0:
            sys.exit(configured.stdout)
        if not progress.build(["cmake", "--build", "--preset", stage.preset, "-j", JOBS, "--target", *stage.targets]):
            sys.exit(f"tools/test: {stage.preset} does not build")
        self.timed(f"{stage.preset}: build", clock)

    def test(self, stage):
        clock = Clock()
        chosen = stage.chosen(selection.tests_of(ROOT / "build" / stage.preset), self.seed)
        self.brought.wait()
        print(f"== {stage.preset}: {stage.heading}", flush=True)
        variables = [f"{name}={value}" for name, value in stage.environment]
        tested = progress.test(["env", *variables, "ctest", "--preset", stage.preset, "-j", TESTS_AT_ONCE, "-I",
                                selection.numbers(chosen)])
        self.seconds.update({f"{stage.preset}: {name}": seconds for name, seconds in tested.seconds.items()})
        self.summaries.append((stage, tested))
        self.timed(f"{stage.preset}: {stage.heading}", clock)
        if not tested.good:
            self.failed.append(stage)
            self.repeat_failed(stage, variables)

    def script(self, stage):
        clock = Clock()
        print(f"== {stage.heading}", flush=True)
        code = subprocess.run(stage.command, check=False).returncode
        self.timed(stage.heading, clock)
        if code == stages.SKIPPED:
            self.skipped.append(stage.heading)
        elif code != 0:
            self.failed.append(stage)

    def repeat_failed(self, stage, variables):
        """Shows whether what failed fails each time. A test that passes now still counts as failed."""
        print(f"== {stage.preset}: what failed, once more", flush=True)
        subprocess.run(["env", *variables, "ctest", "--preset", stage.preset, "--rerun-failed"])

    def report(self):
        print(f"== the slowest {SLOWEST} tests")
        for name, seconds in sorted(self.seconds.items(), key=lambda each: -each[1])[:SLOWEST]:
            print(f"   {seconds:6.1f} s  {name}")
        print("== times")
        for what, seconds, used in [*self.times, ("in all", *(sum(each) for each in list(zip(*self.times))[1:]))]:
            print(f"{shown(seconds, used)}  {what}")
        for what in self.skipped:
            print(f"== skipped: {what}")
        for stage in self.failed:
            if isinstance(stage, stages.Script):
                print(f"== failed: {stage.heading}")
        for stage, tested in self.summaries:
            print(f"== {stage.preset}: {stage.heading}")
            print("\n".join(tested.summary), flush=True)


def main():
    given = arguments()
    os.chdir(ROOT)
    seed = secrets.randbits(32) if given.seed is None else given.seed
    os.environ["ORACLE_SEED"] = str(seed)
    os.environ.setdefault("ORACLE_MEMORY", "on")
    print(f"== seed {seed}: chooses what is verified or run in part (--seed)", flush=True)

    if given.release:
        os.environ["TIDY"] = "all"

    run = Run(seed, Brought([] if given.quick else ["tools/test-servers", "tools/test-iree"]))
    built = None
    kind = next((kind for kind in ("all", "release", "quick") if getattr(given, kind)), "default")
    for stage in stages.stages_of(kind, seed):
        if isinstance(stage, stages.Script):
            run.script(stage)
            continue
        if built != stage.preset:
            run.build(stage)
        built = stage.preset
        run.test(stage)
    run.report()
    sys.exit(1 if run.failed else 0)


if __name__ == "__main__":
    main()
