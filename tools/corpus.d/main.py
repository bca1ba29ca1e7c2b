"""Edits the files of the test suites of clang and gcc, and compares hipcache with the compiler after each edit.

The suites come from Debian's source packages of the installed compilers. They are kept in ~/.cache/hipcache-corpus, or in
$HIPCACHE_CORPUS. Each file is compiled with the options of its test, unedited and after thirty edits: ten that mostly
change nothing for the compiler, ten that mostly do, and on each of these one more of the first kind. Each compile runs
through hipcache and by the compiler alone. Exit code, messages and all files have to agree.

Exit code 1: there are differences. 77: the suites are not here and cannot be fetched.
"""

import collections
import datetime
import fnmatch
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared.d"))

import edits  # noqa: E402
import reporting  # noqa: E402
import suites  # noqa: E402
import tool  # noqa: E402
import trial  # noqa: E402
from instance import Instance  # noqa: E402
from launchers import version_of  # noqa: E402
from process import Failed  # noqa: E402
from tool import note  # noqa: E402

SKIPPED = 77
UNUSED = (trial.CRASHES, trial.SLOWLY, trial.NONE)


def arguments():
    parser = tool.parser("tools/corpus", __doc__)
    parser.add_argument("hipcache", nargs="?", help="default: build/release/bin/hipcache")
    parser.add_argument("--minutes", type=float, help="begin no further file after so long (default: all files)")
    parser.add_argument("--share", type=float, default=1, help="share of the files, such as 0.02 (default: 1)")
    parser.add_argument("--seed", type=int, default=1, help="chooses files and edits (default: 1)")
    parser.add_argument("--jobs", type=int, default=2, help="files at once (default: 2)")
    parser.add_argument("--compiler", default="all", help="such as clang, 15, clang-19, gcc (default: all)")
    parser.add_argument("--file", metavar="NAME", default="*",
                        help="only this file of the suites, as a finding names it, or a pattern such as 'Lexer/*'")
    parser.add_argument("--edit", type=int, metavar="N", help="only the edits up to this one, as a finding names it")
    parser.add_argument("--keep", metavar="DIRECTORY", help="put what repeats the findings there")
    tool.add_document(parser)
    return parser.parse_args()


def files_to_try(given):
    """Pairs of suite and name, in an order of chance."""
    found = []
    for suite in suites.installed(given.compiler):
        suite.fetch()
        found += [(suite, name) for name in suite.files() if fnmatch.fnmatchcase(name, given.file)]
    rng = random.Random(given.seed)
    rng.shuffle(found)
    return found[: max(1, round(len(found) * given.share))]


class Workers:
    """Try files, each worker in a process of its own."""

    def __init__(self, given, hipcache, place):
        self.given, self.hipcache, self.place = given, hipcache, place
        self.deadline = time.monotonic() + 60 * given.minutes if given.minutes else None
        self.runner = None

    def __call__(self, job):
        if self.deadline and time.monotonic() > self.deadline:
            return None
        self.runner = self.runner or trial.Runner()
        suite, name = job
        return trial.try_file(suite, name, self.given.seed, self.hipcache, self.runner, self.place, self.given.edit)


worker = None  # set before the pool is made, so that its processes have it


def call_worker(job):
    return worker(job)


class Findings:
    def __init__(self, given):
        self.given, self.count = given, 0
        self.place = pathlib.Path(given.keep) if given.keep else None

    def add(self, report):
        for finding in report.findings:
            self.count += 1
            self.place = self.place or pathlib.Path(tempfile.mkdtemp(prefix="hipcache-corpus-findings-"))
            repeat = (f"tools/corpus --seed {self.given.seed} --compiler {report.compiler} --file {report.name} "
                      f"--edit {finding.number}")
            place = self.place / f"{self.count}"
            shutil.rmtree(place, ignore_errors=True)
            trial.keep(place, finding, repeat)
            heading = f"FINDING {place}: {finding.kind}: {repeat}"
            print("\n  ".join([heading, finding.command, *finding.told]), flush=True)


def outcomes(hipcache):
    """By directory: what hipcache says that each request was, in their order."""
    found = collections.defaultdict(list)
    for log in ("events.old.jsonl", "events.jsonl"):
        for path in hipcache.directory.glob(f"[0-9]*/{log}"):
            for line in path.open(errors="replace"):
                if '"event":"request"' in line:
                    event = json.loads(line)
                    found[event["directory"]].append(event["outcome"])
    return found


