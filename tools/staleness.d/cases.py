"""The table of cases. A row says what is there, what changes, and how the compile before and after is run.

`files`, `edit`: by path, the text or what else is put there. `then`: what the second compile has otherwise. A row
stands here because a launcher fails it. What all launchers do right is in hipcache's own tests alone, which have these
cases step by step as well (fixtures/cases, tests/integration/staleness)."""

import dataclasses

from project import Link, Owed, bitcode, copy, directory, kernel, link, on_device, removed, script

GROUPS = ("sources and headers", "arguments and environment", "device libraries and tools", "outputs and settings",
          "hits that are owed")
BOTH, NEWER = ("15", "19"), ("19",)


@dataclasses.dataclass(frozen=True)
class Case:
    title: str
    group: str
    files: dict
    edit: dict
    compiles: list  # what each is run with; the edit comes before the second
    link: tuple
    clangs: tuple

    def run(self, project):
        """Yields what to compile, each after its edit."""
        project.put(self.files)
        for number, how in enumerate(self.compiles):
            project.put(self.edit if number else {})
            yield project.compile(**how)
        if self.link:
            yield Link(self.link)


def case(title, files=None, edit=None, then=None, once=False, link=(), clangs=BOTH, **how):
    """`files` without a source get the plain kernel. `once`: there is no second compile. `how`: as for
    Project.compile."""
    files = {"a.hip": kernel(), **(files or {})}
    compiles = [how] if once else [how, {**how, **(then or {})}]
    return lambda group: Case(title, group, files, edit or {}, compiles, link, clangs)


SCALE = {"a.hip": kernel('#include "scale.h"')}
ONE_ARCH = {"a.hip": kernel("#ifdef __gfx1030__", '#include "scale.h"', "#endif")}
TWO, THREE = "#define SCALE 2", "#define SCALE 3"
HEADER, EDITED = {"scale.h": TWO}, {"scale.h": THREE}
BOTH_ARCHS = ("gfx906", "gfx1030")
HAS_INCLUDE = {"a.hip": kernel('#if __has_include("tuned.h")', THREE, "#endif")}
MORE = "__device__ inline int more(int x) { return x; }\n__global__ void other(int* x) { *x = more(*x); }\n"

SOURCES = (
    case("header of the device side edited", {"a.hip": kernel(*on_device('#include "scale.h"'))} | HEADER, EDITED),
    case("header of one architecture edited", ONE_ARCH | HEADER, EDITED, archs=BOTH_ARCHS),
    case("header named by `-Xarch_device -include` edited", HEADER, EDITED,
         flags=("-Xarch_device", "-include{p}/scale.h")),
    case("header appears earlier on the path",
         {"a.hip": kernel("#include <scale.h>"), "late/scale.h": TWO, "early": directory}, {"early/scale.h": THREE},
         flags=("-Iearly", "-Ilate")),
    case("device header appears earlier, in a new directory",
         {"a.hip": kernel(*on_device("#include <scale.h>")), "late/scale.h": TWO}, {"early/scale.h": THREE},
         flags=("-Iearly", "-Ilate")),
    case("`__has_include` target appears", HAS_INCLUDE, {"tuned.h": ""}),
    case("`__has_include` target vanishes", HAS_INCLUDE | {"tuned.h": ""}, {"tuned.h": removed}),
    case("`-g`, blank lines inserted for the device side",
         {"a.hip": kernel(*on_device('#include "more.h"')), "more.h": MORE}, {"more.h": f"\n\n{MORE}"}, flags=("-g",)),
)

IGNORELIST = "-Xarch_host -fsanitize=signed-integer-overflow -fsanitize-ignorelist={p}/ignored.txt".split()
DEVICE_TWO, DEVICE_THREE = ({"a.hip": kernel(*on_device(line))} for line in (TWO, THREE))

ARGUMENTS = (
    case("`CCC_OVERRIDE_OPTIONS` changed", then={"environment": {"CCC_OVERRIDE_OPTIONS": "# +-DSCALE=3"}},
         environment={"CCC_OVERRIDE_OPTIONS": "# +-DSCALE=2"}),
    case("config file of the user's appears", {"configs": directory}, {"configs/clang++.cfg": "-DSCALE=3"},
         flags=("--config-user-dir={p}/configs",), clangs=NEWER),
    case("list of the sanitizer's exceptions edited",
         {"sum.h": "inline int sum(int a, int b) { return a + b; }", "ignored.txt": "src:nothing\n",
          "a.hip": kernel('#include "sum.h"', "int use(int a) { return sum(a, a); }")},
         {"ignored.txt": "src:*sum.h\n"}, flags=IGNORELIST),
    case("new driver: kernel edited", DEVICE_TWO, DEVICE_THREE, flags=("--offload-new-driver",), clangs=NEWER),
)

# The library that the driver links by default, and its counterpart: their code for square roots differs.
OTHER_ROOT = {"oclc_correctly_rounded_sqrt_on": "oclc_correctly_rounded_sqrt_off"}
ROOT = {"a.hip": kernel(*on_device('extern "C" __device__ float __ocml_sqrt_f32(float);',
                                   "#define SCALE __ocml_sqrt_f32(data[1])"))}
