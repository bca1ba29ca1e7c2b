"""The table of cases. A row says what is there, what changes, and how the compile before and after is run.

`files`, `edit`: by path, the text or what else is put there. `then`: what the second compile has otherwise. Rows with
`steps` go on: each step is an edit and what its compile has otherwise. hipcache's own tests
(tests/integration/staleness) have these cases step by step; here they are for comparing launchers."""

import dataclasses

from project import Link, Owed, bitcode, copy, directory, in_place, kernel, link, on_device, removed, script, touched

GROUPS = ("sources and headers", "arguments and environment", "device libraries and tools", "outputs and settings",
          "hits that are owed")
BOTH, NEWER = ("15", "19"), ("19",)


@dataclasses.dataclass(frozen=True)
class Case:
    title: str
    group: str
    files: dict
    steps: list  # pairs of an edit and what the compile is run with; the first edit is none
    link: tuple
    clangs: tuple

    def run(self, project):
        """Yields what to compile, each after its edit."""
        project.put(self.files)
        for edit, how in self.steps:
            project.put(edit)
            yield project.compile(**how)
        if self.link:
            yield Link(self.link)


def case(title, files=None, edit=None, then=None, steps=None, link=(), clangs=BOTH, **how):
    """`files` without a source get the plain kernel. `how`: as for Project.compile."""
    files = {"a.hip": kernel(), **(files or {})}
    more = [(edit or {}, then or {})] if steps is None else steps
    steps = [({}, {}), *more]
    return lambda group: Case(title, group, files, [(change, {**how, **more}) for change, more in steps], link, clangs)


SCALE = {"a.hip": kernel('#include "scale.h"')}
ONE_ARCH = {"a.hip": kernel("#ifdef __gfx1030__", '#include "scale.h"', "#endif")}
ANGLED = {"a.hip": kernel("#include <scale.h>")}
TWO, THREE = "#define SCALE 2", "#define SCALE 3"
HEADER, EDITED = {"scale.h": TWO}, {"scale.h": THREE}
BOTH_ARCHS = ("gfx906", "gfx1030")
HAS_INCLUDE = {"a.hip": kernel('#if __has_include("tuned.h")', THREE, "#endif")}
MORE = "__device__ inline int more(int x) { return x; }\n__global__ void other(int* x) { *x = more(*x); }\n"
TIMESTAMP = kernel("__device__ const char* when = __TIMESTAMP__;")
DATE = "__device__ const char* day = __DATE__;"

SOURCES = (
    case("source edited", edit={"a.hip": kernel(TWO)}),
    case("header edited", SCALE | HEADER, EDITED),
    case("header edited, size and time kept", SCALE | HEADER, {"scale.h": in_place(THREE)}),
    case("header of the device side edited", {"a.hip": kernel(*on_device('#include "scale.h"'))} | HEADER, EDITED),
    case("header of one architecture edited", ONE_ARCH | HEADER,
         EDITED, archs=BOTH_ARCHS),
    case("header named by `-include` edited", HEADER, EDITED, flags=("-include", "scale.h")),
    case("header named by `-Xarch_device -include` edited", HEADER, EDITED,
         flags=("-Xarch_device", "-include{p}/scale.h")),
    case("header appears earlier on the path", ANGLED | {"late/scale.h": TWO, "early": directory},
         {"early/scale.h": THREE}, flags=("-Iearly", "-Ilate")),
    case("device header appears earlier, in a new directory",
         {"a.hip": kernel(*on_device("#include <scale.h>")), "late/scale.h": TWO}, {"early/scale.h": THREE},
         flags=("-Iearly", "-Ilate")),
    case("`__has_include` target appears", HAS_INCLUDE, {"tuned.h": ""}),
    case("`__has_include` target vanishes", HAS_INCLUDE | {"tuned.h": ""}, {"tuned.h": removed}),
    case("header deleted", SCALE | HEADER, {"scale.h": removed}),
    case("linked header retargeted", SCALE | {"two.h": TWO, "three.h": THREE, "scale.h": link("two.h")},
         {"scale.h": link("three.h")}),
    case("linked directory retargeted", ANGLED | {"two/scale.h": TWO, "three/scale.h": THREE, "current": link("two")},
         {"current": link("three")}, flags=("-Icurrent",)),
    case("response file edited", {"flags.rsp": "-DSCALE=2"}, {"flags.rsp": "-DSCALE=3"}, flags=("@flags.rsp",)),
    case("same relative `-I` in another directory", ANGLED | {"one/inc/scale.h": TWO, "two/inc/scale.h": THREE},
         then={"cwd": "two"}, cwd="one", flags=("-Iinc",), source="{p}/a.hip"),
    case("`-g` in another directory", {"one": directory, "two": directory}, then={"cwd": "two"}, cwd="one",
         flags=("-g",), source="{p}/a.hip"),
    case("`-g`, blank lines inserted", edit={"a.hip": kernel("", "", "")}, flags=("-g",)),
    case("`-g`, blank lines inserted for the device side",
         {"a.hip": kernel(*on_device('#include "more.h"')), "more.h": MORE}, {"more.h": f"\n\n{MORE}"}, flags=("-g",)),
    case("`__DATE__`, source edited to the same size", {"a.hip": kernel(DATE, TWO)},
         steps=[({}, {}), ({"a.hip": in_place(kernel(DATE, THREE))}, {})]),
    case("`__TIMESTAMP__`, source touched", {"a.hip": TIMESTAMP}, {"a.hip": TIMESTAMP}),
)


