"""Changes to the command: options, and variables that the driver reads."""

from case import GROUPS, case

GROUP = GROUPS[1]


def _changed(title, before, after, clangs=("15", "19"), **options):
    """A case of two commands that differ in one option."""

    @case(title, GROUP, clangs)
    def steps(p):
        p.source()
        yield p.compile(*before, **options)
        yield p.compile(*after, **options)


def _variable(title, name, before, after, flags=(), clangs=("15", "19"), lines=()):
    """A case of one command under two values of a variable; `{p}` stands for the project's directory."""

    @case(title, GROUP, clangs)
    def steps(p):
        p.source(*lines)
        p.write("two/scale.h", "#define SCALE 2")
        p.write("three/scale.h", "#define SCALE 3")
        for value in (before, after):
            yield p.compile(*flags, environment={name: value.format(p=p.directory)})


_changed("`-D` changed", ["-DSCALE=2"], ["-DSCALE=3"])
_changed("`-Xarch_device` option changed", ["-Xarch_device", "-DSCALE=2"], ["-Xarch_device", "-DSCALE=3"])
_changed("`-Xarch_device` option dropped", ["-Xarch_device", "-DSCALE=2"], [])
_changed("`-Xarch_host` option changed", ["-Xarch_host", "-DSCALE=2", "-Xarch_host", "-O0"], ["-Xarch_host", "-DSCALE=2"])
_changed("`-Xarch_gfx906` option changed", ["-Xarch_gfx906", "-DSCALE=2"], ["-Xarch_gfx906", "-DSCALE=3"])
_changed(
    "`-Xarch_device` options in another order",
    ["-Xarch_device", "-DSCALE=2", "-Xarch_device", "-USCALE"],
    ["-Xarch_device", "-USCALE", "-Xarch_device", "-DSCALE=2"],
)
_changed("option for the device linker changed", ["-Xoffload-linker", "--build-id=sha1"], ["-Xoffload-linker", "--build-id=md5"], ("19",))

_variable("`CCC_OVERRIDE_OPTIONS` changed", "CCC_OVERRIDE_OPTIONS", "# +-DSCALE=2", "# +-DSCALE=3")
_variable("`CPATH` changed", "CPATH", "{p}/two", "{p}/three", lines=["#include <scale.h>"])
_variable("`SOURCE_DATE_EPOCH` changed, `__DATE__`", "SOURCE_DATE_EPOCH", "100000000", "200000000",
          clangs=("19",), lines=["__device__ const char* day = __DATE__;"])


@case("config file edited", GROUP)
def config_file(p):
    p.source()
    p.write("flags.cfg", "-DSCALE=2")
    yield p.compile("--config", p / "flags.cfg")
    p.write("flags.cfg", "-DSCALE=3")
    yield p.compile("--config", p / "flags.cfg")


@case("config file of the user's appears", GROUP, ("19",))
def user_config(p):
    p.source()
    (p / "configs").mkdir()
    yield p.compile(f"--config-user-dir={p / 'configs'}")
    p.write("configs/clang++.cfg", "-DSCALE=3")
    yield p.compile(f"--config-user-dir={p / 'configs'}")


@case("list of the sanitizer's exceptions edited", GROUP)
def ignorelist(p):
    p.source()
    flags = ("-Xarch_host", "-fsanitize=signed-integer-overflow", f"-fsanitize-ignorelist={p / 'ignored.txt'}")
    p.write("sum.h", "inline int sum(int a, int b) { return a + b; }")
    p.source('#include "sum.h"', "int use(int a) { return sum(a, a); }")
    p.write("ignored.txt", "src:nothing\n")
    yield p.compile(*flags)
    p.write("ignored.txt", "src:*sum.h\n")
    yield p.compile(*flags)


@case("new driver: kernel edited", GROUP, ("19",))
def new_driver(p):
    p.source("#ifdef __HIP_DEVICE_COMPILE__", "#define SCALE 2", "#endif")
    yield p.compile("--offload-new-driver")
    p.source("#ifdef __HIP_DEVICE_COMPILE__", "#define SCALE 3", "#endif")
    yield p.compile("--offload-new-driver")


@case("relocatable device code: kernel edited", GROUP)
def relocatable(p):
    p.source("#ifdef __HIP_DEVICE_COMPILE__", "#define SCALE 2", "#endif")
    yield p.compile("-fgpu-rdc")
    p.source("#ifdef __HIP_DEVICE_COMPILE__", "#define SCALE 3", "#endif")
    yield p.compile("-fgpu-rdc")
