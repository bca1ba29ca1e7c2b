"""Device steps on an engine of remote execution, beside this machine alone: machines of one processor each, machines of
quotas, an engine that dies, and what an action costs beside its execution.

A machine is a set of processors, or a share of them (a control group). The engine is buildbox-casd on loopback.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import time

import processes
import servers
from fixture import Unit
from process import must
from reporting import ratio, seconds, table
from scaling import EIGHT
from tool import note

SOURCES = ("sort.cpp", "scan.cpp", "reduce_integers.cpp", "reduce_reals.cpp")
SHARE = 0.5  # of one processor, that a machine of quotas has
PERIOD = 100_000  # microseconds
GROUPS = pathlib.Path("/sys/fs/cgroup")


class Quota:
    """A control group that gets so much of a processor."""

    def __init__(self, name, processors):
        self.is_old = (GROUPS / "cpu").is_dir()
        self.path = (GROUPS / "cpu" if self.is_old else GROUPS) / f"hipcache-bench-{name}"
        self.quota = int(processors * PERIOD)

    def __enter__(self):
        self.path.mkdir(exist_ok=True)
        if self.is_old:
            (self.path / "cpu.cfs_period_us").write_text(str(PERIOD))
            (self.path / "cpu.cfs_quota_us").write_text(str(self.quota))
        else:
            (self.path / "cpu.max").write_text(f"{self.quota} {PERIOD}")
        return ["sh", "-c", f'echo $$ > {self.path}/cgroup.procs && exec "$@"', "sh"]

    def __exit__(self, *_):
        processes.end_all([int(pid) for pid in (self.path / "cgroup.procs").read_text().split()])
        with contextlib.suppress(OSError):
            self.path.rmdir()


class Execution:
    def __init__(self, hipcache, directory, compiler):
        self.hipcache, self.directory = hipcache, directory
        self.units = [Unit(source, compiler, directory) for source in SOURCES]
        self.figures = {}
        self.missing = servers.engine_mend()

    def run(self, runs):
        if self.missing:
            return note(f"remote execution is not measured: {self.missing}")
        for number in range(runs):
            note(f"run {number + 1}: {len(SOURCES)} units for {len(EIGHT)} architectures, here and with workers")
            self._add("one processor", self._build(["taskset", "-c", "0"]))
            with self._engine(1, ["taskset", "-c", "1"]) as url:
                self._add("and a worker of one", self._build(["taskset", "-c", "0"], url))
            with self._engine(1, ["taskset", "-c", "1"]) as url:
                self._add("and a worker that dies", self._build(["taskset", "-c", "0"], url, dies=True))
            with Quota("client", SHARE) as client:
                self._add("half a processor", self._build([*client, "taskset", "-c", "0"]))
            with Quota("client", SHARE) as client, Quota("workers", 2 * SHARE) as workers:
                with self._engine(2, workers) as url:
                    self._add("and two workers of half a one", self._build(client, url))

    def _add(self, name, measured):
        self.figures.setdefault(name, []).append(measured)
        note(f"{name}: {measured['wall']:.1f} s")

    @contextlib.contextmanager
    def _engine(self, jobs, before):
        directory = self.directory / "casd"
        directory.mkdir(exist_ok=True)
        self.engine = servers.buildbox_casd(directory, before=before, jobs=jobs)
        self.engine.start()
        try:
            yield self.engine.url
        finally:
            self.engine.stop()

    def _build(self, before, url=None, dies=False):
        """All units at once, by a daemon and clients in one place, with an empty cache."""
        self.hipcache.renew(self.directory)
        self.hipcache.control("--stop-server")
        environment = self.hipcache.environment()
        if url:
            environment["HIPCACHE_EXECUTE"] = f"{url}?min_cost=200ms&audit=0"
        must([*before, self.hipcache.command, "--start-server"], environment)
        began = time.monotonic()
        clients = [
            subprocess.Popen([*before, self.hipcache.command, *unit.command(EIGHT)], env=environment) for unit in self.units
        ]
        if dies:
            time.sleep(self._half_of("and a worker of one"))
            self.engine.process.kill()
        failed = [client.args for client in clients if client.wait() != 0]
        assert not failed, failed
        wall = time.monotonic() - began
        stats = json.loads(must([self.hipcache.command, "--show-stats", "--format", "json"], environment))
        return {"wall": wall, "daemon": self.hipcache.server_seconds(), "executed": stats.get("executed", {})}

    def _half_of(self, name):
        return self.figures[name][-1]["wall"] / 2

    def of(self, name, base):
        """The median of the ratios of pairs; None where it was not measured."""
        pairs = list(zip(self.figures.get(name, ()), self.figures.get(base, ())))
        ratios = sorted(mine["wall"] / other["wall"] for mine, other in pairs)
        return ratios[len(ratios) // 2] if ratios else None

    def text(self):
        if self.missing:
            return self.missing
        base = {"and a worker of one": "one processor", "and a worker that dies": "one processor",
                "and two workers of half a one": "half a processor"}
        rows = []
        for name, runs in self.figures.items():
            last = runs[-1]["executed"]
            of_base = self.of(name, base[name]) if name in base else None
            rows.append((name, seconds(sorted(run["wall"] for run in runs)[len(runs) // 2]), ratio(of_base),
                         json.dumps(last) if last else ""))
        return table(("machines", "wall", "of without workers", "steps"), rows)
