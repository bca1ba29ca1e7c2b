"""Whole builds side by side, with each launcher in turn: cold, warm, in a second build directory, after an edit of host
code, and with one architecture added."""

import itertools
import os
import shutil

from fixture import Fixture
from process import median
from reporting import kilobytes, of, table
from timings import Timings
from tool import note

COLD, WARM, LINKS, SECOND, HOST, ADDED = PHASES = (
    "cold", "warm", "warm, links too", "second directory", "host edit", "arch added",
)  # fmt: skip
# What these are held against: the compiler alone does not build twice.
AS_COLD = (WARM, LINKS, SECOND)


class Builds:
    """Measures phases of fixture builds; the launchers take turns within each run, so that all see the same machine."""

    def __init__(self, launchers, directory, archs, added):
        self.launchers, self.directory, self.archs, self.added = launchers, directory, archs, added
        self.timings = Timings(launchers, ("project", "compiler", "phase"), PHASES)
        self.bytes = {}
        self.bytes_of_edit = {}
        self.daemon_memory = []

    def run(self, projects, compilers, runs):
        for number in range(runs):
            for launcher in self.launchers:
                launcher.renew(self.directory)
            for project, compiler in itertools.product(projects, compilers):
                for launcher in in_turn(self.launchers, number):
                    note(f"run {number + 1}: {project}, clang {compiler}, {launcher.name}")
                    self._measure(Fixture(project, compiler, launcher, self.directory))
            self._remember_memory()
            for launcher in self.launchers:
                launcher.stop()

    def _measure(self, fixture):
        shutil.rmtree(fixture.build_directory, ignore_errors=True)
        fixture.configure(self.archs)
        self._phase(fixture, COLD)
        self._remember_bytes(fixture, COLD)
        if fixture.launcher.name != "plain":
            fixture.clean()
            self._phase(fixture, WARM)
            self._second_directory(fixture.elsewhere("second"))
        if fixture.launcher.caches_links:
            self._links(fixture.elsewhere("links"))
        before = fixture.launcher.bytes_stored()
        fixture.edit_host()
        self._phase(fixture, HOST)
        self.bytes_of_edit[row_of(fixture, HOST), fixture.launcher.name] = fixture.launcher.bytes_stored() - before
        fixture.configure([*self.archs, self.added])
        self._phase(fixture, ADDED)
        self._remember_bytes(fixture, ADDED)

    def _second_directory(self, fixture):
        fixture.configure(self.archs)
        self._phase(fixture, SECOND)
        fixture.remove()

    def _links(self, fixture):
        """In a directory of its own: the other phases leave links to the linker, as they do for all launchers."""
        fixture.configure(self.archs, links=True)
        fixture.build(os.cpu_count())
        fixture.clean()
        self._phase(fixture, LINKS)
        fixture.remove()

    def _phase(self, fixture, phase):
        self.timings.measure(row_of(fixture, phase), fixture.launcher, lambda: fixture.build(os.cpu_count()))

    def _remember_bytes(self, fixture, phase):
        self.bytes[row_of(fixture, phase), fixture.launcher.name] = fixture.launcher.bytes_stored()

    def _remember_memory(self):
        for launcher in self.launchers:
            if launcher.name == "hipcache":
                self.daemon_memory.append(launcher.daemon_memory())

    def total(self, phase, name, processor=False):
        """Seconds of a phase over all projects and compilers, of medians; None where it was not measured."""
        figures = self.timings.processor if processor else self.timings.walls
        found = [median(values) for (row, who), values in figures.items() if (row[2], who) == (phase, name)]
        return sum(found) if found else None

    def ran(self, phase, *kinds):
        """Steps of these kinds (of all, without) that hipcache ran in a phase of the last run."""
        found = [ran for (row, who), ran in self.timings.ran.items() if (row[2], who) == (phase, "hipcache")]
        counted = [number for ran in found for kind, number in ran.items() if not kinds or kind in kinds]
        return sum(counted) if found else None

    def stored_by_edit(self, name, other):
        """Bytes that a launcher stores for the host edits of all projects, of those of another. A cold build would not
        do: beside small projects, wrapper headers take more than all else, and no more beside large ones."""
        return of(*(sum(grown for (_, who), grown in self.bytes_of_edit.items() if who == one) or None
                    for one in (name, other)))

    def text(self):
        return f"{self.timings.text(_base_of)}\n\n{self._bytes_text()}"

    def _bytes_text(self):
        names = [launcher.name for launcher in self.launchers if launcher.name != "plain"]
        rows = dict.fromkeys(row for row, _ in self.bytes)
        cells = [(*row, *(kilobytes(self.bytes.get((row, name))) for name in names)) for row in rows]
        return table(("project", "compiler", "stored after", *names), cells)


def row_of(fixture, phase):
    return fixture.project, f"clang {fixture.compiler}", phase


def in_turn(launchers, number):
    """The launchers in another order for each run."""
    first = number % len(launchers)
    return launchers[first:] + launchers[:first]


def _base_of(row):
    """The row of the compiler alone that one is held against."""
    return (*row[:2], COLD) if row[2] in AS_COLD else row
