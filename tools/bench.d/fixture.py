"""A fixture project, configured for one compiler, one list of architectures and one launcher; and single compiles."""

import copy
import pathlib
import shutil

from process import must, timed_with_cpu
from small_hip import arch_words, compiler, toolchain_words
from tool import ROOT

PROJECTS = ("cxx-style", "hip-language")
COMPILERS = ("19", "15")
HOST_CODE = """
#ifndef __HIP_DEVICE_COMPILE__
namespace { [[maybe_unused]] int added_by_bench() { return 1; } }
#endif
"""


class Fixture:
    """`bitcode`: the device libraries, where they are not where Debian 12 has them."""

    def __init__(self, project, compiler, launcher, directory, bitcode=None):
        self.project, self.compiler, self.launcher, self.bitcode = project, compiler, launcher, bitcode
        self.build_directory = pathlib.Path(directory) / f"{project}-clang{compiler}-{launcher.name}"
        # The build directory's name must not begin theirs: objects that name a source would seem to name it.
        self.fixtures = self.build_directory.with_name(f"sources-{self.build_directory.name}")
        shutil.rmtree(self.fixtures, ignore_errors=True)
        shutil.copytree(ROOT / "fixtures", self.fixtures)

    def edit_host(self):
        """Adds a function to the host's code of every source; no device's code changes."""
        for source in sorted((self.fixtures / "projects" / self.project / "src").glob("*.[ch][pi]p")):
            source.write_text(source.read_text() + HOST_CODE)

    def elsewhere(self, name):
        """The same sources in a second build directory."""
        twin = copy.copy(self)
        twin.build_directory = pathlib.Path(f"{self.build_directory}.{name}")
        twin.remove()
        return twin

    def remove(self):
        shutil.rmtree(self.build_directory, ignore_errors=True)

    def configure(self, archs, links=False):
        """Untimed: CMake's own work is the same for all launchers. With `links` it is before linkers, too."""
        command = [self.fixtures / "configure", self.project, self.build_directory]
        command += ["--clang", self.compiler, "--archs", ",".join(archs)]
        if self.launcher.command:
            command += ["--launcher", self.launcher.command]
        if self.bitcode:
            command += ["--bitcode", self.bitcode]
        if links:
            command += ["--", f"-DCMAKE_PROJECT_INCLUDE={self._link_rule()}"]
        must(command, self.launcher.environment())

    def _link_rule(self):
        """What CMake shall include: the one property that counts for every language, and for archives."""
        rule = pathlib.Path(f"{self.build_directory}.cmake")
        rule.write_text(f'set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK "{self.launcher.command}")\n')
        return rule

    def _ninja(self, *words):
        return ["ninja", "-C", self.build_directory, *words]

    def clean(self):
        must(self._ninja("-t", "clean"))

    def build(self, jobs, targets=()):
        """Seconds that the build of the targets took (of all, if none is named), and seconds of processor of all but
        servers."""
        return timed_with_cpu(self._ninja(f"-j{jobs}", *targets), self.launcher.environment())

    def objects(self):
        """The targets that compiles make."""
        targets = [line.rsplit(":", 1)[0] for line in must(self._ninja("-t", "targets", "all")).splitlines()]
        return [target for target in targets if target.endswith(".o")]

    def for_launcher(self, launcher):
        """The same build directory, for another launcher of the same command."""
        twin = copy.copy(self)
        twin.launcher = launcher
        return twin


class Unit:
    """One compile of a HIP source, as a command without launcher."""

    FLAGS = ("-x", "hip", "-std=c++17", "-O3", "-DNDEBUG")

    def __init__(self, source, clang, directory):
        self.source = ROOT / "fixtures/projects/cxx-style/src" / source
        self.compiler = clang
        self.object = pathlib.Path(directory) / f"{self.source.stem}.o"

    def command(self, archs, *extra):
        words = [compiler(self.compiler), *self.FLAGS, *toolchain_words(self.compiler)]
        words += [f"-I{ROOT}/fixtures/projects/cxx-style/include", *arch_words(archs), *extra]
        return [*words, "-c", str(self.source), "-o", str(self.object)]


class Gemm(Unit):
    """The unit of which single hits are timed."""

    SOURCE = "gemm.cpp"
    ARCHS = ("gfx906", "gfx1030")

    def __init__(self, clang, directory):
        super().__init__(self.SOURCE, clang, directory)
        self.words = self.command(self.ARCHS, "-DGEMM_REAL=float", "-DGEMM_NAME=multiply_f32")
