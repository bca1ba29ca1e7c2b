#!/usr/bin/env python3
"""Simulates a cold build whose device steps go to 1 to 64 workers (docs/execution.md), from recorded step times.

STEPS: a line of JSON for each source, as rocprim_steps.jsonl beside this file has them: processor seconds of the scan,
the host compile and the device steps, and bytes of the code objects. Discrete events. All that runs here shares the
processors. The network's delay counts for each round trip of an action, and one link carries what all actions send.

Not in the model: results that are not proved, actions that expire, other users of the engine, and links.
"""

import argparse
import heapq
import itertools
import json
import pathlib

COPIES = 10  # of each source, so that the library has more than a hundred
SLOTS = (4, 16)  # processors and job slots of this machine, and the build tool's -j
WORKERS = (1, 2, 4, 8, 16, 32, 64)
DELAYS = (0.005, 0.05)  # seconds, each way
ROUND_TRIPS_THERE, ROUND_TRIPS_BACK = 3, 1  # what is missing, what is sent, the execution; the outputs
LINK = 125e6  # bytes a second each way: 1 Gbit/s
SOURCES, ACTION, TRACE = 3e6, 60e3, 150e3  # bytes: a source's files, sent once; an action's own; what is returned beside
PLAN = 0.06  # processor seconds of a compile beside its steps: the driver's plan, hipcache, the object's assembly
HANDLING = 0.011  # processor seconds of this machine for an action


def overhead(seconds):
    """Of a worker beside the execution: 25 ms of a light step to 60 ms of a heavy one."""
    return 0.025 + min(0.035, 0.0055 * seconds)


class Step:
    def __init__(self, cost, size, is_device):
        self.cost, self.size, self.is_device = cost, size, is_device
        self.state, self.run, self.is_executing = "open", None, False  # open, here, away, both, done


class Source:
    def __init__(self, recorded):
        self.recorded = recorded
        self.steps, self.scan, self.here = [], "none", 0
        self.away = []  # the oldest first

    def plan(self):
        self.steps = [Step(cost, self.recorded["size"][arch], True) for arch, cost in self.recorded["device"].items()]
        self.steps.append(Step(self.recorded["host"], 0, False))


