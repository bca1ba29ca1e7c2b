"""The fixture projects with HIP's headers, built by CMake and ninja through hipcache. Each object must be the
compiler's own, and a rebuild must hit. One more architecture must run no other architecture's steps and no host
step."""

import dataclasses
import json
import pathlib
import shlex

import tree
from cache import Counts, alone, made, workers
from oracle import with_id

PROJECTS = ("cxx-style", "hip-language")
ARCHS = ("gfx906", "gfx1030")


@dataclasses.dataclass(frozen=True)
class BuiltProject:
    units: int  # all of them
    hip: int
    cold: Counts
    warm: Counts
    more: Counts
    differences: tuple

    def as_expected(self):
        """Whether every object is right and the counts fit the number of units."""
        return (
            not self.differences
            and (self.cold.device, self.cold.host) == (self.hip, self.units)
            and (self.warm.device, self.warm.host) == (0, 0)
            and (self.more.device, self.more.host) == (self.hip, 0)
        )


class Build:
    def __init__(self, source, name, directory, toolchain, cache):
        self.configure_script, self.name, self.toolchain, self.cache = source / "fixtures/configure", name, toolchain, cache
        self.directory = tree.fresh(directory) / "build"

    def configure(self, archs):
        made(
            [self.configure_script, self.name, self.directory, "--clang", self.toolchain.clang, "--archs",
             ",".join(archs),
             "--launcher", self.cache.program, "--bitcode", self.toolchain.device_libraries],
            variables=self.cache.environment(),
        )  # fmt: skip

    def make(self):
        command = ["ninja", f"-j{workers()}", "-C", self.directory]
        return self.cache.counted(lambda: made(command, variables=self.cache.environment()))[0]

    def clean(self):
        made(["ninja", "-C", self.directory, "clean"])

    def compiles(self):
        """The compiles that go through hipcache: words, directory, object."""
        printed = made(["ninja", "-C", self.directory, "-t", "compdb"])
        for entry in json.loads(printed[printed.index("["):]):
            words = shlex.split(entry["command"])
            if words[:1] == [self.cache.program] and "-c" in words:
                yield words[1:], pathlib.Path(entry["directory"])

    def differences(self):
        """Compares each object of the build with the compiler's own."""
        for words, directory in self.compiles():
            place = words.index("-o") + 1
            mine = (directory / words[place]).read_bytes()
            ended = alone(with_id(words, self.cache.id_of(words, directory)), directory)
            if ended.code != 0 or (directory / words[place]).read_bytes() != mine:
                yield f"{words[place]} is another one"


def build(source, name, directory, toolchain, cache):
    build = Build(source, name, directory, toolchain, cache)
    build.configure(ARCHS[:1])
    compiles = list(build.compiles())
    hip = sum("hip" in words for words, _ in compiles)
    cold = build.make()
    build.clean()
    warm = build.make()
    build.configure(ARCHS)
    more = build.make()
    return BuiltProject(len(compiles), hip, cold, warm, more, tuple(build.differences()))
