"""Many hits at once: how many a second beside what the processors could do, and how long the slowest of them take; and
one hit after the other while others compile.

The storm of misses is held against as many plain compiles: what a hit loses to them it loses to any work.
"""

import contextlib
import os
import shlex
import subprocess

from fixture import Gemm
from latency import build_tool
from process import median, must
from processes import own_seconds
from reporting import kilobytes, milliseconds, ratio, table
from tool import note

AT_ONCE = 64
STORM = 4


class Crowd:
    def __init__(self, hipcache, directory, compiler):
        self.hipcache, self.directory = hipcache, directory
        self.unit = Gemm(compiler, directory)
        self.hit = [hipcache.command, *self.unit.words]
        self.figures = {}

    def run(self, count):
        tool = build_tool("crowd", self.directory)
        self.hipcache.renew(self.directory)
        for _ in range(2):
            must(self.hit, self.hipcache.environment())
        note(f"{count} hits, {AT_ONCE} at once; then hits beside {STORM} compiles")
        alone = self._crowd(tool, 1, count)
        together = self._crowd(tool, AT_ONCE, count)
        self.figures = {
            "at_once": AT_ONCE,
            "cpu_per_hit": together["cpu"],
            "cpu_alone": alone["cpu"],
            "memory": alone["memory"],
            "hits_per_second": together["rate"],
            "of_processors": together["rate"] * together["cpu"] / os.cpu_count(),
            "median": together["median"],
            "p99": together["p99"],
            "p99_of_median": together["p99"] / together["median"],
            "alone": alone["median"],
            "beside_misses": self._beside(tool, count, [self.hipcache.command]),
            "beside_plain": self._beside(tool, count, []),
        }
        self.figures["misses_of_plain"] = self.figures["beside_misses"] / self.figures["beside_plain"]

    def _crowd(self, tool, at_once, count):
        """Seconds of processor for each hit, clients and daemon together, what the hits took, and bytes of a client."""
        result = self.directory / "crowd.result"
        before = own_seconds(self.hipcache.server())
        must([tool, result, at_once, count, *self.hit], self.hipcache.environment())
        daemon = own_seconds(self.hipcache.server()) - before
        first, *rest = result.read_text().splitlines()
        wall, clients, peak = map(int, first.split())
        wall, clients = wall / 1e6, clients / 1e6
        took = sorted(int(line) / 1e6 for line in rest)
        return {
            "rate": count / wall,
            "cpu": (clients + daemon) / count,
            "memory": peak * 1024,
            "median": median(took),
            "p99": took[len(took) * 99 // 100],
        }

    def _beside(self, tool, count, launcher):
        """The median hit while STORM compiles run, again and again."""
        words = ("a.o" if word == str(self.unit.object) else word for word in (*launcher, *self.unit.words))
        compile_one = shlex.join(words)
        loop = f"mkdir -p storm.$$ && cd storm.$$ && while :; do {compile_one}; done"
        environment = {**self.hipcache.environment(), "HIPCACHE_RECACHE": "1"}
        storm = [
            subprocess.Popen(["bash", "-c", loop], cwd=self.directory, env=environment, start_new_session=True,
                             stderr=subprocess.DEVNULL)
            for _ in range(STORM)
        ]
        try:
            return self._crowd(tool, 1, count)["median"]
        finally:
            for process in storm:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, 15)
                process.wait()

    def text(self):
        found = self.figures
        rows = [
            ("hits a second", f"{found['hits_per_second']:.0f}"),
            ("of what the processors could do", ratio(found["of_processors"], 1)),
            ("processor time of a hit, clients and daemon", milliseconds(found["cpu_per_hit"])),
            ("median", milliseconds(found["median"])),
            ("99 %", f"{milliseconds(found['p99'])}, {ratio(found['p99_of_median'], 1)} times the median"),
            ("one after the other", milliseconds(found["alone"])),
            ("processor time of such a hit, client and daemon", milliseconds(found["cpu_alone"])),
            ("memory of a client", kilobytes(found["memory"])),
            (f"the same beside {STORM} misses", milliseconds(found["beside_misses"])),
            (f"the same beside {STORM} plain compiles", milliseconds(found["beside_plain"])),
        ]
        return table((f"{AT_ONCE} hits at once", ""), rows)
