"""Compiles HIP, C and C++ through hipcache while things go wrong, for a number of minutes. Compares each result with
the compiler alone: exit code, messages, bytes of each file, and how long it took. After a fault that damages no data,
everything that hit before it must hit again.

With --faults, only the networks between hipcache and the servers of shared caches fail, as often as that says.

Each case has a random project, a random cache and one fault, sometimes a second one. The same seed makes the same
cases, except for the moments at which a fault meets a compile.

Exit code 1: something was found, and is kept in a directory of its own. 2: the tool itself failed.
"""

import argparse
import contextlib
import datetime
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import faults_kills  # noqa: F401  (each adds its faults to the table)
import faults_stops  # noqa: F401
import faults_disk  # noqa: F401
import faults_limits  # noqa: F401
import faults_damage  # noqa: F401
import faults_edits  # noqa: F401
import faults_socket  # noqa: F401
import faults_remote  # noqa: F401
import machine
import report
from cache import Cache
from case import Case
from network_run import NetworkRun
from report import Tally
from table_of_faults import TABLE

import marked  # of tools/shared.d, which project has brought

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILT = ROOT / "build/release/bin/hipcache"
# The share of cases with a second fault after the first.
SECOND_FAULT = 0.2


def arguments():
    keep_lines = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="tools/torture", description=__doc__, formatter_class=keep_lines)
    parser.add_argument("minutes", type=float, nargs="?", metavar="MINUTES",
                        help="how long; 0: each fault once; with --faults: at most so long, if not 0")
    parser.add_argument("hipcache", nargs="?", help="path of hipcache (default: the release build's)")
    parser.add_argument("--seed", type=int, default=1, help="first seed (default: 1)")
    parser.add_argument("--clang", choices=("15", "19", "both"), default="both",
                        help="compiler (default: both, in turns)")
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
                        help="instead: break the networks of shared caches until N faults have struck")
    parser.add_argument("--pause-while", metavar="FILE", help="with --faults: begin no case while FILE exists")
    given = parser.parse_intermixed_args()
    if given.minutes is None and given.faults is None:
        parser.error("MINUTES is missing, or --faults")
    given.clangs = ("15", "19") if given.clang == "both" else (given.clang,)
    return given


def chosen(given, program):
    faults = [fault for fault in TABLE if re.search(given.only, f"{fault.kind}: {fault.title}")]
    if not machine.APART:
        left_out = [fault for fault in faults if fault.needs_mounts]
        for fault in left_out:
            print(f"-- left out, as it needs root: {fault.title}", flush=True)
        faults = [fault for fault in faults if fault not in left_out]
    if closed := machine.closed_to_others(program):
        for fault in (one for one in faults if one.needs_users):
            print(f"-- left out, as other users cannot enter {closed}: {fault.title}", flush=True)
        faults = [fault for fault in faults if not fault.needs_users]
    return faults


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


class Torture:
    def __init__(self, given, program, faults):
        self.given = given
        self.program = program
        self.faults = faults
        self.tally = Tally(given.clangs)
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="hipcache-torture-"))
        self.evidence = given.keep
        self.broken = 0

    def run(self):
        began = told = time.monotonic()
        for number, clang, faults, rng in schedule(self.given, self.faults):
            if self.given.case not in (None, number):
                continue
            for _ in range(self.given.times if self.given.case is not None else 1):
                state = rng.getstate()
                self._try(number, clang, faults, rng)
                rng.setstate(state)
            now = time.monotonic()
            if now - told > 60:
                told = now
                print(f"-- {(now - began) / 60:.0f} min: {self.progress()}", flush=True)
            last = self.given.case is not None and clang == self.given.clangs[-1]
            if last or (self.given.minutes and now - began > 60 * self.given.minutes):
                break
        print(f"-- {(time.monotonic() - began) / 60:.1f} min: {self.progress()}", flush=True)

    def progress(self):
        cases, compiles, findings = self.tally.sums()
        return f"{cases} cases ({self.tally.by_kind()}), {compiles} compiles, {findings} findings"

    def _try(self, number, clang, faults, rng):
        case = Case(self.program, self.place / "reference", self.place / f"{clang}-{number}", clang, rng)
        try:
            for fault in faults:
                case.note(f"{fault.kind}: {fault.title}")
                fault.run(case)
        except Exception:  # pylint: disable=broad-except
            self.broken += 1
            print(f"-- the tool failed: {self.repeat(number, clang)}\n{traceback.format_exc()}", flush=True)
            case.note(traceback.format_exc())
        finally:
            self.tally.count(faults[0], case)
            if case.findings:
                self._found(case, number, clang, faults)
            case.end_all()

    def _found(self, case, number, clang, faults):
        self.evidence = self.evidence or tempfile.mkdtemp(prefix="hipcache-torture-findings-")
        kept = pathlib.Path(self.evidence) / f"{self.given.seed}-{number}-clang{clang}"
        repeat = self.repeat(number, clang)
        case.keep(kept, repeat)
        print(f"FINDING, clang {clang}: {' and '.join(fault.title for fault in faults)}")
        for finding in case.findings:
            print(f"  {finding}")
        print(f"  evidence: {kept}\n  repeat:   {repeat}", flush=True)

    def repeat(self, number, clang):
        words = ["tools/torture", f"{self.given.minutes:g}", "--seed", self.given.seed]
        words += ["--clang", clang, "--case", number]
        words += ["--only", f"'{self.given.only}'"] if self.given.only else []
        return " ".join(map(str, [*words, *([self.given.hipcache] if self.given.hipcache else [])]))

    def end(self):
        reference = Cache(self.program, self.place / "reference", {})
        reference.end()
        machine.reap()
        shutil.rmtree(self.place, ignore_errors=True)


def begun(given, program):
    version = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()[-1]
    return f"Of {datetime.date.today().isoformat()}: hipcache {version}, seed {given.seed}"


def told(given, program):
    return f"{begun(given, program)}, {f'{given.minutes:g} minutes' if given.minutes else 'each fault once'}"


def break_networks(given, program):
    run = NetworkRun(given, program)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            run.run()
    finally:
        run.end()
    print(f"-- {run.line()}")
    if given.document:
        marked.put_into(given.document, "tools/torture of networks", run.tally.markdown(begun(given, program)))
    if run.broken:
        return 2
    return 1 if run.tally.findings else 0


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    given = arguments()
    if given.list:
        for fault in TABLE:
            print(f"{fault.kind}: {fault.title}")
        return 0
    program = pathlib.Path(given.hipcache or shutil.which("hipcache") or BUILT)
    if not given.hipcache and BUILT.exists():
        program = BUILT
    faults = chosen(given, program) if program.exists() else []
    if not faults:
        missing = "such fault" if program.exists() else program
        print(f"tools/torture: no {missing}", file=sys.stderr)
        return 2
    if given.faults is not None:
        return break_networks(given, program.resolve())
    torture = Torture(given, program.resolve(), faults)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            torture.run()
    finally:
        torture.end()
    print(report.markdown(torture.tally, told(given, program)))
    if given.document:
        marked.put_into(given.document, "tools/torture", report.markdown(torture.tally, told(given, program)))
    if torture.broken:
        return 2
    return 1 if torture.tally.sums()[2] else 0


if __name__ == "__main__":
    os.umask(0o022)
    sys.exit(main())
