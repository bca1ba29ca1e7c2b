"""Cases of broken networks or engines, several at once, until so many faults have struck."""

import collections
import threading
import time

import processes
from execute_case import ExecuteCase
from execute_world import ExecuteWorld
from network_case import NetworkCase
from network_world import World
from reporting import narrow_table
from run import Run

# Of --only: faults of an engine of remote execution instead.
ENGINE = "execute"
# What is counted of each fault, in this order.
SERVER, FAULT, DIRECTION, PLACE = range(4)


class Tally:
    """Thread-safe under the run's lock. `hits_are`: what a case's hits mean."""

    def __init__(self, hits_are):
        self.hits_are = hits_are
        self.struck = collections.Counter()  # by server, fault, direction and place
        self.cases, self.compiles, self.hits, self.findings, self.slowest = 0, 0, 0, 0, 0.0

    def count(self, case):
        self.struck.update(case.struck)
        self.cases += 1
        self.compiles += case.compiles
        self.hits += case.hits
        self.findings += len(case.findings)
        self.slowest = max(self.slowest, case.slowest)

    def sums(self):
        return self.cases, self.compiles, self.findings

    def faults(self):
        return sum(self.struck.values())

    def by(self, column):
        counted = collections.Counter()
        for what, count in self.struck.items():
            counted[what[column]] += count
        return ", ".join(f"{name} {count}" for name, count in sorted(counted.items()))

    def line(self):
        return (f"{self.cases} cases, {self.compiles} compiles, {self.hits} {self.hits_are}; {self.faults()} faults "
                f"({self.by(SERVER)}; {self.by(FAULT)}; in {self.by(DIRECTION)}; at {self.by(PLACE)}); "
                f"slowest compile {self.slowest:.1f} s; {self.findings} findings")

    def markdown(self, told):
        """A row for each fault, a column for each server."""
        sums = (f"{told}: {self.cases} cases, {self.compiles} compiles, {self.hits} {self.hits_are},\n"
                f"{self.faults()} faults, slowest compile {self.slowest:.1f} s, {self.findings} findings.\n\n")
        heads = sorted({what[SERVER] for what in self.struck})
        rows = []
        for fault in sorted({what[FAULT] for what in self.struck}):
            counts = [sum(count for what, count in self.struck.items() if what[:2] == (head, fault)) for head in heads]
            rows.append((fault, *counts))
        return sums + narrow_table(("fault", *heads), rows)


class NetworkRun(Run):
    def __init__(self, given, program, place):
        is_engine = given.only == ENGINE
        super().__init__(given, Tally("steps taken from workers" if is_engine else "of them served"))
        self._case = ExecuteCase if is_engine else NetworkCase
        self._world = (ExecuteWorld if is_engine else World)(program, place, given.clangs[-1])
        self._next = given.case or 0

    def run(self):
        for name in self._world.start_servers():
            print(f"-- left out, as it is not installed: {name}", flush=True)
        self._world.fill()
        self.began = self.told = time.monotonic()
        at_once = 1 if self._is_one_case() else self._case.AT_ONCE
        workers = [threading.Thread(target=self._work, daemon=True) for _ in range(at_once)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    def end(self):
        self._world.stop_servers()
        processes.reap()

    def _is_one_case(self):
        return self.given.case is not None

    def _work(self):
        while (number := self._take()) is not None:
            case = self._case(self._world, self.given.seed, number)
            words = ["--faults", self.given.faults, "--clang", self.given.clangs[-1], "--case", number]
            words += ["--only", self.given.only] if self.given.only else []
            self.attempt(case, case.run, f"network-{self.given.seed}-{number}", words)

    def _take(self):
        with self.lock:
            over = self.tally.cases >= self.given.times if self._is_one_case() else self._is_enough()
            number = None if over or self.broken else self._next
            self._next += not self._is_one_case()
            return number

    def _is_enough(self):
        return self.tally.faults() >= self.given.faults or self.is_over()
