"""What the small HIP projects of the tools share: a runtime of one header, the words of a compile, and how a file is
replaced."""

import os
import pathlib

from tool import ROOT

RUNTIME = (ROOT / "fixtures/projects/bare-hip/bare_hip.h").read_text()
BITCODE = pathlib.Path(f"/usr/lib/{os.uname().machine}-linux-gnu/amdgcn/bitcode")

# With it, a compile's output does not depend on how a launcher spells the compiler's command.
CUID = "-cuid=5ca1ab1e5ca1ab1e"


def compiler(clang):
    return f"/usr/bin/clang++-{clang}"


def tools(clang):
    """The directory of a clang's own tools."""
    return pathlib.Path(f"/usr/lib/llvm-{clang}/bin")


def hip_words(clang, program=None, tools_directory=None):
    """What each compile of such a project begins with."""
    words = [str(program or compiler(clang)), "-x", "hip", "-std=c++17", "-nogpuinc", "--rocm-path=/usr"]
    return [*words, f"-B{tools_directory or tools(clang)}"]


def toolchain_words(clang):
    """What a clang of Debian needs to compile for Debian's HIP."""
    return ("-D__HIP_PLATFORM_AMD__", "--rocm-path=/usr", f"--rocm-device-lib-path={BITCODE}", f"-B{tools(clang)}")


def arch_words(archs):
    return [f"--offload-arch={arch}" for arch in archs]


def depfile_words(output):
    return ["-MMD", "-MF", f"{output}.d"]


def replace(path, make):
    """As an editor does: a new file, which `make` makes at the path that it is given, in the place of the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    make(new)
    new.replace(path)
    return path


def with_time_kept(path, change):
    """Changes a file behind the time that it had."""
    before = path.stat()
    change(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
