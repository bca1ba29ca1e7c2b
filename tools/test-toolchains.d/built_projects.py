"""The fixture projects with HIP's headers, built by CMake and ninja through hipcache. Each object must be the
compiler's own, and a rebuild must hit. One more architecture must run no other architecture's steps and no host
step."""

import dataclasses
import json
import pathlib
import shlex

import tree
from cache import Counts, alone, made, workers
from fixture import Fixture
from oracle import with_id

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


def compiles(fixture):
    """The compiles that go through hipcache: words, and directory."""
    printed = made(["ninja", "-C", fixture.build_directory, "-t", "compdb"])
    for entry in json.loads(printed[printed.index("["):]):
        words = shlex.split(entry["command"])
        if words[:1] == [fixture.launcher.command] and "-c" in words:
            yield words[1:], pathlib.Path(entry["directory"])


def differences(fixture):
    """Compares each object of the build with the compiler's own."""
    for words, directory in compiles(fixture):
        place = words.index("-o") + 1
        mine = (directory / words[place]).read_bytes()
        ended = alone(with_id(words, fixture.launcher.id_of(words, directory)), directory)
        if ended.code != 0 or (directory / words[place]).read_bytes() != mine:
            yield f"{words[place]} is another one"


def build(name, directory, toolchain, cache):
    fixture = Fixture(name, toolchain.clang, cache, tree.fresh(directory), toolchain.device_libraries)

    def steps():
        return cache.counted(lambda: fixture.build(workers()))[0]

    fixture.configure(ARCHS[:1])
    units = list(compiles(fixture))
    hip = sum("hip" in words for words, _ in units)
    cold = steps()
    fixture.clean()
    warm = steps()
    fixture.configure(ARCHS)
    more = steps()
    return BuiltProject(len(units), hip, cold, warm, more, tuple(differences(fixture)))