def changed(title, before, after, **how):
    """Two commands that differ in options."""
    return case(title, then={"flags": after.split()}, flags=before.split(), **how)


def variable(title, name, before, after, lines=(), **how):
    """One command under two values of a variable."""
    files = {"a.hip": kernel(*lines), "two/scale.h": TWO, "three/scale.h": THREE}
    return case(title, files, then={"environment": {name: after}}, environment={name: before}, **how)


IGNORELIST = "-Xarch_host -fsanitize=signed-integer-overflow -fsanitize-ignorelist={p}/ignored.txt".split()
DEVICE_TWO, DEVICE_THREE = ({"a.hip": kernel(*on_device(line))} for line in (TWO, THREE))

ARGUMENTS = (
    changed("`-D` changed", "-DSCALE=2", "-DSCALE=3"),
    changed("`-Xarch_device` option changed", "-Xarch_device -DSCALE=2", "-Xarch_device -DSCALE=3"),
    changed("`-Xarch_device` option dropped", "-Xarch_device -DSCALE=2", ""),
    changed("`-Xarch_host` option changed", "-Xarch_host -DSCALE=2 -Xarch_host -O0", "-Xarch_host -DSCALE=2"),
    changed("`-Xarch_gfx906` option changed", "-Xarch_gfx906 -DSCALE=2", "-Xarch_gfx906 -DSCALE=3"),
    changed("`-Xarch_device` options in another order", "-Xarch_device -DSCALE=2 -Xarch_device -USCALE",
            "-Xarch_device -USCALE -Xarch_device -DSCALE=2"),
    changed("option for the device linker changed", "-Xoffload-linker --build-id=sha1",
            "-Xoffload-linker --build-id=md5",
            clangs=NEWER),
    variable("`CCC_OVERRIDE_OPTIONS` changed", "CCC_OVERRIDE_OPTIONS", "# +-DSCALE=2", "# +-DSCALE=3"),
    variable("`CPATH` changed", "CPATH", "{p}/two", "{p}/three", ["#include <scale.h>"]),
    variable("`SOURCE_DATE_EPOCH` changed, `__DATE__`", "SOURCE_DATE_EPOCH", "100000000", "200000000", [DATE],
             clangs=NEWER),
    case("config file edited", {"flags.cfg": "-DSCALE=2"}, {"flags.cfg": "-DSCALE=3"},
         flags=("--config", "{p}/flags.cfg")),
    case("config file of the user's appears", {"configs": directory}, {"configs/clang++.cfg": "-DSCALE=3"},
         flags=("--config-user-dir={p}/configs",), clangs=NEWER),
    case("list of the sanitizer's exceptions edited",
         {"sum.h": "inline int sum(int a, int b) { return a + b; }", "ignored.txt": "src:nothing\n",
          "a.hip": kernel('#include "sum.h"', "int use(int a) { return sum(a, a); }")},
         {"ignored.txt": "src:*sum.h\n"}, flags=IGNORELIST),
    case("new driver: kernel edited", DEVICE_TWO, DEVICE_THREE, flags=("--offload-new-driver",), clangs=NEWER),
    case("relocatable device code: kernel edited", DEVICE_TWO, DEVICE_THREE, flags=("-fgpu-rdc",)),
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
    case("device libraries switched by `--rocm-device-lib-path`", ROOT | LIBRARIES,
         then={"flags": ("--rocm-device-lib-path={p}/three",)}, flags=("--rocm-device-lib-path={p}/two",),
         libraries=True),
    case("device libraries switched by `HIP_DEVICE_LIB_PATH`", ROOT | LIBRARIES,
         then={"environment": {"HIP_DEVICE_LIB_PATH": "{p}/three"}}, environment={"HIP_DEVICE_LIB_PATH": "{p}/two"},
         libraries=True),
    case("device libraries switched by `ROCM_PATH`",
         ROOT | {f"{name}/amdgcn/bitcode": made for name, made in LIBRARIES.items()},
         then={"environment": {"ROCM_PATH": "{p}/three"}}, environment={"ROCM_PATH": "{p}/two"}, libraries=True,
         without="--rocm-path=/usr"),
    case("`lld` replaced", OWN_TOOLS, {"tool/bin/lld": copy("{tools}/lld", b"Debian LLD", b"debian LLD")},
         tools="{p}/tool/bin", compiler="{p}/tool/bin/clang++"),
    case("link to the compiler retargeted", {"clang++": link("/usr/bin/clang++-{clang}")},
         {"clang++": link("/usr/bin/clang++-{other}")}, compiler="{p}/clang++"),
    case("script around the compiler: what it runs changed",
         {"clang++": script('exec {p}/real "$@"'), "two": script(RUN % 2), "three": script(RUN % 3),
          "real": link("{p}/two")},
         {"real": link("{p}/three")}, compiler="{p}/clang++"),
    case("compiler appears earlier on `PATH`", {"early": directory, "late/clang++": link("/usr/bin/clang++-{clang}")},
         {"early/clang++": link("/usr/bin/clang++-{other}")}, compiler="clang++",
         environment={"PATH": "{p}/early:{p}/late:/usr/bin:/bin"}),
    case("`--offload-arch=native`, another GPU", {"detect": script("echo gfx906")}, {"detect": script("echo gfx1030")},
         flags=("--amdgpu-arch-tool={p}/detect",), archs=("native",), clangs=NEWER),
)

