"""Tests hipcache with the compilers of Debian trixie (clang 19, hipcc 5.7) and sid (clang 21, 22, 23, hipcc 7).

Makes a tree of each suite with mmdebstrap, keeps it, and puts hipcache's release build in. There, for each compiler
and offload driver:

  - a small project without HIP's headers goes through builds and edits, with and without relocatable device code and
    its link, and the steps that run are counted;
  - every HIP command line of fixtures/commands runs;
  - each option that the compiler's --help-hidden prints stands beside a small HIP compile: whether it is split, and
    whether what is drawn of the split ones equals the compiler's;
  - both large fixture projects are built, if the suite's HIP headers work with the compiler.

Whatever hipcache leaves must be what the compiler leaves with the same id.

Needs root, a mirror of Debian that apt knows, 6 GB of disk, and an hour. Exit code 1: something is not as expected."""

import datetime
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared.d"))

import report  # noqa: E402
import reporting  # noqa: E402
import suites  # noqa: E402
import tool  # noqa: E402
import trees  # noqa: E402
from tool import ROOT, note  # noqa: E402

TOOL = "tools/test-toolchains"


def arguments():
    parser = tool.parser(TOOL, __doc__)
    parser.add_argument("--trees", metavar="DIRECTORY", default=ROOT / "build/trees",
                        help="keeps the trees (default: build/trees)")
    parser.add_argument("--build", metavar="DIRECTORY", default=ROOT / "build/release",
                        help="hipcache's (default: build/release)")
    parser.add_argument("--suite", choices=[suite.name for suite in suites.SUITES], action="append",
                        help="only this one; may be repeated")
    parser.add_argument("--compiler", metavar="WORDS", default="",
                        help="only compilers whose title matches this expression")
    parser.add_argument("--driver", choices=suites.DRIVER_FLAGS, default="", help="only that one")
    parser.add_argument("--part", choices=suites.PARTS, action="append", help="only this part; may be repeated")
    parser.add_argument("--line", metavar="WORDS", default="", help="only command lines that match this expression")
    parser.add_argument("--draw", type=int, default=50, metavar="COUNT",
                        help="how many options of each compiler are compared (default: 50)")
    parser.add_argument("--seed", type=int, default=1, help="which (default: 1)")
    tool.add_document(parser)
    given = parser.parse_args()
    given.part = given.part or suites.PARTS
    return given


def try_suite(suite, given):
    """The suite's date, and a row for each compiler and driver."""
    tree = trees.Tree(suite, given.trees)
    tree.make()
    note(f"Debian {suite.name} of {tree.date()}")
    build = pathlib.Path(given.build).absolute()
    tree.put_libraries(build / "libexec/hipcache/hipcached")
    return tree.date(), json.loads(tree.run(build, vars(given)))


def main():
    given = arguments()
    if os.geteuid() != 0:
        print(f"{TOOL}: needs root, for chroot and mounts", file=sys.stderr)
        return 2
    dates, rows = {}, []
    for suite in suites.SUITES:
        if not given.suite or suite.name in given.suite:
            dates[suite.name], told = try_suite(suite, given)
            rows += told
    text = report.markdown(datetime.date.today().isoformat(), dates, rows)
    reporting.put_into(given.document, TOOL, text)
    print(text)
    problems = list(report.problems(rows))
    for problem in problems:
        note(problem)
    return 1 if problems or not rows else 0


if __name__ == "__main__":
    tool.end_with(main, "tools/test-toolchains")
