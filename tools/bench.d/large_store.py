"""What a hit costs in a store of a million actions, next to one of a hundred; how long the daemon takes to start there, and
what it holds in memory.

The actions are made up (tests/bench/fill_store.cpp): nobody asks for them, they only are there.
"""

import pathlib
import random
import time

from fixture import Unit
from latency import ARCHS, DEFINES, SOURCE
from launchers import Hipcache
from process import median, run, spawn_seconds
from table import megabytes, milliseconds, ratio, table

SIZES = {"a hundred": 100, "a million": 1_000_000}


class LargeStore:
    def __init__(self, hipcache, directory, compiler):
        self.program = hipcache.command
        self.filler = pathlib.Path(hipcache.command).parent / "fill_store"
        self.directory = directory
        self.command = Unit(SOURCE, compiler, directory).command(ARCHS, *DEFINES)
        self.figures = {}

    def run(self, count, note):
        if not self.filler.exists():
            note(f"no {self.filler}: a large store is not measured")
            return
        stores = {name: self._filled(name, size, note) for name, size in SIZES.items()}
        try:
            for name, store in stores.items():
                self.figures[name] = {"start": self._start(store), "memory": store.daemon_memory()}
            samples = {name: [] for name in stores}
            for _ in range(count):
                for name in random.sample(list(stores), len(stores)):
                    samples[name].append(spawn_seconds([self.program, *self.command], stores[name].environment()))
            for name, took in samples.items():
                self.figures[name]["hit"] = median(took)
        finally:
            for store in stores.values():
                store.stop()

    def _filled(self, name, size, note):
        """A cache whose daemon has served the unit, and is gone; then filled."""
        note(f"a store of {name} actions")
        store = Hipcache(self.program)
        store.renew(pathlib.Path(self.directory) / name.replace(" ", "-"))
        run([self.program, *self.command], store.environment())
        run([self.program, "--stop-server"], store.environment())
        run([self.filler, store.cache / "store", size])
        self._settle(store)
        return store

    def _settle(self, store):
        """Lets the database put in order what was written: that is no part of what is measured."""
        run([self.program, "--start-server"], store.environment())
        run([self.program, "--cleanup"], store.environment())
        run([self.program, "--stop-server"], store.environment())

    def _start(self, store):
        """Seconds from no daemon to the first hit's end."""
        begin = time.perf_counter()
        run([self.program, *self.command], store.environment())
        return time.perf_counter() - begin

    def ratio(self):
        if not self.figures:
            return None
        return self.figures["a million"]["hit"] / self.figures["a hundred"]["hit"]

    def rows(self):
        return self.figures

    def text(self):
        if not self.figures:
            return "not measured"
        rows = [
            (name, milliseconds(found["hit"]), milliseconds(found["start"]), megabytes(found["memory"]))
            for name, found in self.figures.items()
        ]
        return table(("actions", "hit", "start and first hit", "daemon"), rows) + f"\n\nHit, of that with a hundred: {ratio(self.ratio(), 1)}."