class Build:
    """`workers`: 0 for a build without an engine."""

    def __init__(self, sources, slots, workers, delay):
        self.left, self.most, self.workers, self.delay = iter(sources), slots, workers, delay
        self.now, self.numbers, self.events = 0.0, itertools.count(), []
        self.active, self.runs = [], {}  # sources; [processor seconds left, what then] of what runs here
        self.slots, self.queue, self.executing, self.queued = 0, [], 0, 0
        self.link_is_free = {"there": 0.0, "back": 0.0}
        self.used, self.won, self.devices = dict.fromkeys(("plans", "scans", "hosts", "devices", "actions"), 0.0), 0, 0

    def run(self):
        while self._begin_sources() or self.active:
            self._start_what_can_be()
            rate = min(1, self.most / max(1, len(self.runs)))
            soonest = min((left for left, _ in self.runs.values()), default=float("inf")) / rate
            until = min(self.now + soonest, self.events[0][0] if self.events else float("inf"))
            for run in self.runs.values():
                run[0] -= (until - self.now) * rate
            self.now = until
            for number in [number for number, run in self.runs.items() if run[0] < 1e-9]:
                if number in self.runs:  # what ended first may have stopped it
                    self.runs.pop(number)[1]()
            while self.events and self.events[0][0] <= self.now:
                heapq.heappop(self.events)[2]()
        return self

    def _work(self, kind, seconds, then):
        self.used[kind] += seconds
        number = next(self.numbers)
        self.runs[number] = [seconds, then]
        return number

    def _after(self, seconds, then):
        heapq.heappush(self.events, (self.now + seconds, next(self.numbers), then))

    def _transfer(self, way, size):
        self.link_is_free[way] = max(self.now, self.link_is_free[way]) + size / LINK
        return self.link_is_free[way] - self.now

    def _begin_sources(self):
        while len(self.active) < self.most and (recorded := next(self.left, None)):
            self.active.append(source := Source(recorded))
            self._work("plans", PLAN, source.plan)

    def _start_what_can_be(self):
        for source in self.active:
            for step in source.steps:
                if step.state == "open" and self._may_start(source):
                    self._start(source, step, "here")
            if self.workers:
                self._send_away(source, [step for step in reversed(source.steps) if step.state == "open" and step.is_device])
        for source in self.active:
            for step in source.away:
                if step.state == "away" and self.slots < self.most:
                    self._start(source, step, "both")

    def _may_start(self, source):
        """Each client may always run one step."""
        return source.here == 0 or self.slots < self.most

    def _start(self, source, step, state):
        step.state, source.here, self.slots = state, source.here + 1, self.slots + 1
        step.run = self._work("devices" if step.is_device else "hosts", step.cost, lambda: self._end(source, step, True))

    def _send_away(self, source, waiting):
        for step in waiting:
            if self.queued >= max(4, self.executing / 4):
                return
            if source.scan != "done":
                if source.scan == "none":
                    source.scan = "runs"
                    self._work("scans", source.recorded["scan"], lambda: setattr(source, "scan", "done"))
                return
            size = ACTION + (0 if source.away else SOURCES)
            step.state, self.queued = "away", self.queued + 1
            source.away.append(step)
            self._work("actions", HANDLING, lambda: None)
            self._after(self._transfer("there", size) + 2 * self.delay * ROUND_TRIPS_THERE,
                        lambda step=step: self._arrive(source, step))

    def _arrive(self, source, step):
        self.queue.append((source, step))
        self._give_to_workers()

    def _give_to_workers(self):
        while self.queue and self.executing < self.workers:
            source, step = self.queue.pop(0)
            self.queued -= 1
            if step.state in ("away", "both"):
                self.executing, step.is_executing = self.executing + 1, True
                self._after(step.cost + overhead(step.cost), lambda source=source, step=step: self._executed(source, step))

    def _executed(self, source, step):
        if step.is_executing:
            self._free_worker(step)
            self._after(self._transfer("back", step.size + TRACE) + 2 * self.delay * ROUND_TRIPS_BACK,
                        lambda: self._end(source, step, False))

    def _free_worker(self, step):
        if step.is_executing:
            step.is_executing, self.executing = False, self.executing - 1
            self._give_to_workers()

    def _end(self, source, step, is_here):
        """The first of two results counts. A worker learns that it lost after the delay."""
        if step.state == "done":
            return
        if step.state in ("here", "both"):
            source.here, self.slots = source.here - 1, self.slots - 1
            if not is_here:
                self.used["devices"] -= self.runs.pop(step.run)[0]
        if step.state == "both" and is_here:
            self._after(self.delay, lambda: self._free_worker(step))
        self.won, self.devices = self.won + (not is_here), self.devices + step.is_device
        step.state = "done"
        if all(one.state == "done" for one in source.steps):
            self.active.remove(source)


def bound(build, sources):
    """The largest of the times that the build cannot undercut, and its name. A client runs a device step by itself."""
    own = sum(build.used[kind] for kind in ("plans", "scans", "hosts", "actions")) / build.most
    fronts = (build.used["plans"] + build.used["scans"]) / build.most
    first = sum(next(iter(source["device"].values())) for source in sources) / build.most
    work = sum(source["host"] + sum(source["device"].values()) for source in sources)
    path = max(PLAN + source["scan"] + max(source["device"].values()) for source in sources)
    return max((work / (build.most + build.workers), "all processors"), (path, "longest source"),
               (own + first, f"this machine ({100 * fronts / (own + first):.0f} % front ends)"))


def row(sources, workers):
    """For each kind of machine: the speed-up for each delay, the share of workers and the bound for the first."""
    cells = []
    for slots in SLOTS:
        alone = Build(sources, slots, 0, 0).run().now
        first, *_ = builds = [Build(sources, slots, workers, delay).run() for delay in DELAYS]
        least, name = bound(first, sources)
        cells += [" / ".join(f"{alone / build.now:.2f}" for build in builds), f"{100 * first.won / first.devices:.0f} %",
                  f"{name}, {100 * least / first.now:.0f} %"]
    return cells


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("steps", nargs="?", default=pathlib.Path(__file__).with_name("rocprim_steps.jsonl"), metavar="STEPS")
    given = options.parse_args()
    sources = [json.loads(line) for line in pathlib.Path(given.steps).read_text().splitlines() if line] * COPIES
    print(f"{len(sources)} sources; speed-up for a delay of " + " / ".join(f"{1000 * delay:.0f}" for delay in DELAYS) + " ms\n")
    heads = [f"{slots} processors here | from workers | bound by" for slots in SLOTS]
    print(f"| workers | {' | '.join(heads)} |\n" + "|---" * (1 + 3 * len(SLOTS)) + "|")
    for workers in WORKERS:
        print(f"| {workers} | {' | '.join(row(sources, workers))} |")


if __name__ == "__main__":
    main()