PRIVATE = """#include "runtime.h"
namespace {
__global__ void kernel(float* data) { data[0] *= 2; }
__attribute__((constructor)) void launch() { kernel<<<1, 64>>>(nullptr); }
}
"""
TWO_OBJECTS = {"files": {"a.hip": PRIVATE}, "then": {"output": "two.o"}, "output": "one.o", "link": ("one.o", "two.o"),
               "cuid": None, "bytes": False}

OUTPUTS = (
    case("one source, two objects, linked", **TWO_OBJECTS),
    case("one source, two objects, linked, relocatable device code", **TWO_OBJECTS, flags=("-fgpu-rdc",)),
    case("depfile without `-MF`", flags=("-MD",), depfile=False),
    case("depfile for another target", then={"flags": ("-MD", "-MT", "two")}, flags=("-MD", "-MT", "one"),
         depfile=False),
    case("timings of `-ftime-trace`", flags=("-ftime-trace",)),
    case("remarks of `-fsave-optimization-record`", flags=("-fsave-optimization-record",)),
    case("temporaries of `-save-temps`", flags=("-save-temps",)),
    case("`.dwo` of `-gsplit-dwarf`", flags=("-g", "-gsplit-dwarf")),
    case("warnings of the device side shown again",
         {"a.hip": kernel("#ifdef __HIP_DEVICE_COMPILE__", "#warning of the device", "#else", "#warning of the host",
                          "#endif")},
         messages=True),
    case("error in the source", {"a.hip": kernel("#error broken")}, messages=True),
    case("cache directory cannot be written", steps=[], spoil="directory"),
    case("size of the cache is no number", steps=[], spoil="size"),
)

# The host compile need not hit if the code objects change, because they are part of its input.
HIT = {"owed": Owed()}
HOST, ARCH = {"owed": Owed(host=1)}, {"owed": Owed(device=1, host=1)}
HOST_HEADER = "inline int answer() { return %d; }\nint ask() { return answer(); }\n"

HITS = (
    case("same again", then=HIT),
    case("source and header touched", SCALE | HEADER, {"a.hip": touched, "scale.h": touched}, HIT),
    case("files written again with equal content", SCALE | HEADER, SCALE | HEADER, HIT),
    case("file that nobody reads appears in an include directory", SCALE | {"include/scale.h": TWO},
         {"include/other.h": ""}, HIT, flags=("-Iinclude",)),
    case("unrelated variable", then={"environment": {"UNRELATED": "two"}, **HIT}, environment={"UNRELATED": "one"}),
    case("other build directory", SCALE | {"include/scale.h": TWO, "one": directory, "two": directory},
         then={"cwd": "two", **HIT}, cwd="one", flags=("-I../include",), source="../a.hip"),
    case("edit undone", {"a.hip": kernel(TWO)}, steps=[({"a.hip": kernel(THREE)}, {}), ({"a.hip": kernel(TWO)}, HIT)]),
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
    case("header of one architecture edited", ONE_ARCH | HEADER,
         EDITED, ARCH, archs=BOTH_ARCHS),
    case("device library edited that is not linked", {"bitcode": bitcode()}, {"bitcode": bitcode(opencl="ocml")}, HIT,
         flags=BY_OPTION, libraries=True),
    case("four equal compiles at once", steps=[], at_once=4, **ARCH),
)
TABLE = [row(group) for group, rows in zip(GROUPS, (SOURCES, ARGUMENTS, TOOLCHAIN, OUTPUTS, HITS)) for row in rows]
