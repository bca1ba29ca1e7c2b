"""Changes to what the compiler reads: sources, headers, and where it looks for them."""

from case import GROUPS, case

GROUP = GROUPS[0]


@case("source edited", GROUP)
def source(p):
    p.source()
    yield p.compile()
    p.source("#define SCALE 2")
    yield p.compile()


@case("header edited", GROUP)
def header(p):
    p.source('#include "scale.h"')
    p.write("scale.h", "#define SCALE 2")
    yield p.compile()
    p.write("scale.h", "#define SCALE 3")
    yield p.compile()


@case("header edited, size and time kept", GROUP)
def same_stamp(p):
    p.source('#include "scale.h"')
    p.write("scale.h", "#define SCALE 2")
    yield p.compile()
    p.write_in_place("scale.h", "#define SCALE 3")
    yield p.compile()


@case("header of the device side edited", GROUP)
def device_header(p):
    p.source("#ifdef __HIP_DEVICE_COMPILE__", '#include "scale.h"', "#endif")
    p.write("scale.h", "#define SCALE 2")
    yield p.compile()
    p.write("scale.h", "#define SCALE 3")
    yield p.compile()


@case("header of one architecture edited", GROUP)
def arch_header(p):
    p.source("#ifdef __gfx1030__", '#include "scale.h"', "#endif")
    p.write("scale.h", "#define SCALE 2")
    yield p.compile(archs=("gfx906", "gfx1030"))
    p.write("scale.h", "#define SCALE 3")
    yield p.compile(archs=("gfx906", "gfx1030"))


@case("header named by `-include` edited", GROUP)
def forced_header(p):
    p.source()
    p.write("scale.h", "#define SCALE 2")
    yield p.compile("-include", "scale.h")
    p.write("scale.h", "#define SCALE 3")
    yield p.compile("-include", "scale.h")


@case("header named by `-Xarch_device -include` edited", GROUP)
def forced_device_header(p):
    p.source()
    p.write("scale.h", "#define SCALE 2")
    flags = ("-Xarch_device", f"-include{p / 'scale.h'}")
    yield p.compile(*flags)
    p.write("scale.h", "#define SCALE 3")
    yield p.compile(*flags)


@case("header appears earlier on the path", GROUP)
def shadow(p):
    p.source("#include <scale.h>")
    p.write("late/scale.h", "#define SCALE 2")
    (p / "early").mkdir()
    yield p.compile("-Iearly", "-Ilate")
    p.write("early/scale.h", "#define SCALE 3")
    yield p.compile("-Iearly", "-Ilate")


@case("device header appears earlier, in a new directory", GROUP)
def shadow_in_new_directory(p):
    p.source("#ifdef __HIP_DEVICE_COMPILE__", "#include <scale.h>", "#endif")
    p.write("late/scale.h", "#define SCALE 2")
    yield p.compile("-Iearly", "-Ilate")
    p.write("early/scale.h", "#define SCALE 3")
    yield p.compile("-Iearly", "-Ilate")


@case("`__has_include` target appears", GROUP)
def has_include(p):
    p.source('#if __has_include("tuned.h")', "#define SCALE 3", "#endif")
    yield p.compile()
    p.write("tuned.h", "")
    yield p.compile()


@case("`__has_include` target vanishes", GROUP)
def has_include_no_more(p):
    p.source('#if __has_include("tuned.h")', "#define SCALE 3", "#endif")
    p.write("tuned.h", "")
    yield p.compile()
    (p / "tuned.h").unlink()
    yield p.compile()


@case("header deleted", GROUP)
def deleted(p):
    p.source('#include "scale.h"')
    p.write("scale.h", "#define SCALE 2")
    yield p.compile()
    (p / "scale.h").unlink()
    yield p.compile()


@case("linked header retargeted", GROUP)
def linked_header(p):
    p.source('#include "scale.h"')
    p.write("two.h", "#define SCALE 2")
    p.write("three.h", "#define SCALE 3")
    p.link("scale.h", "two.h")
    yield p.compile()
    p.link("scale.h", "three.h")
    yield p.compile()


@case("linked directory retargeted", GROUP)
def linked_directory(p):
    p.source("#include <scale.h>")
    p.write("two/scale.h", "#define SCALE 2")
    p.write("three/scale.h", "#define SCALE 3")
    p.link("current", "two")
    yield p.compile("-Icurrent")
    p.link("current", "three")
    yield p.compile("-Icurrent")


@case("response file edited", GROUP)
def response_file(p):
    p.source()
    p.write("flags.rsp", "-DSCALE=2")
    yield p.compile("@flags.rsp")
    p.write("flags.rsp", "-DSCALE=3")
    yield p.compile("@flags.rsp")


@case("same relative `-I` in another directory", GROUP)
def relative_include(p):
    p.source("#include <scale.h>")
    p.write("one/inc/scale.h", "#define SCALE 2")
    p.write("two/inc/scale.h", "#define SCALE 3")
    yield p.compile("-Iinc", source=p / "a.hip", cwd=p / "one")
    yield p.compile("-Iinc", source=p / "a.hip", cwd=p / "two")


@case("`-g` in another directory", GROUP)
def debug_directory(p):
    p.source()
    for name in ("one", "two"):
        (p / name).mkdir()
        yield p.compile("-g", source=p / "a.hip", cwd=p / name)


@case("`-g`, blank lines inserted", GROUP)
def blank_lines(p):
    p.source()
    yield p.compile("-g")
    p.source("", "", "")
    yield p.compile("-g")


@case("`-g`, blank lines inserted for the device side", GROUP)
def device_blank_lines(p):
    p.source("#ifdef __HIP_DEVICE_COMPILE__", '#include "more.h"', "#endif")
    p.write("more.h", "__device__ inline int more(int x) { return x; }\n__global__ void other(int* x) { *x = more(*x); }\n")
    yield p.compile("-g")
    p.write("more.h", "\n\n__device__ inline int more(int x) { return x; }\n__global__ void other(int* x) { *x = more(*x); }\n")
    yield p.compile("-g")


@case("`__DATE__`, source edited to the same size", GROUP)
def date(p):
    p.source("__device__ const char* day = __DATE__;", "#define SCALE 2")
    yield p.compile()
    yield p.compile()
    p.write_in_place("a.hip", (p / "a.hip").read_text().replace("SCALE 2", "SCALE 3"))
    yield p.compile()


@case("`__TIMESTAMP__`, source touched", GROUP)
def timestamp(p):
    p.source("__device__ const char* when = __TIMESTAMP__;")
    yield p.compile()
    p.source("__device__ const char* when = __TIMESTAMP__;")
    yield p.compile()
