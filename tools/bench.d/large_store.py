"""What a hit costs in a store of a million actions, next to one of a hundred; how long the daemon takes to start there,
and what it holds in memory.

The actions are made up (tests/bench/fill_store.cpp): nobody asks for them, they only are there.
"""

import pathlib
import random

from fixture import Gemm
from launchers import Hipcache
from process import median, must, spawned, timed
from reporting import megabytes, milliseconds, ratio, table
from tool import note

SIZES = {"a hundred": 100, "a million": 1_000_000}


class LargeStore:
    def __init__(self, hipcache, directory, compiler):
        self.program = hipcache.command
        self.filler = pathlib.Path(hipcache.command).parent / "fill_store"
        self.directory = directory
        self.command = [self.program, *Gemm(compiler, directory).words]
        self.figures = {}

    def run(self, count):
        if not self.filler.exists():
            note(f"no {self.filler}: a large store is not measured")
            return
        stores = {name: self._filled(name, size) for name, size in SIZES.items()}
        try:
            for name, store in stores.items():
                self.figures[name] = {"start": self._start(store), "memory": store.daemon_memory()}
            samples = {name: [] for name in stores}
            for _ in range(count):
                for name in random.sample(list(stores), len(stores)):
                    samples[name].append(spawned(self.command, stores[name].environment()))
            for name, took in samples.items():
                self.figures[name]["hit"] = median(took)
        finally:
            for store in stores.values():
                store.stop()

    def _filled(self, name, size):
        """A cache whose daemon has served the unit, and is gone; then filled."""
        note(f"a store of {name} actions")
        store = Hipcache(self.program)
        store.renew(pathlib.Path(self.directory) / name.replace(" ", "-"))
        must(self.command, store.environment())
        store.control("--stop-server")
        must([self.filler, store.cache / "store", size])
        # Lets the database put in order what was written: that is no part of what is measured.
        for option in ("--start-server", "--cleanup", "--stop-server"):
            store.control(option)
        return store

    def _start(self, store):
        """Seconds from no daemon to the first hit's end."""
        return timed(self.command, store.environment())

    def ratio(self):
        if not self.figures:
            return None
        return self.figures["a million"]["hit"] / self.figures["a hundred"]["hit"]

    def text(self):
        if not self.figures:
            return "not measured"
        rows = [
            (name, milliseconds(found["hit"]), milliseconds(found["start"]), megabytes(found["memory"]))
            for name, found in self.figures.items()
        ]
        shown = table(("actions", "hit", "start and first hit", "daemon"), rows)
        return f"{shown}\n\nHit, of that with a hundred: {ratio(self.ratio())}."
