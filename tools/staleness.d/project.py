"""A small HIP project in a directory of its own, and the compiles that a case asks for."""

import dataclasses
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared.d"))

import small_hip  # noqa: E402
from small_hip import CUID, RUNTIME, arch_words, depfile_words, hip_words, replace, with_time_kept  # noqa: E402

# Each case defines SCALE in its own way.
KERNEL = """#ifndef SCALE
#define SCALE 1
#endif
__global__ void kernel(float* data) { data[0] *= SCALE; }
void launch(float* data) { kernel<<<1, 64>>>(data); }
"""

BITCODE = pathlib.Path(f"/usr/lib/{os.uname().machine}-linux-gnu/amdgcn/bitcode")


@dataclasses.dataclass(frozen=True)
class Owed:
    """The most steps that a launcher may run if nothing else changed; a launcher of whole compiles runs all or none."""

    device: int = 0
    host: int = 0


HIT = Owed()


@dataclasses.dataclass(frozen=True)
class Compile:
    """One command, or several equal ones at once, and what of the result is compared."""

    argv: list
    cwd: pathlib.Path
    environment: dict = dataclasses.field(default_factory=dict)
    archs: int = 1
    owed: Owed | None = None
    messages: bool = False  # compare what is printed
    bytes: bool = True  # compare the files; else only whether they are there
    at_once: int = 1
    spoil: str = ""  # "directory", "size": a setting of the launcher's that is made wrong


@dataclasses.dataclass(frozen=True)
class Link:
    """The objects of earlier compiles, made by the launcher, must link into one program if the compiler's do."""

    objects: list


class Project:
    def __init__(self, directory, clang):
        self.directory = pathlib.Path(directory)
        self.clang = clang
        self.directory.mkdir(parents=True)
        self.write("runtime.h", RUNTIME)

    def __truediv__(self, name):
        return self.directory / name

    @property
    def tools(self):
        return small_hip.tools(self.clang)

    def write(self, name, text):
        """Writes as an editor does: a new file replaces the old one."""
        return replace(self / name, lambda new: new.write_text(text))

    def write_in_place(self, name, text):
        """Writes text of the same size, and keeps the file's time."""
        path = self / name
        assert path.stat().st_size == len(text.encode())
        with_time_kept(path, lambda same: same.write_text(text))

    def source(self, *before, name="a.hip"):
        """Writes the kernel, with lines before it."""
        return self.write(name, "\n".join(['#include "runtime.h"', *before, KERNEL]))

    def link(self, name, target):
        return replace(self / name, lambda new: new.symlink_to(target))

    def script(self, name, *lines):
        path = self.write(name, "\n".join(["#!/bin/sh", *lines, ""]))
        path.chmod(0o755)
        return path

    def bitcode(self, name, **others):
        """A directory of device libraries. `others`: by name without extension, the library that replaces it."""
        for library in sorted(BITCODE.glob("*.bc")):
            self.link(f"{name}/{library.name}", BITCODE / (others.get(library.stem, library.stem) + ".bc"))
        return self / name

    def patched(self, name, program, old, new):
        """A copy of a program, with a text replaced by another one of the same length."""
        bytes_ = pathlib.Path(shutil.which(str(program))).resolve().read_bytes()
        assert len(old) == len(new) and old in bytes_

        def make(copy):
            copy.write_bytes(bytes_.replace(old, new))
            copy.chmod(0o755)

        return replace(self / name, make)

    def compile(self, *flags, compiler=None, source="a.hip", output="a.o", archs=("gfx906",), libraries=False, cuid=CUID,
                depfile=True, cwd=None, tools=None, count=None, **judged):
        """A compile as build systems run it, with a depfile. `count`: the number of architectures, if `archs` does not
        show it."""
        archs = list(archs)
        argv = [*hip_words(self.clang, compiler, tools), "-O1", *([] if libraries else ["-nogpulib"]), *([cuid] if cuid else [])]
        argv += [*arch_words(archs), *flags, *(depfile_words(output) if depfile else []), "-c", source, "-o", output]
        return Compile([str(word) for word in argv], cwd or self.directory, archs=count or len(archs), **judged)
