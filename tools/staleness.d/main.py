"""Compares compile caches with the compiler alone, while things change that a HIP compile does or does not depend on.

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
import reporting  # noqa: E402
import tool  # noqa: E402
from cases import GROUPS, TABLE  # noqa: E402
from judge import OK, Judge  # noqa: E402
from process import Failed  # noqa: E402
from project import Project  # noqa: E402
from tool import note  # noqa: E402

# In these groups the objects must differ; otherwise a stale object could not be told from a fresh one.
MUST_DIFFER = GROUPS[:3]


def arguments():
    parser = tool.parser("tools/staleness", __doc__)
    parser.add_argument("launchers", nargs="*", metavar="LAUNCHER", default=list(contenders.KINDS),
                        help=f"name or path; ccache:depend is ccache in depend mode "
                             f"(default: {' '.join(contenders.KINDS)})")
    tool.add_clang(parser)
    parser.add_argument("--case", metavar="WORDS", default="",
                        help="only the cases whose title matches this regular expression")
    tool.add_document(parser)
    parser.add_argument("--strict", action="store_true", help="fail if any launcher's case is not ok")
    return parser.parse_args()


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
    """The verdicts in the order of the launchers, which run the case side by side, one step at a time."""
    judges, stories = [], []
    try:
        for number, launcher in enumerate(launchers):
            place = directory / str(number)
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


def verdicts(given, launchers, directory):
    """By group and title of each case, and by compiler: the verdicts."""
    told = {}
    for clang in tool.clangs(given):
        for number, case in enumerate(TABLE):
            if clang in case.clangs and re.search(given.case, case.title):
                made = try_case(case, clang, launchers, directory / f"{clang}-{number}")
                told.setdefault((case.group, case.title), {})[clang] = made
                details = (f"{launcher.title}: {verdict.outcome}" + (f" ({verdict.detail})" if verdict.detail else "")
                           for launcher, verdict in zip(launchers, made))
                note(f"clang {clang}: {case.title}: {', '.join(details)}")
    return told


def cell(by_clang, number):
    """One launcher's outcome of a case, or each compiler's if they differ."""
    outcomes = {clang: made[number].outcome for clang, made in by_clang.items()}
    if len(set(outcomes.values())) == 1:
        told = next(iter(outcomes.values()))
    else:
        told = ", ".join(f"{clang}: {outcome}" for clang, outcome in outcomes.items())
    return told if told == OK else f"**{told}**"


def markdown(told, launchers, clangs):
    """A table for each group, after the day and the versions."""
    versions = [f"{launcher.title} {launcher.version()}" for launcher in launchers]
    versions += [f"clang {clang} {contenders.version_of(f'clang++-{clang}')}" for clang in clangs]
    parts = [f"Of {datetime.date.today().isoformat()}: {', '.join(versions)}."]
    for group in GROUPS:
        rows = []
        for (of_group, title), by_clang in told.items():
            if of_group == group:
                only = "" if len(by_clang) == len(clangs) else f" (clang {', '.join(by_clang)} only)"
                rows.append((title + only, *(cell(by_clang, number) for number in range(len(launchers)))))
        if rows:
            parts.append(reporting.narrow_table((group, *(launcher.title for launcher in launchers)), rows))
    return "\n\n".join(parts)


def main():
    given = arguments()
    launchers = found(given.launchers)
    if not launchers:
        raise Failed("no launcher")
    with tool.scratch("staleness") as directory:
        told = verdicts(given, launchers, directory)
    if not told:
        raise Failed(f"no case matches {given.case}")
    text = markdown(told, launchers, tool.clangs(given))
    print(text)
    reporting.put_into(given.document, "tools/staleness", text)
    bad = any(verdict.outcome != OK for by_clang in told.values() for made in by_clang.values() for verdict in made)
    return 1 if given.strict and bad else 0


if __name__ == "__main__":
    tool.end_with(main, "tools/staleness")
