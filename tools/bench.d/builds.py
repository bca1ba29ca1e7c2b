"""Whole builds side by side: cold, warm, with one architecture added, and after an edit of host code, with each launcher in turn."""

import collections
import itertools
import os
import shutil

from fixture import Fixture
from process import median
from table import kilobytes, ratio, seconds, table

PHASES = ("cold", "warm", "arch added", "host edit")


class Builds:
    """Measures phases of fixture builds; the launchers take turns within each run, so that all see the same machine."""

    def __init__(self, launchers, directory, archs, added):
        self.launchers = launchers
        self.directory = directory
        self.archs = archs
        self.added = added
        self.walls = collections.defaultdict(list)
        self.processor = collections.defaultdict(list)  # seconds; none where they are not known
        self.steps = {}
        self.bytes = {}
        self.daemon_memory = []

    def run(self, projects, compilers, runs, note):
        for number in range(runs):
            for launcher in self.launchers:
                launcher.renew(self.directory)
            for project, compiler in itertools.product(projects, compilers):
                for launcher in self._in_turn(number):
                    note(f"run {number + 1}: {project}, clang {compiler}, {launcher.name}")
                    self._measure(Fixture(project, compiler, launcher, self.directory))
            self._remember_memory()
            for launcher in self.launchers:
                launcher.stop()

    def _in_turn(self, number):
        first = number % len(self.launchers)
        return self.launchers[first:] + self.launchers[:first]

    def _measure(self, fixture):
        shutil.rmtree(fixture.build_directory, ignore_errors=True)
        fixture.configure(self.archs)
        self._phase(fixture, "cold")
        fixture.clean()
        self._phase(fixture, "warm")
        fixture.configure([*self.archs, self.added])
        self._phase(fixture, "arch added")
        fixture.edit_host()
        self._phase(fixture, "host edit")

    def _phase(self, fixture, phase):
        launcher = fixture.launcher
        key = (fixture.project, fixture.compiler, phase, launcher.name)
        launcher.zero()
        before = launcher.server_seconds()
        wall, processor = fixture.build(os.cpu_count())
        self.walls[key].append(wall)
        if before is not None:
            self.processor[key].append(processor + launcher.server_seconds() - before)
        self.steps[key] = launcher.counts()
        self.bytes[key] = launcher.bytes_stored()

    def _remember_memory(self):
        for launcher in self.launchers:
            if launcher.name == "hipcache":
                self.daemon_memory.append(launcher.daemon_memory())

    def rows(self):
        """One dictionary for each project, compiler, phase and launcher."""
        for key, walls in self.walls.items():
            project, compiler, phase, name = key
            plain = median(self.walls[(project, compiler, phase, "plain")])
            yield {
                "project": project,
                "compiler": f"clang {compiler}",
                "phase": phase,
                "launcher": name,
                "seconds": median(walls),
                "all_seconds": walls,
                "processor_seconds": median(self.processor[key]),
                "ratio": median(walls) / plain,
                "run": self.steps[key],
                "bytes": self.bytes[key],
            }

    def total(self, phase, name):
        """Seconds of a phase over all projects and compilers, of medians."""
        return sum(median(walls) for key, walls in self.walls.items() if key[2:] == (phase, name))

    def processor_total(self, phase, name):
        """The same of seconds of processor."""
        return sum(median(used) for key, used in self.processor.items() if key[2:] == (phase, name))

    def stored_ratio(self, phase, name, other):
        """Bytes that a launcher stores, of those of another: after that phase of what is built first."""
        first = next((key[:2] for key in self.bytes), None)
        stored = [self.bytes.get((*first, phase, launcher)) for launcher in (name, other)] if first else []
        return stored[0] / stored[1] if all(stored) and stored else None

    def text(self):
        ordered = sorted(self.rows(), key=lambda row: (row["project"], row["compiler"], PHASES.index(row["phase"])))
        heads = ("project", "compiler", "phase", "launcher", "wall", "of plain", "processor", "run", "stored")
        return table(
            heads,
            [
                (
                    row["project"],
                    row["compiler"],
                    row["phase"],
                    row["launcher"],
                    seconds(row["seconds"]),
                    ratio(row["seconds"], row["seconds"] / row["ratio"]),
                    seconds(row["processor_seconds"]),
                    row["run"] or "all",
                    kilobytes(row["bytes"]),
                )
                for row in ordered
            ],
        )
