"""The fixture without HIP's headers: its compiles and link, through hipcache and by the compiler alone, and its
edits."""

import concurrent.futures
import dataclasses
import pathlib
import shutil

import tree
from cache import Counts, alone, made, workers
from oracle import differences, file_differences, with_id
from process import Failed
from suites import DRIVER_FLAGS

UNITS = ("filter", "soften")
HEADERS = ("soften.h", "bare_hip.h")
ENDINGS = (".o", ".d")
PROGRAM = "program"

# By title: the file, the text in it, and the text that an edit puts there.
EDITS = {
    "comment": ("filter.hip", "// Heavy enough", "// Very heavy, so"),
    "host": ("filter.hip", "kBlocks = 64", "kBlocks = 32"),
    "one_arch": ("filter.hip", "kStep = 4", "kStep = 5"),
    "kernel": ("filter.hip", "kGain = 2", "kGain = 3"),
}
# The device library that an edit replaces, and its replacement. What the kernels call shows which one was used.
LIBRARY, OTHER = "oclc_unsafe_math_off.bc", "oclc_unsafe_math_on.bc"


@dataclasses.dataclass(frozen=True)
class Built:
    compiles: Counts
    link: Counts
    differences: tuple
    files: dict


class BareProject:
    """The project in its own directory. With `rdc`: relocatable device code, and a link."""

    def __init__(self, directory, fixture, toolchain, driver, rdc):
        self.toolchain, self.driver, self.rdc = toolchain, driver, rdc
        self.known = {}
        self.directory = tree.fresh(directory) / "project"
        shutil.copytree(fixture, self.directory)
        self.libraries = self.directory.parent / "libraries"
        shutil.copytree(toolchain.device_libraries, self.libraries)
        made([f"{toolchain.tools}/clang++", "-c", f"{PROGRAM}.cpp"], self.directory)

    def _words(self, archs):
        rdc = ["-fgpu-rdc"] if self.rdc else []
        return [DRIVER_FLAGS[self.driver], *rdc, *(f"--offload-arch={arch}" for arch in archs)]

    def compiles(self, archs):
        hip = self.toolchain.hip(self.libraries)
        return [[*hip, *self._words(archs), "-O2", "-MD", "-c", f"{unit}.hip", "-o", f"{unit}.o"] for unit in UNITS]

    def link(self, archs):
        tool, *words = self.toolchain.hip(self.libraries)
        words = [word for word in words if word.startswith(("-B", "--rocm"))]
        objects = [f"{name}.o" for name in (*UNITS, PROGRAM)]
        return [tool, *words, *self._words(archs), "-O2", "--hip-link", "-no-hip-rt", *objects, "-o", "app"]

    def edit(self, title):
        """Applies an edit; returns a function that undoes it."""
        if title == "library":
            self._use_library(OTHER)
            return lambda: self._use_library(LIBRARY)
        name, before, after = EDITS[title]
        path = self.directory / name
        text = path.read_text()
        if before not in text:
            raise Failed(f"{name} has no {before}")
        path.write_text(text.replace(before, after))
        return lambda: path.write_text(text)

    def _use_library(self, name):
        shutil.copyfile(pathlib.Path(self.toolchain.device_libraries) / name, self.libraries / LIBRARY)

    def build(self, cache, archs):
        """Builds through hipcache, without outputs of an earlier build; then without hipcache, which must leave the
        same files."""
        start = self._clean()
        commands, links = self.compiles(archs), [self.link(archs)] if self.rdc else []
        compiles, cached = cache.counted(lambda: _at_once(commands, lambda command: cache.run(command, self.directory)))
        link, linked = cache.counted(lambda: [cache.run(command, self.directory) for command in links])
        mine = tree.changes(start, tree.files_in(self.directory))

        tree.restore(self.directory, start)
        for_frontends = self.toolchain.ignores_cuid(self.driver)
        fixed = [with_id(command, cache.id_of(command, self.directory), for_frontends) for command in commands]
        real = [*_at_once(fixed, self._alone), *(alone(command, self.directory) for command in links)]
        files = tree.changes(start, tree.files_in(self.directory))
        found = [what for pair in zip([*cached, *linked], real) for what in differences(pair[0], {}, pair[1], {})]
        found += [f"the compiler fails: {ended.err[-300:]}" for ended in real if ended.code != 0]
        return Built(compiles, link, (*found, *file_differences(mine, files)), files)

    def _alone(self, command):
        """The compiler's own result; made once for each state of the unit that the command names."""
        unit = command[-1].removesuffix(".o")
        sources = [(self.directory / name).read_bytes() for name in (f"{unit}.hip", *HEADERS)]
        state = (tuple(command), *sources, (self.libraries / LIBRARY).read_bytes())
        outputs = [self.directory / f"{unit}{ending}" for ending in ENDINGS]
        if state in self.known:
            ended, contents = self.known[state]
            for path, content in zip(outputs, contents):
                if content is not None:
                    path.write_bytes(content)
            return ended
        ended = alone(command, self.directory)
        self.known[state] = ended, [path.read_bytes() if path.exists() else None for path in outputs]
        return ended

    def _clean(self):
        for name in (*(f"{unit}{ending}" for unit in UNITS for ending in ENDINGS), "app"):
            (self.directory / name).unlink(missing_ok=True)
        return tree.files_in(self.directory)


def _at_once(commands, what):
    with concurrent.futures.ThreadPoolExecutor(workers()) as pool:
        return list(pool.map(what, commands))
