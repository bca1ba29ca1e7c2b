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

import targets
import where
from builds import Builds
from compression import Compression
from crowd import Crowd
from fixture import COMPILERS, PROJECTS, ROOT
from large_store import LargeStore
from latency import Latency
from launchers import found
from machine import machine
from plot import svg
from process import Failed
from scaling import Scaling

ARCHS = ["gfx906", "gfx908", "gfx1010", "gfx1030"]
ADDED = "gfx90a"
PICTURE = ROOT / "docs/benchmarks.svg"


def arguments():
    parser = argparse.ArgumentParser(prog="tools/bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, help="runs of the builds and of the units (default: 3)")
    parser.add_argument("--hits", type=int, help="hits to time (default: 200)")
    parser.add_argument("--clang", choices=COMPILERS, action="append", help="compiler; may be repeated (default: both)")
    parser.add_argument("--project", choices=PROJECTS, action="append", help="project; may be repeated (default: both)")
    parser.add_argument("--hipcache", default=ROOT / "build/release/bin/hipcache", help="the program to measure")
    parser.add_argument("--quick", action="store_true", help="a short unit, and unless given: 1 run, 50 hits, one compiler, one project")
    parser.add_argument("--json", metavar="FILE", help="write all figures to FILE")
    parser.add_argument("--plot", action="store_true", help=f"write the picture of the builds to {PICTURE.relative_to(ROOT)}")
    given = parser.parse_args()
    given.clang = given.clang or (["19"] if given.quick else list(COMPILERS))
    given.project = given.project or (["hip-language"] if given.quick else list(PROJECTS))
    given.runs = given.runs or (1 if given.quick else 3)
    given.hits = given.hits or (50 if given.quick else 200)
    return given


def note(text):
    print(f"-- {text}", file=sys.stderr, flush=True)


def measure(given, launchers, directory, load):
    builds = Builds(launchers, directory, ARCHS, ADDED)
    latency = Latency(launchers, directory, given.clang[0])
    hipcache = next(launcher for launcher in launchers if launcher.name == "hipcache")
    scaling = Scaling(hipcache, directory, given.clang[0], "scan.cpp" if given.quick else "sort.cpp")

    builds.run(given.project, given.clang, given.runs, note)
    compression = Compression(hipcache)
    compression.run(directory / f"{given.project[-1]}-clang{given.clang[-1]}-hipcache", note)
    latency.run(given.hits, note)
    sections = [
        ("Builds", builds.text()),
        ("Compression", compression.text()),
        ("Hit latency", latency.text()),
        ("Run while hits were timed", str(latency.misses())),
        ("Where a hit's time goes", where.text_of(latency, directory)),
    ]
    crowd = Crowd(hipcache, directory, given.clang[0])
    crowd.run(10 * given.hits, note)
    large_store = LargeStore(hipcache, directory, given.clang[0])
    large_store.run(given.hits, note)
    scaling.run(given.runs, note)
    reached = targets.rows(builds, latency, crowd, large_store, scaling)
    sections += [
        ("Many at once", crowd.text()),
        ("A large store", large_store.text()),
        ("Many architectures", scaling.text()),
        ("Targets", targets.text_of(reached)),
    ]
    for title, text in sections:
        print(f"\n{title}\n\n{text}")
    return {
        "machine": machine(launchers, given.clang, load),
        "builds": list(builds.rows()),
        "compression": compression.rows(),
        "hits": list(latency.rows()),
        "client_bytes": latency.client_memory,
        "daemon_bytes": builds.daemon_memory,
        "hit_cpu": latency.cpu,
        "crowd": crowd.rows(),
        "large_store": large_store.rows(),
        "scaling": scaling.rows(),
        "targets": reached,
    }


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    given = arguments()
    launchers = found(given.hipcache)
    if launchers[-1].name != "hipcache":
        print(f"tools/bench: no {given.hipcache}; build it first: cmake --preset release && cmake --build --preset release", file=sys.stderr)
        return 1
    load = os.getloadavg()[0]
    if load > 0.5:
        note(f"this machine is busy (load {load:.1f}): ratios of builds and of many architectures will mislead")
    directory = pathlib.Path(tempfile.mkdtemp(prefix="hipcache-bench-"))
    try:
        figures = measure(given, launchers, directory, load)
    except Failed as failure:
        print(f"tools/bench: {failure}", file=sys.stderr)
        return 1
    finally:
        for launcher in launchers:
            launcher.stop()
        shutil.rmtree(directory, ignore_errors=True)
    if given.json:
        pathlib.Path(given.json).write_text(json.dumps(figures, indent=2) + "\n")
    if given.plot:
        PICTURE.write_text(svg(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
