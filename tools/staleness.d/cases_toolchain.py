"""Changes to the tools: device libraries, the linker, the compiler, and what the driver asks the machine."""

from case import GROUPS, case

GROUP = GROUPS[2]
# The library that the driver links by default, and its counterpart: their code for square roots differs.
LIBRARY, OTHER = "oclc_correctly_rounded_sqrt_on", "oclc_correctly_rounded_sqrt_off"
ROOT = ('extern "C" __device__ float __ocml_sqrt_f32(float);', "#define SCALE __ocml_sqrt_f32(data[1])")


def _root(p):
    p.source("#ifdef __HIP_DEVICE_COMPILE__", *ROOT, "#endif")


@case("device library edited in place", GROUP)
def edited_library(p):
    _root(p)
    directory = p.bitcode("bitcode")
    yield p.compile(f"--rocm-device-lib-path={directory}", libraries=True)
    p.bitcode("bitcode", **{LIBRARY: OTHER})
    yield p.compile(f"--rocm-device-lib-path={directory}", libraries=True)


@case("device libraries behind a retargeted link", GROUP)
def linked_libraries(p):
    _root(p)
    p.bitcode("two")
    p.bitcode("three", **{LIBRARY: OTHER})
    p.link("bitcode", "two")
    yield p.compile(f"--rocm-device-lib-path={p / 'bitcode'}", libraries=True)
    p.link("bitcode", "three")
    yield p.compile(f"--rocm-device-lib-path={p / 'bitcode'}", libraries=True)


@case("device libraries switched by `--rocm-device-lib-path`", GROUP)
def switched_by_option(p):
    _root(p)
    p.bitcode("two")
    p.bitcode("three", **{LIBRARY: OTHER})
    for name in ("two", "three"):
        yield p.compile(f"--rocm-device-lib-path={p / name}", libraries=True)


@case("device libraries switched by `HIP_DEVICE_LIB_PATH`", GROUP)
def switched_by_variable(p):
    _root(p)
    p.bitcode("two")
    p.bitcode("three", **{LIBRARY: OTHER})
    for name in ("two", "three"):
        yield p.compile(libraries=True, environment={"HIP_DEVICE_LIB_PATH": str(p / name)})


@case("device libraries switched by `ROCM_PATH`", GROUP)
def switched_by_rocm_path(p):
    _root(p)
    p.bitcode("two/amdgcn/bitcode")
    p.bitcode("three/amdgcn/bitcode", **{LIBRARY: OTHER})
    for name in ("two", "three"):
        command = p.compile(libraries=True, environment={"ROCM_PATH": str(p / name)})
        command.argv.remove("--rocm-path=/usr")
        yield command


@case("`lld` replaced", GROUP)
def linker(p):
    p.source()
    tools = _own_tools(p)
    yield p.compile(tools=tools, compiler=tools / "clang++")
    p.patched("tool/bin/lld", p.tools / "lld", b"Debian LLD", b"debian LLD")
    yield p.compile(tools=tools, compiler=tools / "clang++")


@case("link to the compiler retargeted", GROUP)
def linked_compiler(p):
    p.source()
    for clang in (p.clang, "15" if p.clang == "19" else "19"):
        p.link("clang++", f"/usr/bin/clang++-{clang}")
        yield p.compile(compiler=p / "clang++")


@case("script around the compiler: what it runs changed", GROUP)
def wrapper(p):
    p.source()
    p.script("clang++", f'exec {p / "real"} "$@"')
    p.link("real", p.script("two", f'exec /usr/bin/clang++-{p.clang} -DSCALE=2 "$@"'))
    yield p.compile(compiler=p / "clang++")
    p.link("real", p.script("three", f'exec /usr/bin/clang++-{p.clang} -DSCALE=3 "$@"'))
    yield p.compile(compiler=p / "clang++")


@case("compiler appears earlier on `PATH`", GROUP)
def earlier_compiler(p):
    p.source()
    (p / "early").mkdir()
    p.link("late/clang++", f"/usr/bin/clang++-{p.clang}")
    path = {"PATH": f"{p / 'early'}:{p / 'late'}:/usr/bin:/bin"}
    yield p.compile(compiler="clang++", environment=path)
    p.link("early/clang++", f"/usr/bin/clang++-{'15' if p.clang == '19' else '19'}")
    yield p.compile(compiler="clang++", environment=path)


@case("`--offload-arch=native`, another GPU", GROUP, ("19",))
def native(p):
    p.source()
    flags = (f"--amdgpu-arch-tool={p / 'detect'}",)
    for arch in ("gfx906", "gfx1030"):
        p.script("detect", f"echo {arch}")
        yield p.compile(*flags, archs=("native",))


def _own_tools(p):
    """A toolchain of links to the real one, in which single programs can be replaced."""
    for name in ("clang-offload-bundler", "lld"):
        p.link(f"tool/bin/{name}", p.tools / name)
    p.link("tool/lib", p.tools.parent / "lib")
    p.patched("tool/bin/clang", p.tools / "clang", b"", b"")
    p.link("tool/bin/clang++", "clang")
    return p / "tool/bin"