LIBRARIES = {"two": bitcode(), "three": bitcode(**OTHER_ROOT)}
BY_OPTION = ("--rocm-device-lib-path={p}/bitcode",)
# A toolchain of links to the real one, in which single programs can be replaced.
OWN_TOOLS = {
    "tool/bin/clang-offload-bundler": link("{tools}/clang-offload-bundler"), "tool/bin/lld": link("{tools}/lld"),
    "tool/lib": link("{tools}/../lib"), "tool/bin/clang": copy("{tools}/clang"), "tool/bin/clang++": link("clang"),
}  # fmt: skip
RUN = 'exec /usr/bin/clang++-{clang} -DSCALE=%d "$@"'

TOOLCHAIN = (
    case("device library edited in place", ROOT | {"bitcode": bitcode()}, {"bitcode": bitcode(**OTHER_ROOT)},
         flags=BY_OPTION, libraries=True),
    case("device libraries behind a retargeted link", ROOT | LIBRARIES | {"bitcode": link("two")},
         {"bitcode": link("three")}, flags=BY_OPTION, libraries=True),
    case("device libraries switched by `HIP_DEVICE_LIB_PATH`", ROOT | LIBRARIES,
         then={"environment": {"HIP_DEVICE_LIB_PATH": "{p}/three"}}, environment={"HIP_DEVICE_LIB_PATH": "{p}/two"},
         libraries=True),
    case("device libraries switched by `ROCM_PATH`",
         ROOT | {f"{name}/amdgcn/bitcode": made for name, made in LIBRARIES.items()},
         then={"environment": {"ROCM_PATH": "{p}/three"}}, environment={"ROCM_PATH": "{p}/two"}, libraries=True,
         without="--rocm-path=/usr"),
    case("`lld` replaced", OWN_TOOLS, {"tool/bin/lld": copy("{tools}/lld", b"Debian LLD", b"debian LLD")},
         tools="{p}/tool/bin", compiler="{p}/tool/bin/clang++"),
    case("script around the compiler: what it runs changed",
         {"clang++": script('exec {p}/real "$@"'), "two": script(RUN % 2), "three": script(RUN % 3),
          "real": link("{p}/two")},
         {"real": link("{p}/three")}, compiler="{p}/clang++"),
    case("`--offload-arch=native`, another GPU", {"detect": script("echo gfx906")}, {"detect": script("echo gfx1030")},
         flags=("--amdgpu-arch-tool={p}/detect",), archs=("native",), clangs=NEWER),
)

PRIVATE = """#include "runtime.h"
namespace {
__global__ void kernel(float* data) { data[0] *= 2; }
__attribute__((constructor)) void launch() { kernel<<<1, 64>>>(nullptr); }
}
"""

OUTPUTS = (
    case("one source, two objects, linked", {"a.hip": PRIVATE}, then={"output": "two.o"}, output="one.o",
         link=("one.o", "two.o"), cuid=None, bytes=False),
    case("remarks of `-fsave-optimization-record`", flags=("-fsave-optimization-record",)),
    case("`.dwo` of `-gsplit-dwarf`", flags=("-g", "-gsplit-dwarf")),
    case("cache directory cannot be written", once=True, spoil="directory"),
    case("size of the cache is no number", once=True, spoil="size"),
)

# The host compile need not hit if the code objects change, because they are part of its input.
HIT = {"owed": Owed()}
HOST, ARCH = {"owed": Owed(host=1)}, {"owed": Owed(device=1, host=1)}
HOST_HEADER = "inline int answer() { return %d; }\nint ask() { return answer(); }\n"

HITS = (
    case("same again", then=HIT),
    case("architectures in another order", then={"archs": BOTH_ARCHS[::-1], **HIT}, archs=BOTH_ARCHS),
    case("architectures in one option", then={"archs": [",".join(BOTH_ARCHS)], "count": 2, **HIT}, archs=BOTH_ARCHS),
    case("architectures by `--cuda-gpu-arch`",
         then={"archs": (), "flags": [f"--cuda-gpu-arch={arch}" for arch in BOTH_ARCHS], "count": 2, **HIT},
         archs=BOTH_ARCHS),
    case("architecture added", then={"archs": (*BOTH_ARCHS, "gfx90a"), **ARCH}, archs=BOTH_ARCHS),
    case("architecture removed", then={"archs": BOTH_ARCHS[:1], **HOST}, archs=BOTH_ARCHS),
    case("header of the host side edited",
         {"a.hip": kernel("#ifndef __HIP_DEVICE_COMPILE__", '#include "host.h"', "#endif"), "host.h": HOST_HEADER % 41},
         {"host.h": HOST_HEADER % 42}, HOST),
    case("header of one architecture edited", ONE_ARCH | HEADER, EDITED, ARCH, archs=BOTH_ARCHS),
    case("four equal compiles at once", once=True, at_once=4, **ARCH),
)
TABLE = [row(group) for group, rows in zip(GROUPS, (SOURCES, ARGUMENTS, TOOLCHAIN, OUTPUTS, HITS)) for row in rows]
