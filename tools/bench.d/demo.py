"""Builds the fixture projects through hipcache three times each, and shows what was run: cold, warm, and one more
architecture.

usage: demo.py HIPCACHE
"""

import itertools
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared.d"))

from fixture import COMPILERS, PROJECTS, Fixture  # noqa: E402
from launchers import Hipcache  # noqa: E402
from reporting import seconds, table  # noqa: E402
import tool  # noqa: E402

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


def main():
    launcher = Hipcache(pathlib.Path(sys.argv[1]).resolve())
    rows = []
    with tool.scratch("demo") as directory:
        try:
            launcher.renew(directory)
            for compiler, project in itertools.product(COMPILERS, PROJECTS):
                for row in phases(Fixture(project, compiler, launcher, directory)):
                    rows.append(row)
                    print(f"{row[0]}, {row[1]}, {row[2]}: {row[3]}", flush=True)
        finally:
            launcher.stop()
    print(f"\n{table(HEADS, rows)}")


if __name__ == "__main__":
    tool.end_with(main, "tools/demo")
