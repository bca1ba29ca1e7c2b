"""The compilers that are tested, and where Debian has them. Used by the tool, and inside the tree."""

import dataclasses

OLD, NEW = "old", "new"
PARTS = ("steps", "lines", "projects", "options")
DRIVER_FLAGS = {OLD: "--no-offload-new-driver", NEW: "--offload-new-driver"}

# Where the tool makes the stand-in.
STAND_IN = "/mnt/work/amdclang/bin"

# What every tree gets besides its compilers.
COMMON = ("python3", "cmake", "ninja-build", "dpkg-dev", "libc6-dev", "g++", "libamdhip64-dev", "hipcc")


@dataclasses.dataclass(frozen=True)
class Toolchain:
    """One compiler of a suite. `clang` is the version that runs, also behind hipcc."""

    title: str
    program: str
    clang: int
    libraries: int  # the version of clang whose resource directory has the device libraries
    projects: bool = False  # the suite's HIP headers work with it
    stand_in: bool = False  # `program` is made beside a link to the compiler (stand_in.c)

    @property
    def drivers(self):
        """A compile by a static wrapper is not stored unless it is split, so only drivers with split compiles are
        tested."""
        return tuple(driver for driver in DRIVER_FLAGS if not self.stand_in or self.splits(driver))

    @property
    def tools(self):
        return f"/usr/lib/llvm-{self.clang}/bin"

    @property
    def device_libraries(self):
        return f"/usr/lib/llvm-{self.libraries}/lib/clang/{self.libraries}/amdgcn/bitcode"

    def hip(self, libraries=None):
        """The words of a HIP compile before its architectures, as fixtures/commands means them by `hip`."""
        words = [self.program, "-x", "hip", "-std=c++17", "-nogpuinc", f"-B{self.tools}", "--rocm-path=/usr"]
        return [*words, f"--rocm-device-lib-path={libraries or self.device_libraries}"]

    def ignores_cuid(self, driver):
        """The new driver of older clangs does not pass `-cuid=` on; its frontends accept it."""
        return driver == NEW and self.clang < 20

    @property
    def bundles_as_asked(self):
        """Its new driver takes the architectures in the order of the command line."""
        return self.clang < 18

    @property
    def wraps_devices(self):
        """Its new driver runs clang-linker-wrapper for the device code, before the host compile."""
        return self.clang >= 22

    @property
    def links_by_arch(self):
        """clang-linker-wrapper starts a compiler for each architecture of a link, and options name the
        architectures."""
        return self.clang >= 21

    def splits(self, driver):
        """Whether compiles are split. The new driver of clang 20 and 21 makes non-relocatable device code in
        clang-linker-wrapper, after the host compile and within its object."""
        return not (driver == NEW and self.clang in (20, 21))


@dataclasses.dataclass(frozen=True)
class Suite:
    name: str
    packages: tuple
    toolchains: tuple


def _clang(*versions):
    return tuple(f"{part}-{version}" for version in versions for part in ("clang", "clang-tools", "lld", "llvm"))


SUITES = (
    Suite(
        "trixie",
        (*COMMON, *_clang(19)),
        (
            Toolchain("clang 19", "clang++-19", 19, 17),
            Toolchain("hipcc 5.7", "hipcc", 17, 17, projects=True),
        ),
    ),
    Suite(
        "sid",
        (*COMMON, *_clang(21, 22, 23)),
        (
            Toolchain("clang 21", "clang++-21", 21, 21, projects=True),
            Toolchain("hipcc 7", "hipcc", 21, 21),
            Toolchain("amdclang++, a stand-in", f"{STAND_IN}/amdclang++", 21, 21, stand_in=True),
            Toolchain("clang 22", "clang++-22", 22, 21),
            Toolchain("clang 23", "clang++-23", 23, 21),
        ),
    ),
)


def named(name):
    return next(suite for suite in SUITES if suite.name == name)
