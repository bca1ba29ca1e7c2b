"""Changes that must cost nothing, or only the one architecture that they affect.

The host compile need not hit if the code objects change, because they are part of its input.
"""

import os

from case import GROUPS, case
from project import HIT, Owed

GROUP = GROUPS[4]
TWO = ("gfx906", "gfx1030")


@case("same again", GROUP)
def again(p):
    p.source()
    yield p.compile()
    yield p.compile(owed=HIT)


@case("source and header touched", GROUP)
def touch(p):
    p.source('#include "scale.h"')
    p.write("scale.h", "#define SCALE 2")
    yield p.compile()
    os.utime(p / "a.hip")
    os.utime(p / "scale.h")
    yield p.compile(owed=HIT)


@case("files written again with equal content", GROUP)
def rewrite(p):
    for owed in (None, HIT):
        p.source('#include "scale.h"')
        p.write("scale.h", "#define SCALE 2")
        yield p.compile(owed=owed)


@case("file that nobody reads appears in an include directory", GROUP)
def unread(p):
    p.source('#include "scale.h"')
    p.write("include/scale.h", "#define SCALE 2")
    yield p.compile("-Iinclude")
    p.write("include/other.h", "")
    yield p.compile("-Iinclude", owed=HIT)


@case("unrelated variable", GROUP)
def variable(p):
    p.source()
    yield p.compile(environment={"UNRELATED": "one"})
    yield p.compile(environment={"UNRELATED": "two"}, owed=HIT)


@case("other build directory", GROUP)
def directory(p):
    p.source('#include "scale.h"')
    p.write("include/scale.h", "#define SCALE 2")
    for name, owed in (("one", None), ("two", HIT)):
        (p / name).mkdir()
        yield p.compile("-I../include", source="../a.hip", cwd=p / name, owed=owed)


@case("edit undone", GROUP)
def undone(p):
    for scale, owed in ((2, None), (3, None), (2, HIT)):
        p.source(f"#define SCALE {scale}")
        yield p.compile(owed=owed)


@case("architectures in another order", GROUP)
def reordered(p):
    p.source()
    yield p.compile(archs=TWO)
    yield p.compile(archs=reversed(TWO), count=2, owed=HIT)


@case("architectures in one option", GROUP)
def spelled(p):
    p.source()
    yield p.compile(archs=TWO)
    yield p.compile(archs=[",".join(TWO)], count=2, owed=HIT)


@case("architectures by `--cuda-gpu-arch`", GROUP)
def old_spelling(p):
    p.source()
    yield p.compile(archs=TWO)
    yield p.compile(*(f"--cuda-gpu-arch={arch}" for arch in TWO), archs=(), count=2, owed=HIT)


@case("architecture added", GROUP)
def added(p):
    p.source()
    yield p.compile(archs=TWO)
    yield p.compile(archs=(*TWO, "gfx90a"), owed=Owed(device=1, host=1))


@case("architecture removed", GROUP)
def removed(p):
    p.source()
    yield p.compile(archs=TWO)
    yield p.compile(archs=TWO[:1], owed=Owed(host=1))


@case("header of the host side edited", GROUP)
def host_header(p):
    p.source("#ifndef __HIP_DEVICE_COMPILE__", '#include "host.h"', "#endif")
    p.write("host.h", "inline int answer() { return 41; }\nint ask() { return answer(); }\n")
    yield p.compile()
    p.write("host.h", "inline int answer() { return 42; }\nint ask() { return answer(); }\n")
    yield p.compile(owed=Owed(host=1))


@case("header of one architecture edited", GROUP)
def arch_header(p):
    p.source("#ifdef __gfx1030__", '#include "scale.h"', "#endif")
    p.write("scale.h", "#define SCALE 2")
    yield p.compile(archs=TWO)
    p.write("scale.h", "#define SCALE 3")
    yield p.compile(archs=TWO, owed=Owed(device=1, host=1))


@case("device library edited that is not linked", GROUP)
def other_library(p):
    p.source()
    path = p.bitcode("bitcode")
    yield p.compile(f"--rocm-device-lib-path={path}", libraries=True)
    p.bitcode("bitcode", opencl="ocml")
    yield p.compile(f"--rocm-device-lib-path={path}", libraries=True, owed=HIT)


@case("four equal compiles at once", GROUP)
def at_once(p):
    p.source()
    yield p.compile(at_once=4, owed=Owed(device=1, host=1))
