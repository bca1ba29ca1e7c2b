"""Units of one kind as a project: sources that are edited, and build directories, each with a generated header, built
by ninja."""

import collections
import os
import pathlib
import shlex
import shutil

from edit_units import SETTINGS, SHARED, comments
from fixture import Unit
from process import timed_with_cpu


class EditProject:
    def __init__(self, kind, compiler, launcher, directory, archs):
        self.compiler, self.launcher, self.archs = compiler, launcher, archs
        self.directory = pathlib.Path(directory) / f"edits-{kind.name}-clang{compiler}-{launcher.name}"
        self.kind = kind
        self.units = {self.directory / f"source/unit_{index}.hip": index for index in range(kind.units)}
        self.edits = collections.Counter()
        shutil.rmtree(self.directory, ignore_errors=True)
        (self.directory / "source").mkdir(parents=True)
        self._write()

    def edit(self, what):
        """One of EDITS."""
        self.edits[what] += 1
        self._write()

    def _write(self):
        (self.directory / "source/shared.h").write_text(SHARED.format(comments=comments(self.edits["header"])))
        for path, index in self.units.items():
            path.write_text(self.kind.text(index, self.edits))

    def configure(self, name):
        """Makes a build directory: untimed, as CMake's work is."""
        build = self.directory / name
        (build / "include").mkdir(parents=True)
        (build / "include/settings.h").write_text(SETTINGS)
        rules = [self._rule(build, source) for source in self.units]
        (build / "build.ninja").write_text("\n".join(["rule hip", "  command = $command", "  deps = gcc",
                                                      "  depfile = $out.d", *rules]))
        return build

    def _rule(self, build, source):
        unit = Unit(source, self.compiler, build)
        command = unit.command(self.archs, f"-I{build}/include", "-MD", "-MF", f"{unit.object}.d")
        words = [*([self.launcher.command] if self.launcher.command else []), *command]
        return f"build {unit.object}: hip {source}\n  command = {shlex.join(words)}\n"

    def build(self, build):
        """Seconds that the build took, and seconds of processor of all but servers."""
        return timed_with_cpu(["ninja", "-C", build, f"-j{os.cpu_count()}"], self.launcher.environment())
