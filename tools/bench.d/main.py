"""Measures hipcache beside the compiler alone, ccache and sccache.

Everything that is compared runs in one session, taking turns; medians are reported. Caches, daemons and build directories
are throw-away. Needs an idle machine: the figures for eight architectures mean nothing on a busy one.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile

import document
import targets
import where
from builds import Builds
from compression import Compression
from crowd import Crowd
from edits import Edits
from fixture import COMPILERS, PROJECTS, ROOT
from large_store import LargeStore
from latency import Latency
from launchers import found
from machine import machine
from plot import svg
from process import Failed
from remote.part import Remote
from scaling import Scaling

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared.d"))

import marked  # noqa: E402

ARCHS = "gfx906,gfx1030"
ADDED = "gfx90a"
FIGURES = ROOT / "docs/benchmarks.md"
PICTURE = ROOT / "docs/benchmarks.svg"
PARTS = ("builds", "edits", "hits", "crowd", "store", "archs", "remote")


def arguments():
    parser = argparse.ArgumentParser(prog="tools/bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, metavar="N", help="runs of builds, edits, units and shared caches; medians are reported (default: 1)")
    parser.add_argument("--hits", type=int, help="hits to time (default: 200)")
    parser.add_argument("--clang", choices=COMPILERS, action="append", help="compiler; may be repeated (default: both)")
    parser.add_argument("--project", choices=PROJECTS, action="append", help="project; may be repeated (default: both)")
    parser.add_argument("--archs", default=ARCHS, help=f"of builds and edits (default: {ARCHS}); {ADDED} is added")
    parser.add_argument("--only", choices=PARTS, action="append", help="part to measure; may be repeated (default: all)")
    parser.add_argument("--hipcache", default=ROOT / "build/release/bin/hipcache", help="the program to measure")
    parser.add_argument("--ccache", metavar="PATH", help="ccache to compare with (default: the one in PATH; see tools/newest-launchers)")
    parser.add_argument("--sccache", metavar="PATH", help="sccache to compare with (default: the one in PATH)")
    parser.add_argument("--quick", action="store_true", help="a short unit, fewer turns, and unless given: 50 hits, one compiler, one project")
    parser.add_argument("--json", metavar="FILE", help="write all figures to FILE")
    parser.add_argument("--document", metavar="FILE", help="put the figures into FILE, as docs/benchmarks.md has them")
    parser.add_argument("--plot", action="store_true", help=f"measure nothing: draw {PICTURE.relative_to(ROOT)} from {FIGURES.relative_to(ROOT)}")
    given = parser.parse_args()
    given.clang = given.clang or (["19"] if given.quick else list(COMPILERS))
    given.project = given.project or (["hip-language"] if given.quick else list(PROJECTS))
    given.archs = given.archs.split(",")
    given.repeat = given.repeat or 1
    given.hits = given.hits or (50 if given.quick else 200)
    given.only = given.only or PARTS
    for program in (given.ccache, given.sccache):
        if program and not shutil.which(program):
            parser.error(f"no program {program}")
    return given


def note(text):
    print(f"-- {text}", file=sys.stderr, flush=True)


def settings(given):
    runs = "one run" if given.repeat == 1 else f"medians of {given.repeat} runs"
    return f"{runs}{', `--quick`' if given.quick else ''}, architectures {', '.join(given.archs)}, then {ADDED}"


def measure(given, launchers, directory, load):
    """Each part in turn; its text is shown as soon as it is known, as the whole takes a while."""
    report = document.Document(settings(given), machine(launchers, given.clang, load))
    hipcache = next(launcher for launcher in launchers if launcher.name == "hipcache")
    builds = Builds(launchers, directory, given.archs, ADDED)
    compression = Compression(hipcache)
    edits = Edits(launchers, directory, given.archs)
    latency = Latency(launchers, directory, given.clang[0])
    crowd = Crowd(hipcache, directory, given.clang[0])
    large_store = LargeStore(hipcache, directory, given.clang[0])
    scaling = Scaling(hipcache, directory, given.clang[0], "scan.cpp" if given.quick else "sort.cpp")
    remote = Remote(launchers, directory, given.archs)

    if "builds" in given.only:
        builds.run(given.project, given.clang, given.repeat, note)
        report.add("Builds", builds.text())
        compression.run(directory / f"{given.project[-1]}-clang{given.clang[-1]}-hipcache", note)
        report.add("Compression", compression.text())
    if "edits" in given.only:
        edits.run(given.clang, given.repeat, note)
        report.add("Edits", edits.text())
    if "hits" in given.only:
        latency.run(given.hits, note)
        report.add("Hit latency", latency.text())
        report.add("Where a hit's time goes", where.text_of(latency, directory))
    if "crowd" in given.only:
        crowd.run(10 * given.hits, note)
        report.add("Many at once", crowd.text())
    if "store" in given.only:
        large_store.run(given.hits, note)
        report.add("A large store", large_store.text())
    if "archs" in given.only:
        scaling.run(given.repeat, note)
        report.add("Many architectures", scaling.text())
    if "remote" in given.only:
        remote.run(given.project, given.clang, given.repeat, 2 if given.quick else 5, note)
        report.add("Shared caches", remote.text())
    reached = targets.rows(builds, edits, latency, crowd, large_store, scaling, remote)
    report.add("Targets", targets.text_of(reached))
    figures = {
        "machine": report.machine,
        "builds": builds.rows(),
        "compression": compression.rows(),
        "edits": edits.rows(),
        "hits": list(latency.rows()),
        "client_bytes": latency.client_memory,
        "daemon_bytes": builds.daemon_memory,
        "hit_cpu": latency.cpu,
        "crowd": crowd.rows(),
        "large_store": large_store.rows(),
        "scaling": scaling.rows(),
        "remote": remote.rows(),
        "targets": reached,
    }
    return report, figures


def keep(given, report, figures):
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps(figures, indent=2) + "\n")
    if given.document:
        marked.put_into(given.document, "tools/bench", report.text)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    given = arguments()
    if given.plot:
        PICTURE.write_text(svg(FIGURES.read_text()))
        return 0
    launchers = found(given.hipcache, ccache=given.ccache, sccache=given.sccache)
    if launchers[-1].name != "hipcache":
        print(f"tools/bench: no {given.hipcache}; build it first: cmake --preset release && cmake --build --preset release", file=sys.stderr)
        return 1
    load = os.getloadavg()[0]
    if load > 0.5:
        note(f"this machine is busy (load {load:.1f}): ratios of builds and of many architectures will mislead")
    directory = pathlib.Path(tempfile.mkdtemp(prefix="hipcache-bench-"))
    try:
        report, figures = measure(given, launchers, directory, load)
    except Failed as failure:
        print(f"tools/bench: {failure}", file=sys.stderr)
        return 1
    finally:
        for launcher in launchers:
            launcher.stop()
        shutil.rmtree(directory, ignore_errors=True)
    keep(given, report, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
