"""What one hit costs: hipcache, ccache and sccache next to the floor, one after the other, many times over."""

import os
import pathlib
import random

from fixture import Gemm
from process import median, must, spawned
from reporting import kilobytes, milliseconds, ratio, table
from timings import told_of
from tool import note

HERE = pathlib.Path(__file__).resolve().parent


def build_tool(name, directory):
    """A static program from a source beside this file."""
    program = pathlib.Path(directory) / name
    must(["gcc", "-O2", "-static", "-o", program, HERE / f"{name}.c"])
    return program


class Latency:
    def __init__(self, launchers, directory, compiler):
        self.launchers = [launcher for launcher in launchers if launcher.name != "plain"]
        self.unit = Gemm(compiler, directory)
        self.directory = pathlib.Path(directory)
        self.samples = {}
        self.ran = {}  # what each ran while it should have run nothing; for the reader to see that hits were timed

    def words(self, launcher):
        return [launcher.command, *self.unit.words]

    def run(self, runs):
        contenders = self._warm()
        note(f"hit latency: {runs} times {', '.join(contenders)}")
        self.samples = {name: [] for name in contenders}
        order = list(contenders)
        for _ in range(runs):
            random.shuffle(order)
            for name in order:
                self.unit.object.unlink(missing_ok=True)
                self.samples[name].append(spawned(*contenders[name]))
        self.ran = {launcher.name: told_of(launcher.ran()) for launcher in self.launchers}

    def _warm(self):
        """Makes the hit of each launcher; returns what to time, by name."""
        contenders = {}
        for launcher in self.launchers:
            launcher.renew(self.directory)
            for _ in range(2):
                must(self.words(launcher), launcher.environment())
            launcher.zero()
            contenders[launcher.name] = (self.words(launcher), launcher.environment())
        stored = self.directory / "stored.o"
        self.unit.object.replace(stored)
        floor = build_tool("floor", self.directory)
        contenders["floor"] = ([floor, stored, self.unit.object], dict(os.environ))
        return contenders

    def of(self, name):
        return median(self.samples.get(name, []))

    def text(self):
        size = (self.directory / "stored.o").stat().st_size
        heads = ("hit", "median", "10 %", "90 %", "of floor", "run meanwhile")
        rows = []
        for name, values in self.samples.items():
            ordered = sorted(values)
            times = median(values), ordered[len(ordered) // 10], ordered[len(ordered) * 9 // 10]
            of_floor = ratio(median(values), self.of("floor"))
            rows.append((name, *map(milliseconds, times), of_floor, self.ran.get(name) or "-"))
        return f"{Gemm.SOURCE}, {len(Gemm.ARCHS)} archs, object of {kilobytes(size)}:\n\n" + table(heads, rows)
