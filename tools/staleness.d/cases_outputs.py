"""Outputs, and what a launcher does if its own settings are wrong."""

from case import GROUPS, case
from project import Link

GROUP = GROUPS[3]
PRIVATE = """#include "runtime.h"
namespace {
__global__ void kernel(float* data) { data[0] *= 2; }
__attribute__((constructor)) void launch() { kernel<<<1, 64>>>(nullptr); }
}
"""


@case("one source, two objects, linked", GROUP)
def two_objects(p):
    p.write("a.hip", PRIVATE)
    for name in ("one.o", "two.o"):
        yield p.compile(output=name, cuid=None, bytes=False)
    yield Link(["one.o", "two.o"])


@case("one source, two objects, linked, relocatable device code", GROUP)
def two_relocatable_objects(p):
    p.write("a.hip", PRIVATE)
    for name in ("one.o", "two.o"):
        yield p.compile("-fgpu-rdc", output=name, cuid=None, bytes=False)
    yield Link(["one.o", "two.o"])


@case("depfile without `-MF`", GROUP)
def depfile(p):
    p.source()
    yield p.compile("-MD", depfile=False)
    yield p.compile("-MD", depfile=False)


@case("depfile for another target", GROUP)
def depfile_target(p):
    p.source()
    yield p.compile("-MD", "-MT", "one", depfile=False)
    yield p.compile("-MD", "-MT", "two", depfile=False)


@case("timings of `-ftime-trace`", GROUP)
def time_trace(p):
    p.source()
    yield p.compile("-ftime-trace")
    yield p.compile("-ftime-trace")


@case("remarks of `-fsave-optimization-record`", GROUP)
def remarks(p):
    p.source()
    yield p.compile("-fsave-optimization-record", archs=("gfx906",))
    yield p.compile("-fsave-optimization-record", archs=("gfx906",))


@case("temporaries of `-save-temps`", GROUP)
def temporaries(p):
    p.source()
    yield p.compile("-save-temps")
    yield p.compile("-save-temps")


@case("`.dwo` of `-gsplit-dwarf`", GROUP)
def split_dwarf(p):
    p.source()
    yield p.compile("-g", "-gsplit-dwarf")
    yield p.compile("-g", "-gsplit-dwarf")


@case("warnings of the device side shown again", GROUP)
def warnings(p):
    p.source("#ifdef __HIP_DEVICE_COMPILE__", "#warning of the device", "#else", "#warning of the host", "#endif")
    yield p.compile(messages=True)
    yield p.compile(messages=True)


@case("error in the source", GROUP)
def error(p):
    p.source("#error broken")
    yield p.compile(messages=True)
    yield p.compile(messages=True)


@case("cache directory cannot be written", GROUP)
def unwritable(p):
    p.source()
    yield p.compile(spoil="directory")


@case("size of the cache is no number", GROUP)
def bad_size(p):
    p.source()
    yield p.compile(spoil="size")
