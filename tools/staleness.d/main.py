"""Tests compile caches against the compiler alone, while things change that a HIP compile does or does not depend on.

Each case compiles, changes something, and compiles again. The same command runs through each launcher and by the
compiler alone, always from the same state of the directory. A launcher's verdict for a case is

  ok             every result is the compiler's, and every owed hit was a hit
  stale          success, but not what the compiler makes now
  broken         failure, a missing file, objects that do not link where the compiler's do, or wrong from the start
  needless miss  the compiler ran again, though nothing changed that could change the output

Every launcher has an empty cache in each case.
"""

import concurrent.futures
import copy
import datetime
import os
import pathlib
import re
import shutil
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared.d"))

import launchers as contenders  # noqa: E402
import report  # noqa: E402
import reporting  # noqa: E402
import tool  # noqa: E402
from cases import GROUPS, TABLE  # noqa: E402
from judge import BROKEN, MISS, STALE, Judge  # noqa: E402
from process import Failed  # noqa: E402
from project import Project  # noqa: E402
from tool import note  # noqa: E402

# In these groups the objects must differ; otherwise a stale object could not be told from a fresh one.
MUST_DIFFER = GROUPS[:3]


def arguments():
    parser = tool.parser("tools/staleness", __doc__)
    parser.add_argument("launchers", nargs="*", metavar="LAUNCHER",
                        default=["hipcache", "ccache", "ccache:depend", "sccache"],
                        help="name or path; ccache:depend is ccache in depend mode "
                             "(default: hipcache ccache ccache:depend sccache)")
    tool.add_clang(parser)
    parser.add_argument("--case", metavar="WORDS", default="",
                        help="only the cases whose title matches this regular expression")
    tool.add_results(parser)
    parser.add_argument("--markdown", action="store_true", help="print the table in Markdown")
    parser.add_argument("--strict", action="store_true", help="fail if any launcher's case is not ok")
    given = parser.parse_args()
    given.failed = False
    given.clangs = tool.clangs(given)
    return given


def found(words):
    launchers = []
    for word in words:
        launcher = contenders.named(word)
        if launcher is None:
            note(f"{word} is not here, and left out")
        else:
            launchers.append(launcher)
    return launchers


def clean_environment():
    """Of the user's environment only what a compile needs: no launcher's settings, and nothing that the driver
    reads."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "USER")
            if name in os.environ} | {"LC_ALL": "C"}


def try_case(case, clang, launchers, directory):
    """The verdicts by launcher. The launchers run the case side by side, one step at a time."""
    judges, stories = [], []
    try:
        for number, launcher in enumerate(launchers):
            place = pathlib.Path(directory) / str(number)
            project = Project(place / "project", clang)
            mine = copy.copy(launcher)
            mine.renew(place / "cache")
            judges.append(Judge(mine, project, clean_environment(), f"/usr/bin/ld.lld-{clang}"))
            stories.append(case.run(project))
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
            if clang not in case.clangs or not re.search(given.case, case.title):
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
    return {**told, **{f"clang {clang}": contenders.version_of(f"clang++-{clang}") for clang in given.clangs}}


def main():
    given = arguments()
    launchers = found(given.launchers)
    if not launchers:
        print("tools/staleness: no launcher", file=sys.stderr)
        return 2
    with tool.scratch("staleness") as directory:
        told = list(rows(given, launchers, directory))
    result = {"date": datetime.date.today().isoformat(), "versions": versions(given, launchers), "cases": told}
    titles = [launcher.title for launcher in launchers]
    reporting.keep(given, "tools/staleness", report.markdown(result, titles), result)
    print((report.markdown if given.markdown else report.text)(result, titles))
    if given.failed or not told:
        return 2
    bad = {MISS, STALE, BROKEN} if given.strict else set()
    return 1 if any(verdict["outcome"] in bad for row in told for verdict in row["verdicts"].values()) else 0


if __name__ == "__main__":
    tool.end_with(main, "tools/staleness")