def tallied(reports, said):
    """By kind of edit, and by compiler and sort of edit: compiles, those whose result stayed as it was, hits among these.
    And by compiler, the files that had no hit after an edit of the text."""
    kinds, strict = collections.defaultdict(lambda: [0, 0, 0]), collections.Counter()
    for report in reports:
        outcome = said.get(report.directory, [])
        if len(outcome) != len(report.asked):
            note(f"{report.compiler} {report.name}: {len(report.asked)} requests, {len(outcome)} events")
            continue
        hits = asked = 0
        for (kind, stayed), how in list(zip(report.asked, outcome))[1:]:
            if kind is None:
                continue
            for key in (kind, (report.compiler, kind in edits.VISIBLE)):
                kinds[key][0] += 1
                kinds[key][1] += stayed
                kinds[key][2] += stayed and how == "hit"
            is_text = stayed and kind in edits.TEXT
            asked, hits = asked + is_text, hits + (is_text and how == "hit")
        strict[report.compiler] += bool(asked and not hits and report.state != trial.FAILS)
    return kinds, strict


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def markdown(given, reports, findings, said, seconds):
    kinds, strict = tallied(reports, said)
    compilers = sorted({report.compiler for report in reports})
    asked = sum(len([kind for kind, _ in report.asked if kind not in (None, "none")]) for report in reports)
    used = [report for report in reports if report.state not in UNUSED]
    versions = ", ".join(f"{compiler} {version_of(compiler)}" for compiler in compilers)
    head = (f"Of {datetime.date.today().isoformat()}: {versions}; seed {given.seed}, {len(used)} files, {asked} edits, "
            f"{seconds / 60:.0f} minutes, {given.jobs} files at once. **{findings} differences.**")
    states = (trial.COMPILES, trial.MENDED, trial.FAILS, *UNUSED)
    rows = [[f"files that {state}", *(sum(one.state == state and one.compiler == compiler for one in reports)
                                      for compiler in compilers)] for state in states]
    rows.append(["files with no hit after an edit of the text", *(strict[compiler] for compiler in compilers)])
    for title, is_visible in (("invisible edits", False), ("neighbours", True)):
        cells = [kinds[compiler, is_visible] for compiler in compilers]
        rows.append([title, *(cell[0] for cell in cells)])
        rows.append([f"{title} that left the result as it was", *(cell[1] for cell in cells)])
        rows.append(["hits of these", *(share(cell[2], cell[1]) for cell in cells)])
    tables = [reporting.narrow_table(["", *compilers], rows)]
    for title, names in (("invisible edit", edits.INVISIBLE), ("neighbour", edits.VISIBLE)):
        rows = [[kind, kinds[kind][0], kinds[kind][1], share(kinds[kind][2], kinds[kind][1])] for kind in names]
        tables.append(reporting.narrow_table([title, "compiles", "result stayed", "hits of these"], rows))
    return "\n\n".join([head, *tables])


def run(given, jobs, place):
    """The reports, the number of findings, and hipcache's outcomes."""
    global worker  # pylint: disable=global-statement
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    environment["LC_ALL"] = "C"
    hipcache = Instance(given.hipcache or tool.default_hipcache(), place / "cache", environment, HIPCACHE_AUDIT="0",
                        HIPCACHE_QUIET="1", HIPCACHE_EVENT_LOG="16G", HIPCACHE_IDLE_TIMEOUT="600s")
    if not pathlib.Path(hipcache.command).exists():
        raise Failed(tool.missing(hipcache.command))
    hipcache.command = str(pathlib.Path(hipcache.command).resolve())
    (place / "work").mkdir()
    worker = Workers(given, hipcache, place / "work")
    reports, findings, told = [], Findings(given), time.monotonic()
    hipcache.must("--start-server")
    try:
        with multiprocessing.get_context("fork").Pool(given.jobs) as pool:
            for report in pool.imap_unordered(call_worker, jobs):
                if report is None:
                    break
                reports.append(report)
                findings.add(report)
                if time.monotonic() - told > 60:
                    told = time.monotonic()
                    note(f"{len(reports)} of {len(jobs)} files, {findings.count} differences")
    finally:
        hipcache.stop()
    return reports, findings.count, outcomes(hipcache)


def main():
    given = arguments()
    try:
        jobs = files_to_try(given)
    except Failed as failure:
        print(f"skipped: no suites in {suites.PLACE}, and apt cannot fetch them: {str(failure).splitlines()[-1]}")
        return SKIPPED
    if not jobs:
        raise Failed("no such file, or none of the compilers is here")
    began = time.monotonic()
    with tool.scratch("corpus") as place:
        reports, findings, said = run(given, jobs, place)
    text = markdown(given, reports, findings, said, time.monotonic() - began)
    print(text)
    reporting.put_into(given.document, "tools/corpus", text)
    return 1 if findings else 0


if __name__ == "__main__":
    tool.end_with(main, "tools/corpus")
