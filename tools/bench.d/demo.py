"""Builds the fixture projects through hipcache three times each, and shows what was run: cold, warm, and one more architecture.

usage: demo.py HIPCACHE
"""

import os
import pathlib
import shutil
import signal
import sys
import tempfile

from fixture import COMPILERS, PROJECTS, Fixture
from launchers import Hipcache
from process import Failed
from table import seconds, table

ARCHS = ["gfx906", "gfx1030"]
ADDED = "gfx90a"
HEADS = ("project", "compiler", "phase", "wall", "hit/partial/miss/passed", "device run/hit", "host run/hit")


def phase(fixture, name):
    fixture.launcher.zero()
    wall, _ = fixture.build(os.cpu_count())
    steps = fixture.launcher.steps()
    requests, device, host = steps["requests"], steps["device"], steps["host"]
    return (
        fixture.project,
        f"clang {fixture.compiler}",
        name,
        seconds(wall),
        f"{requests['hit']}/{requests['partial']}/{requests['miss']}/{requests['passthrough']}",
        f"{device['run']}/{device['hit']}",
        f"{host['run']}/{host['hit']}",
    )


def phases(fixture):
    fixture.configure(ARCHS)
    yield phase(fixture, f"cold, {len(ARCHS)} archs")
    fixture.clean()
    yield phase(fixture, "warm")
    fixture.configure([*ARCHS, ADDED])
    yield phase(fixture, f"with {ADDED} added")


def main(program):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    launcher = Hipcache(pathlib.Path(program).resolve())
    directory = tempfile.mkdtemp(prefix="hipcache-demo-")
    rows = []
    try:
        launcher.renew(directory)
        for compiler in COMPILERS:
            for project in PROJECTS:
                for row in phases(Fixture(project, compiler, launcher, directory)):
                    rows.append(row)
                    print(f"{row[0]}, {row[1]}, {row[2]}: {row[3]}", flush=True)
    except Failed as failure:
        print(f"tools/demo: {failure}", file=sys.stderr)
        return 1
    finally:
        launcher.stop()
        shutil.rmtree(directory, ignore_errors=True)
    print()
    print(table(HEADS, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
