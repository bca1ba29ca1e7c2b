"""Measures hipcache beside the compiler alone, ccache and sccache.

Everything that is compared runs in one session, taking turns; medians are reported. Caches, daemons and build
directories are throw-away. Needs an idle machine: the figures for eight architectures mean nothing on a busy one.
"""

import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared.d"))

import document  # noqa: E402
import reporting  # noqa: E402
import targets  # noqa: E402
import system_calls  # noqa: E402
import tool  # noqa: E402
from builds import Builds  # noqa: E402
from compression import Compression  # noqa: E402
from crowd import Crowd  # noqa: E402
from edits import Edits  # noqa: E402
from execution import Execution  # noqa: E402
from fixture import COMPILERS, PROJECTS  # noqa: E402
from large_store import LargeStore  # noqa: E402
from latency import Latency  # noqa: E402
from launchers import found  # noqa: E402
from plot import svg  # noqa: E402
from process import Failed  # noqa: E402
from remote.part import Remote  # noqa: E402
from scaling import Scaling  # noqa: E402
from tool import ROOT, note  # noqa: E402

ARCHS = "gfx906,gfx1030"
ADDED = "gfx90a"
FIGURES = ROOT / "docs/benchmarks.md"
PICTURE = ROOT / "docs/benchmarks.svg"
PARTS = ("builds", "edits", "hits", "crowd", "store", "archs", "remote", "execution")


def arguments():
    parser = tool.parser("tools/bench", __doc__)
    parser.add_argument("--repeat", type=int, metavar="N", default=1,
                        help="runs of builds, edits, units and shared caches; medians are reported (default: 1)")
    parser.add_argument("--hits", type=int, help="hits to time (default: 200)")
    parser.add_argument("--clang", choices=COMPILERS, action="append", help="compiler; may be repeated (default: both)")
    parser.add_argument("--project", choices=PROJECTS, action="append", help="project; may be repeated (default: both)")
    parser.add_argument("--archs", default=ARCHS, help=f"of builds and edits (default: {ARCHS}); {ADDED} is added")
    parser.add_argument("--only", choices=PARTS, action="append",
                        help="part to measure; may be repeated (default: all)")
    parser.add_argument("--hipcache", default=tool.BUILT, help="the program to measure")
    parser.add_argument("--ccache", metavar="PATH", default="ccache",
                        help="ccache to compare with (default: the one in PATH; see tools/newest-launchers)")
    parser.add_argument("--sccache", metavar="PATH", default="sccache",
                        help="sccache to compare with (default: the one in PATH)")
    parser.add_argument("--quick", action="store_true",
                        help="a short unit, fewer turns, and unless given: 50 hits, one compiler, one project")
    tool.add_document(parser)
    parser.add_argument("--plot", action="store_true",
                        help="measure nothing: draw docs/benchmarks.svg from docs/benchmarks.md")
    given = parser.parse_args()
    given.clang = given.clang or (["19"] if given.quick else list(COMPILERS))
    given.project = given.project or (["hip-language"] if given.quick else list(PROJECTS))
    given.archs = given.archs.split(",")
    given.hits = given.hits or (50 if given.quick else 200)
    given.only = given.only or PARTS
    for program in (given.ccache, given.sccache):
        if "/" in program and not shutil.which(program):
            parser.error(f"no program {program}")
    return given


def settings(given):
    runs = "one run" if given.repeat == 1 else f"medians of {given.repeat} runs"
    return f"{runs}{', `--quick`' if given.quick else ''}, architectures {', '.join(given.archs)}, then {ADDED}"


def measure(given, launchers, directory, load):
    """Each part in turn; its text is shown as soon as it is known, as the whole takes a while."""
    report = document.Document(settings(given), document.machine(launchers, given.clang, load))
    hipcache, clang = launchers[-1], given.clang[0]
    builds = Builds(launchers, directory, given.archs, ADDED)
    compression = Compression(hipcache)
    edits = Edits(launchers, directory, given.archs)
    latency = Latency(launchers, directory, clang)
    crowd = Crowd(hipcache, directory, clang)
    large_store = LargeStore(hipcache, directory, clang)
    scaling = Scaling(hipcache, directory, clang, "scan.cpp" if given.quick else "sort.cpp")
    remote = Remote(launchers, directory, given.archs)
    execution = Execution(hipcache, directory, clang)
    built = directory / f"{given.project[-1]}-clang{given.clang[-1]}-hipcache"
    # The part of --only, its title, what measures it, and its text.
    for name, title, run, text in (
        ("builds", "Builds", lambda: builds.run(given.project, given.clang, given.repeat), builds.text),
        ("builds", "Compression", lambda: compression.run(built), compression.text),
        ("edits", "Edits", lambda: edits.run(given.clang, given.repeat), edits.text),
        ("hits", "Hit latency", lambda: latency.run(given.hits), latency.text),
        ("hits", "System calls of a hit", lambda: None, lambda: system_calls.text_of(latency, directory)),
        ("crowd", "Many at once", lambda: crowd.run(10 * given.hits), crowd.text),
        ("store", "A large store", lambda: large_store.run(given.hits), large_store.text),
        ("archs", "Many architectures", lambda: scaling.run(given.repeat), scaling.text),
        ("remote", "Shared caches",
         lambda: remote.run(given.project, given.clang, given.repeat, 2 if given.quick else 5), remote.text),
        ("execution", "Remote execution", lambda: execution.run(given.repeat), execution.text),
    ):
        if name in given.only:
            run()
            report.add(title, text())
    reached = targets.rows(builds, edits, latency, crowd, large_store, scaling, remote, execution)
    if given.only != PARTS:
        reached = [row for row in reached if row["reached"] != "not measured"]
    report.add("Targets", targets.text_of(reached))
    return report


def main():
    given = arguments()
    if given.plot:
        PICTURE.write_text(svg(FIGURES.read_text()))
        return 0
    launchers = found(given.ccache, given.sccache, given.hipcache)
    if launchers[-1].name != "hipcache":
        raise Failed(tool.missing(given.hipcache))
    load = os.getloadavg()[0]
    if load > 0.5:
        note(f"this machine is busy (load {load:.1f}): ratios of builds and of many architectures will mislead")
    with tool.scratch("bench") as directory:
        try:
            report = measure(given, launchers, directory, load)
        finally:
            for launcher in launchers:
                launcher.stop()
    reporting.put_into(given.document, "tools/bench", report.text)
    return 0


if __name__ == "__main__":
    tool.end_with(main, "tools/bench")
