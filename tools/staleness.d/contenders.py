"""The launchers of tools/bench, with what the staleness cases need besides."""

import copy
import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench.d"))

import launchers  # noqa: E402  (of tools/bench.d)
from process import Failed, run  # noqa: E402

NOWHERE = "/proc/no/such/directory"
# Seconds until a cache that compares times uses a file: it ignores files of the current second.
SECOND = 1.1
# hipcache uses a file from the next tick of the clock that stamps files, at most 10 ms later.
TICK = 0.02


class Ccache(launchers.Ccache):
    title = "ccache"
    settles = SECOND
    extra: dict = {}

    def environment(self):
        return {**super().environment(), **self.extra}

    def spoiled(self, what):
        return {"directory": {"CCACHE_DIR": NOWHERE}, "size": {"CCACHE_MAXSIZE": "plenty"}}[what]

    def version(self):
        return run([self.command, "--version"]).splitlines()[0].removeprefix("ccache version ")

    def hits(self):
        rows = (line.split("\t") for line in run([self.command, "--print-stats"], self.environment()).splitlines())
        stats = {row[0]: int(row[1]) for row in rows if len(row) == 2}
        return stats["direct_cache_hit"] + stats["preprocessed_cache_hit"]

    def steps_run(self, requests, archs):
        compiles = requests - self.hits()
        return compiles * archs, compiles


class CcacheDepend(Ccache):
    """Trusts depfiles instead of the preprocessor."""

    title = "ccache, depend mode"
    extra = {"CCACHE_DEPEND": "1"}


class Sccache(launchers.Sccache):
    title = "sccache"
    settles = SECOND

    def spoiled(self, what):
        return {"directory": {"SCCACHE_DIR": NOWHERE}, "size": {"SCCACHE_CACHE_SIZE": "plenty"}}[what]

    def version(self):
        return run([self.command, "--version"]).split()[-1]

    def steps_run(self, requests, archs):
        stats = json.loads(run([self.command, "--show-stats", "--stats-format=json"], self.environment()))["stats"]
        compiles = requests - sum(stats["cache_hits"]["counts"].values())
        return compiles * archs, compiles


class Hipcache(launchers.Hipcache):
    title = "hipcache"
    settles = TICK

    def spoiled(self, what):
        spoiled = {"directory": {"HIPCACHE_DIR": NOWHERE}, "size": {"HIPCACHE_MAX_SIZE": "plenty"}}[what]
        return {**spoiled, "HIPCACHE_QUIET": "1"}

    def version(self):
        return run([self.command, "--version"]).split()[-1]

    def steps_run(self, requests, archs):
        steps = self.steps()
        passed = steps["requests"]["passthrough"]
        return steps["device"]["run"] + passed * archs, steps["host"]["run"] + passed


class Unknown(launchers.Plain):
    """A launcher whose statistics this tool cannot read: its needless misses are not counted."""

    settles = SECOND

    def __init__(self, program):
        self.command = program
        self.title = self.name = pathlib.Path(program).name

    def spoiled(self, what):
        return {}

    def version(self):
        return ""

    def steps_run(self, requests, archs):
        return None


ROOT = pathlib.Path(__file__).resolve().parents[2]
# Where the project's own build puts hipcache, if it is not on PATH.
BUILT = (ROOT / "build/release/bin/hipcache", ROOT / "build/bin/hipcache")
KINDS = {"hipcache": Hipcache, "ccache": Ccache, "ccache:depend": CcacheDepend, "sccache": Sccache}


def find(word):
    """The launcher with a name or path (`ccache:depend` is ccache in depend mode), or None."""
    place, _, mode = word.partition(":")
    program = shutil.which(place) or next((path for path in BUILT if path.name == place and path.exists()), None)
    if program is None:
        return None
    kind = KINDS.get(pathlib.Path(place).name + (f":{mode}" if mode else ""))
    if kind is None:
        return None if mode else Unknown(program)
    return kind(str(pathlib.Path(program).absolute()))


def fresh(launcher, directory):
    """The same launcher with an empty cache in the directory; the caller must stop() it."""
    pathlib.Path(directory).mkdir(parents=True, exist_ok=True)
    mine = copy.copy(launcher)
    try:
        mine.renew(directory)
    except Failed:  # sccache gives its server ten seconds to start, which may be too few on a busy machine
        mine.renew(directory)
    return mine
