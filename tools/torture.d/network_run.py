"""Cases of broken networks, several at once, until so many faults have struck."""

import collections
import pathlib
import shutil
import tempfile
import threading
import time
import traceback

import machine
from network_case import NetworkCase
from network_world import World

# Cases wait for deadlines most of the time.
AT_ONCE = 4
# What is counted of each fault, in this order.
SERVER, FAULT, DIRECTION, PLACE = range(4)


class Tally:
    """Thread-safe under the run's lock."""

    def __init__(self):
        self.struck = collections.Counter()  # by server, fault, direction and place
        self.cases, self.compiles, self.hits, self.findings, self.slowest = 0, 0, 0, 0, 0.0

    def count(self, case):
        self.struck.update(case.struck)
        self.cases += 1
        self.compiles += case.compiles
        self.hits += case.hits
        self.findings += len(case.findings)
        self.slowest = max(self.slowest, case.slowest)

    def faults(self):
        return sum(self.struck.values())

    def by(self, column):
        counted = collections.Counter()
        for what, count in self.struck.items():
            counted[what[column]] += count
        return ", ".join(f"{name} {count}" for name, count in sorted(counted.items()))

    def line(self):
        return (f"{self.cases} cases, {self.compiles} compiles, {self.hits} served; {self.faults()} faults "
                f"({self.by(SERVER)}; {self.by(FAULT)}; in {self.by(DIRECTION)}; at {self.by(PLACE)}); "
                f"slowest compile {self.slowest:.1f} s; {self.findings} findings")

    def markdown(self, told):
        """A row for each fault, a column for each server."""
        lines = [f"{told}: {self.cases} cases, {self.compiles} compiles, {self.hits} of them served,",
                 f"{self.faults()} faults, slowest compile {self.slowest:.1f} s, {self.findings} findings.", ""]
        heads = sorted({what[SERVER] for what in self.struck})
        lines += [f"| fault | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
        for fault in sorted({what[FAULT] for what in self.struck}):
            cells = [sum(count for what, count in self.struck.items() if what[:2] == (head, fault)) for head in heads]
            lines.append(f"| {fault} | {' | '.join(map(str, cells))} |")
        return "\n".join(lines)


class NetworkRun:
    def __init__(self, given, program):
        self.given = given
        self.tally = Tally()
        self.broken = 0
        self._place = pathlib.Path(tempfile.mkdtemp(prefix="hipcache-torture-"))
        self._world = World(program, self._place, given.clangs[-1])
        self._evidence = given.keep
        self._lock = threading.Lock()  # guards the tally, the evidence, and the number of the next case
        self._next = given.case or 0
        self._began = self._told = time.monotonic()

    def run(self):
        for name in self._world.start_servers():
            print(f"-- left out, as it is not installed: {name}", flush=True)
        self._world.fill()
        self._began = self._told = time.monotonic()
        at_once = 1 if self._is_one_case() else AT_ONCE
        workers = [threading.Thread(target=self._work, daemon=True) for _ in range(at_once)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    def line(self):
        return f"{(time.monotonic() - self._began) / 60:.1f} min: {self.tally.line()}"

    def end(self):
        self._world.stop_servers()
        machine.reap()
        shutil.rmtree(self._place, ignore_errors=True)

    def _is_one_case(self):
        return self.given.case is not None

    def _work(self):
        while (number := self._take()) is not None:
            while self.given.pause_while and pathlib.Path(self.given.pause_while).exists():
                time.sleep(1)
            self._try(number)

    def _take(self):
        with self._lock:
            over = self.tally.cases >= self.given.times if self._is_one_case() else self._is_enough()
            number = None if over or self.broken else self._next
            self._next += not self._is_one_case()
            return number

    def _is_enough(self):
        minutes = (time.monotonic() - self._began) / 60
        return self.tally.faults() >= self.given.faults or bool(self.given.minutes and minutes > self.given.minutes)

    def _try(self, number):
        case = NetworkCase(self._world, self.given.seed, number)
        try:
            case.run()
        except Exception:  # pylint: disable=broad-except
            with self._lock:
                self.broken += 1
                print(f"-- the tool failed: {self._repeat(number)}\n{traceback.format_exc()}", flush=True)
        finally:
            with self._lock:
                self.tally.count(case)
                if case.findings:
                    self._found(case)
                if time.monotonic() - self._told > 60:
                    self._told = time.monotonic()
                    print(f"-- {self.line()}", flush=True)
            case.end()

    def _found(self, case):
        self._evidence = self._evidence or tempfile.mkdtemp(prefix="hipcache-torture-findings-")
        kept = pathlib.Path(self._evidence) / f"network-{self.given.seed}-{case.number}"
        repeat = self._repeat(case.number)
        case.keep(kept, repeat)
        print("FINDING, faults of networks")
        for finding in case.findings:
            print(f"  {finding}")
        print(f"  evidence: {kept}\n  repeat:   {repeat}", flush=True)

    def _repeat(self, number):
        words = ["tools/torture", "--faults", self.given.faults, "--seed", self.given.seed, "--case", number]
        words += ["--clang", self.given.clangs[-1], *([self.given.hipcache] if self.given.hipcache else [])]
        return " ".join(map(str, words))
