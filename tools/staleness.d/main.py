"""Tests compile caches against the compiler alone, while things change that a HIP compile does or does not depend on.

Each case compiles, changes something, and compiles again. The same command runs through each launcher and by the
compiler alone, always from the same state of the directory. A launcher's verdict for a case is

  ok             every result is the compiler's, and every owed hit was a hit
  stale          success, but not what the compiler makes now
  broken         failure, a missing file, objects that do not link where the compiler's do, or wrong from the start
  needless miss  the compiler ran again, though nothing changed that could change the output

Every launcher has an empty cache in each case.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import contenders  # first: it brings tools/bench.d
import cases_sources  # noqa: F401  (each adds its cases to the table)
import cases_arguments  # noqa: F401
import cases_toolchain  # noqa: F401
import cases_outputs  # noqa: F401
import cases_hits  # noqa: F401
import report
from case import GROUPS, TABLE
from judge import BROKEN, MISS, STALE, Judge
from process import Failed
from project import Project

import marked  # of tools/shared.d, which project has brought

# In these groups the objects must differ; otherwise a stale object could not be told from a fresh one.
MUST_DIFFER = GROUPS[:3]


def arguments():
    parser = argparse.ArgumentParser(prog="tools/staleness", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("launchers", nargs="*", metavar="LAUNCHER",
                        help="name or path; ccache:depend is ccache in depend mode (default: hipcache ccache ccache:depend sccache)")
    parser.add_argument("--clang", choices=("15", "19", "both"), default="both", help="compiler (default: both)")
    parser.add_argument("--case", metavar="WORDS", help="only the cases whose title matches this regular expression")
    parser.add_argument("--json", metavar="FILE", help="write all verdicts to FILE, with details")
    parser.add_argument("--markdown", action="store_true", help="print the table in Markdown")
    parser.add_argument("--document", metavar="FILE", help="put the table in Markdown into FILE, as docs/correctness.md has it")
    parser.add_argument("--strict", action="store_true", help="fail if any launcher's case is not ok")
    given = parser.parse_args()
    given.launchers = given.launchers or ["hipcache", "ccache", "ccache:depend", "sccache"]
    given.failed = False
    given.clangs = ("15", "19") if given.clang == "both" else (given.clang,)
    return given


def note(text):
    print(f"-- {text}", file=sys.stderr, flush=True)


def found(words):
    launchers = []
    for word in words:
        launcher = contenders.find(word)
        if launcher is None:
            note(f"{word} is not here, and left out")
        else:
            launchers.append(launcher)
    return launchers


def clean_environment():
    """Of the user's environment only what a compile needs: no launcher's settings, and nothing that the driver
    reads."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "USER") if name in os.environ} | {"LC_ALL": "C"}


def try_case(case, clang, launchers, directory):
    """The verdicts by launcher. The launchers run the case side by side, one step at a time."""
    judges, stories = [], []
    try:
        for number, launcher in enumerate(launchers):
            place = pathlib.Path(directory) / str(number)
            project = Project(place / "project", clang)
            mine = contenders.fresh(launcher, place / "cache")
            judges.append(Judge(mine, project, clean_environment(), f"/usr/bin/ld.lld-{clang}"))
            stories.append(case.steps(project))
        with concurrent.futures.ThreadPoolExecutor(len(judges)) as pool:
            while steps := [step for step in (next(story, None) for story in stories) if step is not None]:
                time.sleep(max(launcher.settles for launcher in launchers))
                list(pool.map(Judge.run, judges, steps))
    finally:
        for judge in judges:
            judge.launcher.stop()
        shutil.rmtree(directory, ignore_errors=True)
    if case.group in MUST_DIFFER and not judges[0].reals_differ:
        raise Failed(f"{case.title}: what is changed there does not change what clang {clang} makes")
    return [judge.verdict for judge in judges]


def rows(given, launchers, directory):
    for clang in given.clangs:
        for number, case in enumerate(TABLE):
            if clang not in case.clangs or (given.case and not re.search(given.case, case.title)):
                continue
            try:
                verdicts = try_case(case, clang, launchers, pathlib.Path(directory) / f"{clang}-{number}")
            except Failed as failure:
                note(f"clang {clang}: {case.title}: no verdict: {failure}")
                given.failed = True
                continue
            told = ", ".join(f"{launcher.title}: {verdict.outcome}" for launcher, verdict in zip(launchers, verdicts))
            note(f"clang {clang}: {case.title}: {told}")
            yield {
                "clang": clang,
                "group": case.group,
                "case": case.title,
                "verdicts": {
                    launcher.title: {"outcome": verdict.outcome, "detail": verdict.detail}
                    for launcher, verdict in zip(launchers, verdicts)
                },
            }


def versions(given, launchers):
    told = {launcher.title: launcher.version() for launcher in launchers}
    for clang in given.clangs:
        first = subprocess.run([f"clang++-{clang}", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[0]
        told[f"clang {clang}"] = first.split("version ")[-1]
    return told


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    given = arguments()
    launchers = found(given.launchers)
    if not launchers:
        print("tools/staleness: no launcher", file=sys.stderr)
        return 2
    directory = tempfile.mkdtemp(prefix="hipcache-staleness-")
    try:
        told = list(rows(given, launchers, directory))
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    result = {"date": datetime.date.today().isoformat(), "versions": versions(given, launchers), "cases": told}
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps(result, indent=2) + "\n")
    titles = [launcher.title for launcher in launchers]
    if given.document:
        marked.put_into(given.document, "tools/staleness", report.markdown(result, titles))
    print((report.markdown if given.markdown else report.text)(result, titles))
    if given.failed or not told:
        return 2
    bad = {MISS, STALE, BROKEN} if given.strict else set()
    return 1 if any(verdict["outcome"] in bad for row in told for verdict in row["verdicts"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
