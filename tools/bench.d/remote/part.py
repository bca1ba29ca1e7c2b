"""What a shared cache costs and saves: builds all from a server beside builds all from the local
store, compiling, and ccache with the same server.
"""

import contextlib
import itertools
import random

from remote.report import text_of
from remote.samples import NEW, WARM, Samples
from remote.scene import CCACHE, LOCAL, PLAIN_FAR, Scene, far
from remote.tiers import REDIS, shared_caches
from reporting import of
from tool import note


class Remote:
    """`samples` has all times, `traffic` the bytes by row and shared cache, of the last run."""

    def __init__(self, launchers, directory, archs):
        self.launchers = {launcher.name: launcher for launcher in launchers}
        self.directory = directory / "remote"
        self.archs = archs
        self.samples, self.traffic = Samples(), {}
        self.names, self.missing = [], []

    def run(self, projects, compilers, runs, rounds):
        for number, project, compiler in itertools.product(range(runs), projects, compilers):
            note(f"run {number + 1}: shared caches, {project}, clang {compiler}")
            directory = self.directory / f"{number}-{project}-{compiler}"
            directory.mkdir(parents=True)
            with shared_caches(directory) as (tiers, self.missing):
                self.names = list(tiers)
                with contextlib.closing(Scene(self, project, compiler, directory, tiers)) as scene:
                    self._measure(scene, rounds)

    @staticmethod
    def _measure(scene, rounds):
        """What compiles comes in random order; what is served needs that something was filled."""
        compiles = [scene.plain, scene.fill, scene.fill_by_ccache]
        random.shuffle(compiles)
        for compile_all in compiles:
            compile_all()
        scene.fill_local()
        for _ in range(rounds):
            scene.round()
        scene.far_away()

    def subjects(self):
        """The rows that were measured."""
        return list(dict.fromkeys(row for row, _, _ in self.samples.found))

    def _worst(self, ratio, names):
        found = [ratio(row, name) for row, name in itertools.product(self.subjects(), names)]
        return max((value for value in found if value is not None), default=None)

    def of_local(self, state=WARM):
        """Compiles all from a server, of those all from the local store: of the slowest server."""
        return self._worst(lambda row, name: self.samples.ratio(row, (name, state), (LOCAL, state)), self.names)

    def of_ccache(self):
        """A build all from Redis, links included, of ccache's."""
        return self._worst(lambda row, name: self.samples.ratio(row, (name, WARM), (CCACHE, WARM), "build"), [REDIS])

    def wire_of_ccache(self, what):
        """Bytes that Redis exchanged for `filling` or `reading`, of those of ccache."""

        def ratio(row, name):
            return of(*(getattr(self.traffic.get((row, one)), what, None) for one in (name, CCACHE)))

        return self._worst(ratio, [REDIS])

    def far_of_plain(self):
        """A build all from a server far away, links included, by a new daemon, of compiling: of the
        slowest server."""

        def ratio(row, name):
            return self.samples.ratio(row, (far(name), NEW), (PLAIN_FAR, WARM), "build")

        return self._worst(ratio, self.names)

    def ran(self):
        """The most steps that a machine with an empty store ran for a build, with a server on
        loopback."""
        return self._worst(lambda row, name: self.samples.ran(row, name, WARM), self.names)

    def text(self):
        return text_of(self)
