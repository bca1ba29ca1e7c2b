"""Compiles HIP, C and C++ through hipcache while things go wrong, for a number of minutes. Compares each result with
the compiler alone: exit code, messages, bytes of each file, and how long it took. After a fault that damages no data,
everything that hit before it must hit again.

With --faults, only the networks between hipcache and the servers of shared caches fail, as often as that says; with
--faults and --only execute, an engine of remote execution, its workers and the network in between.

Each case has a random project, a random cache and one fault, sometimes a second one. The same seed makes the same
cases, except for the moments at which a fault meets a compile.

Exit code 1: something was found, and is kept in a directory of its own. 2: the tool itself failed.
"""

import contextlib
import datetime
import importlib
import os
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared.d"))

import mounts  # noqa: E402
import processes  # noqa: E402
import reporting  # noqa: E402
import tool  # noqa: E402
from cache import Cache  # noqa: E402
from case import Case  # noqa: E402
from network_run import ENGINE, NetworkRun  # noqa: E402
from process import must  # noqa: E402
from run import Run  # noqa: E402
from table_of_faults import TABLE  # noqa: E402
from tally import Tally  # noqa: E402

for _kind in ("kills", "stops", "disk", "damage", "edits", "setups"):
    importlib.import_module(f"faults_{_kind}")  # adds its faults to the table

# The share of cases with a second fault after the first.
SECOND_FAULT = 0.2


def arguments():
    parser = tool.parser("tools/torture", __doc__)
    parser.add_argument("minutes", type=float, nargs="?", metavar="MINUTES",
                        help="how long; 0: each fault once; with --faults: at most so long, if not 0")
    parser.add_argument("hipcache", nargs="?", help="path of hipcache (default: the release build's)")
    parser.add_argument("--seed", type=int, default=1, help="first seed (default: 1)")
    tool.add_clang(parser)
    parser.add_argument("--only", metavar="WORDS", default="",
                        help="only faults whose kind and title match this regular expression")
    parser.add_argument("--case", type=int, metavar="N", help="this case alone, as a finding names it")
    parser.add_argument("--times", type=int, default=1, metavar="N",
                        help="run the case of --case so many times (default: 1)")
    parser.add_argument("--keep", metavar="DIRECTORY", help="where evidence goes (default: a new directory)")
    parser.add_argument("--document", metavar="FILE",
                        help="put the table into FILE: docs/correctness.md; with --faults docs/torture.md")
    parser.add_argument("--list", action="store_true", help="list the faults and end")
    parser.add_argument("--faults", type=int, metavar="N",
                        help="instead: break the networks of shared caches, or an engine, until N faults have struck")
    given = parser.parse_intermixed_args()
    if given.minutes is None and given.faults is None:
        parser.error("MINUTES is missing, or --faults")
    given.clangs = tool.clangs(given)
    return given


def chosen(given):
    """The faults that --only names and that this machine can make."""
    for fault in TABLE:
        if not re.search(given.only, f"{fault.kind}: {fault.title}"):
            continue
        if fault.needs_mounts and not mounts.APART:
            print(f"-- left out, as it needs root: {fault.title}", flush=True)
        else:
            yield fault


def schedule(given, faults):
    """The number, compiler and faults of each case: in each round every fault comes once for each compiler."""
    number = 0
    for turn in range(1_000_000):
        order = list(faults)
        random.Random(f"{given.seed} {turn}").shuffle(order)
        for fault in order:
            for clang in given.clangs:
                rng = random.Random(f"{given.seed} {number} {clang}")
                more = [rng.choice(faults)] if rng.random() < SECOND_FAULT and given.minutes else []
                yield number, clang, [fault, *more], rng
            number += 1
        if not given.minutes and given.case is None:
            return


class Torture(Run):
    def __init__(self, given, program, faults, place):
        super().__init__(given, Tally(given.clangs))
        self.program, self.faults, self.place = program, faults, place

    def run(self):
        for number, clang, faults, rng in schedule(self.given, self.faults):
            if self.given.case not in (None, number):
                continue
            for _ in range(self.given.times if self.given.case is not None else 1):
                state = rng.getstate()
                self._try(number, clang, faults, rng)
                rng.setstate(state)
            last = self.given.case is not None and clang == self.given.clangs[-1]
            if last or self.is_over():
                break

    def _try(self, number, clang, faults, rng):
        case = Case(self.program, self.place / "reference", self.place / f"{clang}-{number}", clang, rng)
        case.fault = faults[0]
        words = ["--clang", clang, "--case", number] + (["--only", f"'{self.given.only}'"] if self.given.only else [])

        def run():
            for fault in faults:
                fault.run(case)

        self.attempt(case, run, f"{self.given.seed}-{number}-clang{clang}", words)

    def end(self):
        Cache(self.program, self.place / "reference", {}).end()
        processes.reap()


def measure(given, run, program):
    """Runs the cases; returns the text for the document."""
    try:
        with contextlib.suppress(KeyboardInterrupt):
            run.run()
    finally:
        run.end()
    print(f"-- {run.line()}", flush=True)
    version = must([program, "--version"]).split()[-1]
    how = f", {given.minutes:g} minutes" if given.minutes else ", each fault once" if given.faults is None else ""
    return run.tally.markdown(f"Of {datetime.date.today().isoformat()}: hipcache {version}, seed {given.seed}{how}")


def main():
    given = arguments()
    if given.list:
        for fault in TABLE:
            print(f"{fault.kind}: {fault.title}")
        return 0
    program = pathlib.Path(given.hipcache or tool.default_hipcache())
    faults = list(chosen(given)) if given.faults is None else TABLE
    if not faults or not program.exists():
        missing = "such fault" if program.exists() else program
        print(f"tools/torture: no {missing}", file=sys.stderr)
        return 2
    with tool.scratch("torture") as place:
        if given.faults is None:
            name, run = "tools/torture", Torture(given, program.resolve(), faults, place)
        else:
            name = f"tools/torture of {'engines' if given.only == ENGINE else 'networks'}"
            run = NetworkRun(given, program.resolve(), place)
        text = measure(given, run, program.resolve())
    print(text)
    reporting.put_into(given.document, name, text)
    return 2 if run.broken else 1 if run.tally.sums()[2] else 0


if __name__ == "__main__":
    os.umask(0o022)
    tool.end_with(main, "tools/torture")
