"""Measures hipcache on a HIP project that is not part of this one, beside the compiler alone.

The project's HIP sources are compiled by a recipe, not by the project's own build, which mostly wants a whole ROCm. The
source is copied, never changed. Cache, daemon, checkouts and build directories are throw-away. Both contenders build
every phase in one
session, in alternating order; medians are reported. Needs an idle machine.
"""

import os
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parents[1]
sys.path[1:1] = [str(HERE / "shared.d"), str(HERE / "bench.d")]

import recipe as recipes  # noqa: E402
import report  # noqa: E402
import survey as surveys  # noqa: E402
import tool  # noqa: E402
from checkout import Project  # noqa: E402
from document import machine, sentence  # noqa: E402
from launchers import Hipcache, Plain  # noqa: E402
from process import Failed  # noqa: E402
from tool import note  # noqa: E402
from trial import COLD, PHASES, Trial  # noqa: E402


def arguments():
    parser = tool.parser("tools/try-project", __doc__)
    parser.add_argument("recipe", help="the name of a recipe in tools/try-project.d/recipes, or the path of one")
    parser.add_argument("source", type=pathlib.Path, help="the project's source tree")
    parser.add_argument("--with", dest="places", action="append", default=[], metavar="NAME=DIR",
                        help="where a project lies that it needs")
    parser.add_argument("--units", metavar="REGEX", default="", help="only units whose path matches")
    parser.add_argument("--clang", default="19", metavar="VERSION", help="compiler (default: 19)")
    parser.add_argument("--archs", default="gfx906,gfx1030", help="architectures (default: gfx906,gfx1030)")
    parser.add_argument("--more", default="gfx90a", help="what is added in the phase `arch added` (default: gfx90a)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="of ninja (default: processors)")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="runs; medians are reported (default: 1)")
    parser.add_argument("--only", choices=PHASES, action="append",
                        help=f"phase to measure beside `{COLD}`; may be repeated (default: all)")
    parser.add_argument("--check", action="store_true",
                        help="only say which units the compiler alone compiles, and how long each takes")
    parser.add_argument("--no-oracle", action="store_true", help="do not compare outputs with the compiler's")
    parser.add_argument("--keep", action="store_true",
                        help="keep the checkouts, the build directories and what was compared")
    parser.add_argument("--hipcache", default=tool.BUILT, type=pathlib.Path, help="the program to measure")
    given = parser.parse_args()
    given.archs, given.more = given.archs.split(","), given.more.split(",")
    given.only = {COLD, *(given.only or PHASES)}
    if any("=" not in place for place in given.places):
        parser.error("--with takes NAME=DIR")
    given.places = {name: pathlib.Path(path).resolve() for name, _,
                    path in (place.partition("=") for place in given.places)}
    return given


def project_of(given):
    recipe = recipes.read(given.recipe)
    recipe.check_needs(given.places)
    source = given.source.resolve()
    units = [unit for unit in recipe.units_in(source) if re.search(given.units, str(unit))]
    if not units:
        raise Failed(f"no unit matches {given.units}")
    return Project(recipe, source, units, given.places, given.clang, given.archs, given.more, given.jobs)


def survey(project, given, directory):
    """Leaves units out that the compiler alone does not compile; its build also brings the headers into the page
    cache."""
    note(f"{project.recipe.name}: which of {len(project.units)} units compile")
    build = project.checkout(directory / "survey").build("build", [*given.archs, *given.more])
    took, left_out = surveys.survey(build, Plain())
    project.units = sorted(took)
    if not given.keep:
        shutil.rmtree(directory / "survey")
    return took, left_out


def measure(given, project, left_out, directory, launchers):
    plain, hipcache, reference = launchers
    found = machine([plain, hipcache], [given.clang], os.getloadavg()[0])
    trial = Trial(project, [plain, hipcache], None if given.no_oracle else reference, directory, given.keep)
    for number in range(given.repeat):
        trial.run(number, given.only)
    runs = "one run" if given.repeat == 1 else f"medians of {given.repeat} runs"
    archs = f"architectures {', '.join(given.archs)}, then {', '.join(given.more)}"
    print(f"{project.recipe.name} {project.recipe.revision}, {len(project.units)} units, {runs}, {archs}: {sentence(found)}\n")
    print(report.text(trial, left_out))


def run(given, directory):
    project = project_of(given)
    took, left_out = survey(project, given, directory)
    if given.check:
        print(surveys.text(took, left_out))
        return
    if not given.hipcache.exists():
        raise Failed(tool.missing(given.hipcache))
    launchers = (Plain(), Hipcache(given.hipcache.resolve()), Hipcache(given.hipcache.resolve()))
    try:
        launchers[2].renew(directory / "reference")
        measure(given, project, left_out, directory, launchers)
    finally:
        for launcher in launchers:
            launcher.stop()


def main():
    given = arguments()
    with tool.scratch("try", given.keep) as directory:
        run(given, directory)


if __name__ == "__main__":
    tool.end_with(main, "tools/try-project")
