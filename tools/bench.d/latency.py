"""What one hit costs: hipcache, ccache and sccache next to the floor, one after the other, many times over."""

import os
import pathlib
import random

from fixture import Unit
from process import median, run, spawn_cpu_seconds, spawn_seconds
from server_processes import own_seconds
from table import kilobytes, milliseconds, ratio, table

HERE = pathlib.Path(__file__).resolve().parent
ARCHS = ["gfx906", "gfx1030"]
SOURCE = "gemm.cpp"
DEFINES = ("-DGEMM_REAL=float", "-DGEMM_NAME=multiply_f32")


def build_tool(name, directory):
    """A static program from a source beside this file."""
    program = pathlib.Path(directory) / name
    run(["gcc", "-O2", "-static", "-o", program, HERE / f"{name}.c"])
    return program


class Latency:
    def __init__(self, launchers, directory, compiler):
        self.launchers = [launcher for launcher in launchers if launcher.name != "plain"]
        self.unit = Unit(SOURCE, compiler, directory)
        self.command = self.unit.command(ARCHS, *DEFINES)
        self.directory = pathlib.Path(directory)
        self.samples = {}
        self.ran = {}  # what each ran while it should have run nothing; for the reader to see that hits were timed
        self.client_memory = None
        self.cpu = None  # seconds of processor that a hit takes, client and daemon together

    def run(self, runs, note):
        floor = build_tool("floor", self.directory)
        peak = build_tool("peak", self.directory)
        contenders = self._warm(floor)
        note(f"hit latency: {runs} times {', '.join(contenders)}")
        self.samples = {name: [] for name in contenders}
        order = list(contenders)
        for _ in range(runs):
            random.shuffle(order)
            for name in order:
                command, environment = contenders[name]
                self.unit.object.unlink(missing_ok=True)
                self.samples[name].append(spawn_seconds(command, environment))
        self.ran = {launcher.name: launcher.counts() for launcher in self.launchers}
        self._measure_memory(peak)
        self._measure_cpu(runs)

    def _measure_cpu(self, runs):
        """Clients by what the kernel reports of children, the daemon by its own account."""
        for launcher in self.launchers:
            if launcher.name == "hipcache":
                pid = launcher.server()
                before = own_seconds(pid)
                clients = [spawn_cpu_seconds([launcher.command, *self.command], launcher.environment()) for _ in range(10 * runs)]
                self.cpu = sum(clients) / len(clients) + (own_seconds(pid) - before) / len(clients)

    def _warm(self, floor):
        """Makes the hit of each launcher; returns what to time, by name."""
        contenders = {}
        for launcher in self.launchers:
            launcher.renew(self.directory)
            for _ in range(2):
                run([launcher.command, *self.command], launcher.environment())
            launcher.zero()
            contenders[launcher.name] = ([launcher.command, *self.command], launcher.environment())
        stored = self.directory / "stored.o"
        self.unit.object.replace(stored)
        contenders["floor"] = ([floor, stored, self.unit.object], dict(os.environ))
        return contenders

    def _measure_memory(self, peak):
        for launcher in self.launchers:
            if launcher.name == "hipcache":
                result = self.directory / "peak.result"
                run([peak, result, launcher.command, *self.command], launcher.environment())
                self.client_memory = int(result.read_text()) * 1024

    def of(self, name):
        return median(self.samples.get(name, []))

    def rows(self):
        for name, values in self.samples.items():
            ordered = sorted(values)
            yield {
                "what": name,
                "median": median(values),
                "p10": ordered[len(ordered) // 10],
                "p90": ordered[len(ordered) * 9 // 10],
                "of_floor": median(values) / self.of("floor"),
            }

    def text(self):
        size = (self.directory / "stored.o").stat().st_size
        heads = ("hit", "median", "10 %", "90 %", "of floor", "run meanwhile")
        rows = [(row["what"], *self._cells(row)) for row in self.rows()]
        return f"{SOURCE}, {len(ARCHS)} archs, object of {kilobytes(size)}:\n\n" + table(heads, rows)

    def _cells(self, row):
        times = [milliseconds(row[what]) for what in ("median", "p10", "p90")]
        return (*times, ratio(row["of_floor"], 1), self.ran.get(row["what"]) or "-")
