"""What the first edits after a cold build cost, of light units and of a heavy one: a comment, host code, a kernel."""

import itertools
import os

import tree
from builds import in_turn
from checkout import Project
from edit_units import KINDS, add_comment, document_header, edit_host, edit_kernel, reword_comment
from timings import Timings
from tool import note

COLD, SECOND, OTHER = "cold", "second directory", "another project"
FIRST, LATER, REWORDED = "comment added, first", "comment added, later", "comment reworded"
DOCUMENTED, HOST, KERNEL = "header documented", "host edit", "kernel edit"
EDITS = {FIRST: add_comment, LATER: add_comment, REWORDED: reword_comment, DOCUMENTED: document_header, HOST: edit_host,
         KERNEL: edit_kernel}
NO_OBJECT_SHOWS = (FIRST, LATER, REWORDED, DOCUMENTED)
PHASES = (COLD, *EDITS, SECOND, OTHER)


class Edits:
    """Each kind, compiler and launcher starts with an empty cache and a new daemon: the first edit is the first."""

    def __init__(self, launchers, directory, archs):
        self.launchers, self.directory, self.archs = launchers, directory, archs
        self.timings = Timings(launchers, ("units", "compiler", "phase"), PHASES)

    def run(self, compilers, runs):
        for number, kind, compiler in itertools.product(range(runs), KINDS, compilers):
            for launcher in in_turn(self.launchers, number):
                note(f"run {number + 1}: edits of {kind.name} units, clang {compiler}, {launcher.name}")
                launcher.renew(self.directory)
                self._measure(kind, compiler, launcher)
                launcher.stop()

    def _measure(self, kind, compiler, launcher):
        def measure(phase, build):
            build.configure(launcher)
            build.clean()
            row = kind.name, f"clang {compiler}", phase
            self.timings.measure(row, launcher, lambda: build.run(launcher))

        checkout = self._checkout(kind, compiler, launcher)
        build = checkout.build("build", self.archs)
        measure(COLD, build)
        if kind.name == "light":  # a lone unit leaves no wrapper header behind
            launcher.await_headers(len(self.archs) + 1)
        for phase in self._edits(launcher):
            paths = ["shared.h"] if phase == DOCUMENTED else kind.units
            checkout.edit(lambda same, number, paths=paths, how=EDITS[phase]: same.rewrite(paths, how, number))
            measure(phase, build)
        if launcher.name != "plain":
            measure(SECOND, checkout.build("second", self.archs))
            if kind.name == "light":
                other = self._checkout(kind, compiler, launcher, "other")
                measure(OTHER, other.build("build", self.archs))

    def _checkout(self, kind, compiler, launcher, name="first"):
        source = tree.fresh(self.directory / f"edits-{kind.name}-{name}")
        kind.write(source, name)
        project = Project(kind.recipe(), source, kind.units, {}, compiler, self.archs, [], os.cpu_count())
        return project.checkout(self.directory / f"edits-{kind.name}-{name}-clang{compiler}-{launcher.name}")

    @staticmethod
    def _edits(launcher):
        """What is a full compile by definition is measured once."""
        if launcher.name == "plain":
            return (FIRST,)
        return EDITS if launcher.caches_steps else (FIRST, REWORDED, DOCUMENTED)

    def worst(self, kind, phase):
        """Processor time of hipcache in a phase, of the compiler's alone: the compiler with which it is the most."""
        rows = [row for row in self.timings.keys() if (row[0], row[2]) == (kind, phase)]
        found = [self.timings.of(row, "hipcache", _base_of(row), "plain") for row in rows]
        return max((value for value in found if value is not None), default=None)

    def text(self):
        return self.timings.text(_base_of)


def _base_of(row):
    """The row of the compiler alone that one is held against."""
    return (*row[:2], COLD if row[2] in (COLD, SECOND, OTHER) else FIRST)
