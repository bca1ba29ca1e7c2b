"""Device steps on an engine of remote execution, beside this machine alone: machines of one processor each, machines of
quotas, an engine that dies, and what an action costs beside its execution: by the clock, and of this machine's processor.

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
from process import median, must
from reporting import ratio, seconds, table
from scaling import EIGHT
from tool import note

SOURCES = ("sort.cpp", "scan.cpp", "reduce_integers.cpp", "reduce_reals.cpp")
SHARE = 0.5  # of one processor, that a machine of quotas has
PERIOD = 100_000  # microseconds
ONE_BY_ONE = 20  # compiles of one unit, whose actions are counted
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
        self.beside, self.processor = [], []  # seconds of an action
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
            self._measure_actions()

    def _add(self, name, measured):
        self.figures.setdefault(name, []).append(measured)
        note(f"{name}: {measured['wall']:.1f} s")

    @contextlib.contextmanager
    def _engine(self, jobs, before):
        directory = self.directory / "casd"
        directory.mkdir(exist_ok=True)
        self.engine = servers.buildbox_casd(directory, before=before, jobs=jobs)
        try:
            yield self.engine.url
        finally:
            self.engine.stop()

    def _measure_actions(self):
        """Each compile runs its first step here, and the other one alone on the engine."""
        local = self._one_by_one(None)
        with self._engine(len(EIGHT), ["taskset", "-c", "1"]) as url:
            away = self._one_by_one(url)
        log = next(self.hipcache.cache.glob("*/events.jsonl"))
        events = [json.loads(line) for line in log.read_text().splitlines()]
        sent = [event for event in events if event.get("engine")]
        won = [event for event in sent if event["engine"] == "won"]
        self.beside.append(median([(event["whole_us"] - event["execution_us"]) / 1e6 for event in won]))
        self.processor.append((away - local) / len(sent))
        note(f"{len(won)} of {len(sent)} actions won: {1000 * self.beside[-1]:.0f} ms beside the execution, {1000 * self.processor[-1]:.1f} ms "
             "of this machine's processor")

    def _one_by_one(self, url):
        """Processor seconds of the daemon and hipcache-remote."""
        environment = self._begin(["taskset", "-c", "0"], url)
        number = self.directory / "number.h"
        for compile in range(ONE_BY_ONE):
            number.write_text(f"__device__ int number{compile};\n")
            must(["taskset", "-c", "0", self.hipcache.command, *self.units[1].command(EIGHT[:2], "-include", str(number))],
                 environment)
        processes.await_quiet(self.hipcache.server())
        return self.hipcache.server_seconds()

    def _begin(self, before, url):
        """A daemon with an empty cache, and the environment of its clients."""
        self.hipcache.renew(self.directory)
        self.hipcache.control("--stop-server")
        environment = self.hipcache.environment()
        if url:
            environment["HIPCACHE_EXECUTE"] = f"{url}?min_cost=200ms&audit=0"
        must([*before, self.hipcache.command, "--start-server"], environment)
        return environment

    def _build(self, before, url=None, dies=False):
        """All units at once, by a daemon and clients in one place."""
        environment = self._begin(before, url)
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
        return {"wall": wall, "executed": stats.get("executed", {})}

    def _half_of(self, name):
        return self.figures[name][-1]["wall"] / 2

    def of(self, name, base):
        """The median of the ratios of pairs; None where it was not measured."""
        pairs = list(zip(self.figures.get(name, ()), self.figures.get(base, ())))
        return median([mine["wall"] / other["wall"] for mine, other in pairs])

    def text(self):
        if self.missing:
            return self.missing
        base = {"and a worker of one": "one processor", "and a worker that dies": "one processor",
                "and two workers of half a one": "half a processor"}
        rows = []
        for name, runs in self.figures.items():
            last = runs[-1]["executed"]
            of_base = self.of(name, base[name]) if name in base else None
            rows.append((name, seconds(median([run["wall"] for run in runs])), ratio(of_base),
                         json.dumps(last) if last else ""))
        return table(("machines", "wall", "of without workers", "steps"), rows)
