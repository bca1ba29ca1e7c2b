"""Runs the cases of one suite's compilers, inside a tree that holds the project's files. Prints the results as JSON,
and its progress on standard error."""

import dataclasses
import json
import pathlib
import re
import shutil
import sys
import types

TOOLS = pathlib.Path(__file__).resolve().parents[1]
sys.path[1:1] = [str(TOOLS / "shared.d"), str(TOOLS / "bench.d")]

import built_projects  # noqa: E402
import cases  # noqa: E402
import command_lines  # noqa: E402
import options  # noqa: E402
import suites  # noqa: E402
from bare_project import BareProject  # noqa: E402
from cache import Cache, alone, made  # noqa: E402
from fixture import PROJECTS  # noqa: E402
from tool import ROOT, note  # noqa: E402


class Inside:
    def __init__(self, given):
        self.given = given
        self.work = pathlib.Path(given.work)

    def make_stand_in(self, toolchain):
        """Makes the program that stands in for ROCm's, beside a link to the compiler that it runs, in ROCm's layout."""
        place = pathlib.Path(toolchain.program)
        place.parent.mkdir(parents=True, exist_ok=True)
        made(["cc", "-static", "-o", place, pathlib.Path(__file__).with_name("stand_in.c")])
        tools = pathlib.Path(toolchain.tools)
        (place.parent.parent / "lib").symlink_to(tools.parent / "lib")
        shutil.copy(tools / "clang", place.parent / "clang")
        (place.parent / "clang++").symlink_to("clang")
        for program in tools.iterdir():
            if not (place.parent / program.name).exists():
                (place.parent / program.name).symlink_to(program)

    def default_driver(self, toolchain):
        """Which of the two drivers the compiler uses by default, according to the phases that it would go through."""
        source = self.work / "empty.hip"
        source.write_text("")
        words = [*toolchain.hip(), "-nogpulib", "--offload-arch=gfx906", "-ccc-print-phases", "-c", source]
        phases = {driver: alone([*words, flag], self.work).err for driver, flag in suites.DRIVER_FLAGS.items()}
        plain = alone(words, self.work).err
        return next((driver for driver, told in phases.items() if told == plain), "")

    def steps(self, toolchain, driver, rdc):
        """A row for each case."""
        project = BareProject(self.work / "bare", ROOT / "fixtures/projects/bare-hip", toolchain, driver, rdc)
        with Cache(self.given.hipcache, self.work / "bare-cache") as cache:
            for case in cases.CASES:
                undo = project.edit(case.edit) if case.edit else None
                built = project.build(cache, case.archs)
                if undo:
                    undo()
                ran = cases.Ran.of(built, toolchain, driver, rdc)
                expected = cases.expected(toolchain, driver, rdc, case.name)
                wrong = ran != expected
                note(f"{toolchain.title}, {driver} driver{', rdc' if rdc else ''}: {case.title}: {ran}"
                     f"{f', expected {expected}' if wrong else ''}{''.join(f'; {what}' for what in built.differences)}")
                yield {"case": case.name, "ran": str(ran), "expected": str(expected),
                       "ok": not wrong and not built.differences,
                       "differences": built.differences}

    def lines(self, toolchain, driver):
        lines = [line for line in command_lines.read(ROOT / "fixtures/commands")
                 if re.search(self.given.line, line.run)]
        outcomes = command_lines.check_all(lines, self.given.hipcache, self.work / "lines", toolchain, driver)
        counted = {outcome: sum(one.came_to == outcome for one in outcomes) for outcome in command_lines.OUTCOMES}
        bad = [one for one in outcomes if one.differences]
        for one in bad:
            note(f"{toolchain.title}, {driver} driver: {one.line.table}: {one.line.run}: {'; '.join(one.differences)}")
        note(f"{toolchain.title}, {driver} driver: {len(outcomes)} lines: {counted}, {len(bad)} not equal")
        return {
            "counted": counted, "lines": len(outcomes),
            "not_equal": [[one.line.run, list(one.differences)] for one in bad],
            "not_by_steps": [[one.line.run, one.came_to, one.reason] for one in outcomes
                             if one.line.planned and one.came_to != command_lines.SPLIT],
        }  # fmt: skip

    def options(self, toolchain, driver):
        told = options.row(self.given.hipcache, self.work, toolchain, driver, self.given.draw, self.given.seed)
        for line, found in told["not_equal"]:
            note(f"{toolchain.title}: {line}: {'; '.join(found)}")
        note(f"{toolchain.title}: {told['printed']} options, {told['counted']}; {told['checked']} drawn, "
             f"{len(told['not_equal'])} not equal")
        return told

    def projects(self, toolchain):
        for name in PROJECTS:
            with Cache(self.given.hipcache, self.work / "project-cache") as cache:
                built = built_projects.build(name, self.work / "project", toolchain, cache)
            note(f"{toolchain.title}: {name}: {built}")
            yield {"project": name, "ok": built.as_expected(), **dataclasses.asdict(built)}

    def rows(self, suite):
        for toolchain in suite.toolchains:
            if not re.search(self.given.compiler, toolchain.title):
                continue
            if toolchain.stand_in:
                self.make_stand_in(toolchain)
            default = self.default_driver(toolchain)
            told = {"compiler": toolchain.title, "version": _version(toolchain), "default": default}
            for driver in filter(lambda name: re.search(self.given.driver, name), toolchain.drivers):
                row = {**told, "driver": driver}
                if "steps" in self.given.part:
                    row["compile"] = list(self.steps(toolchain, driver, False))
                    row["rdc"] = list(self.steps(toolchain, driver, True))
                if "lines" in self.given.part and driver == default:
                    row["lines"] = self.lines(toolchain, driver)
                if "options" in self.given.part and driver == default:
                    row["options"] = self.options(toolchain, driver)
                if "projects" in self.given.part and toolchain.projects and driver == default:
                    row["projects"] = list(self.projects(toolchain))
                yield row


def _version(toolchain):
    printed = alone([toolchain.program, "--version"]).out
    found = re.search(r"clang version (\S+)", printed)
    hip = re.search(r"HIP version: (\S+)", printed)
    return ", ".join(filter(None, (hip and f"HIP {hip.group(1)}", found and f"clang {found.group(1)}")))


def main(given):
    """`given`: JSON of the tool's own arguments, and of `suite`, `hipcache` and `work`."""
    given = types.SimpleNamespace(**json.loads(given))
    json.dump(list(Inside(given).rows(suites.named(given.suite))), sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
