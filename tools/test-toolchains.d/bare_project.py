"""The fixture without HIP's headers: its compiles and link, through hipcache and by the compiler alone, and its
edits."""

import concurrent.futures
import dataclasses
import pathlib
import shutil

import oracle
from cache import Counts, Failed, must, run, workers
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
        self.directory = oracle.fresh(directory) / "project"
        shutil.copytree(fixture, self.directory)
        self.libraries = self.directory.parent / "libraries"
        shutil.copytree(toolchain.device_libraries, self.libraries)
        must([f"{toolchain.tools}/clang++", "-c", f"{PROGRAM}.cpp"], self.directory)

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
            shutil.copyfile(pathlib.Path(self.toolchain.device_libraries) / OTHER, self.libraries / LIBRARY)
            return lambda: shutil.copyfile(pathlib.Path(self.toolchain.device_libraries) / LIBRARY, self.libraries / LIBRARY)
        name, before, after = EDITS[title]
        path = self.directory / name
        text = path.read_text()
        if before not in text:
            raise Failed(f"{name} has no {before}")
        path.write_text(text.replace(before, after))
        return lambda: path.write_text(text)

    def build(self, cache, archs):
        """Builds through hipcache, without outputs of an earlier build; then without hipcache, which must leave the
        same files."""
        start = self._clean()
        link = Counts()
        commands = self.compiles(archs)
        cache.control("--zero-stats")
        cached = self._at_once(commands, lambda command: cache.run(command, self.directory))
        compiles = cache.counts()
        if self.rdc:
            cache.control("--zero-stats")
            cached.append(cache.run(self.link(archs), self.directory))
            link = cache.counts()
        made = oracle.changes(start, oracle.files_in(self.directory))

        oracle.restore(self.directory, start)
        alone = self._at_once(self._with_ids(cache, commands), self._alone)
        if self.rdc:
            alone.append(run(self.link(archs), self.directory))
        real = oracle.changes(start, oracle.files_in(self.directory))
        return Built(compiles, link, tuple(self._differences(cached, alone, made, real)), real)

    def _alone(self, command):
        """The compiler's own result; made once for each state of the unit that the command names."""
        unit = command[-1].removesuffix(".o")
        sources = [(self.directory / name).read_bytes() for name in (f"{unit}.hip", *HEADERS)]
        state = (tuple(command), *sources, (self.libraries / LIBRARY).read_bytes())
        made = [self.directory / f"{unit}{ending}" for ending in ENDINGS]
        if state in self.known:
            ended, contents = self.known[state]
            for path, content in zip(made, contents):
                if content is not None:
                    path.write_bytes(content)
            return ended
        ended = run(command, self.directory)
        self.known[state] = ended, [path.read_bytes() if path.exists() else None for path in made]
        return ended

    def _differences(self, cached, alone, made, real):
        for mine, theirs in zip(cached, alone):
            yield from oracle.differences((mine, {}), (theirs, {}))
            if theirs.exit_code != 0:
                yield f"the compiler fails: {theirs.err[-300:]}"
        yield from oracle.file_differences(made, real)

    def _with_ids(self, cache, commands):
        for_frontends = self.toolchain.ignores_cuid(self.driver)
        return [oracle.with_id(command, cache.id_of(command, self.directory), for_frontends) for command in commands]

    def _clean(self):
        for made in (*(f"{unit}{ending}" for unit in UNITS for ending in ENDINGS), "app"):
            (self.directory / made).unlink(missing_ok=True)
        return oracle.files_in(self.directory)

    @staticmethod
    def _at_once(commands, what):
        with concurrent.futures.ThreadPoolExecutor(workers()) as pool:
            return list(pool.map(what, commands))
