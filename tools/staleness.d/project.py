"""A small HIP project in a directory of its own, and the compiles that a case asks for."""

import dataclasses
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared.d"))

import small_hip  # noqa: E402
from small_hip import CUID, RUNTIME, arch_words, depfile_words, hip_words, replace, with_time_kept  # noqa: E402

# SCALE comes from wherever the case wants it to.
KERNEL = """#ifndef SCALE
#define SCALE 1
#endif
__global__ void kernel(float* data) { data[0] *= SCALE; }
void launch(float* data) { kernel<<<1, 64>>>(data); }
"""

BITCODE = pathlib.Path(f"/usr/lib/{os.uname().machine}-linux-gnu/amdgcn/bitcode")


@dataclasses.dataclass(frozen=True)
class Owed:
    """How many steps a launcher may run at most where nothing else changed; a launcher of whole compiles runs all or none."""

    device: int = 0
    host: int = 0


HIT = Owed()


@dataclasses.dataclass(frozen=True)
class Compile:
    """One command, or several equal ones at once, and what is judged of it."""

    argv: list
    cwd: pathlib.Path
    environment: dict = dataclasses.field(default_factory=dict)
    archs: int = 1
    owed: Owed | None = None
    messages: bool = False  # compare what is printed
    bytes: bool = True  # compare the files; else only that they are there
    at_once: int = 1
    spoil: str = ""  # "directory", "size": a setting of the launcher's own that is wrong


@dataclasses.dataclass(frozen=True)
class Link:
    """The objects of earlier compiles, made by the launcher, must become one program where the compiler's do."""

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
        """As an editor does: a new file in the place of the old one."""
        return replace(self / name, lambda new: new.write_text(text))

    def write_in_place(self, name, text):
        """Of unchanged size, and with the time that it had."""
        path = self / name
        assert path.stat().st_size == len(text.encode())
        with_time_kept(path, lambda same: same.write_text(text))

    def source(self, *before, name="a.hip"):
        """The kernel, with lines before it."""
        return self.write(name, "\n".join(['#include "runtime.h"', *before, KERNEL]))

    def link(self, name, target):
        return replace(self / name, lambda new: new.symlink_to(target))

    def script(self, name, *lines):
        path = self.write(name, "\n".join(["#!/bin/sh", *lines, ""]))
        path.chmod(0o755)
        return path

    def bitcode(self, name, **others):
        """A directory of device libraries; `others`: a library's name, without extension, to the one that it shall be."""
        for library in sorted(BITCODE.glob("*.bc")):
            self.link(f"{name}/{library.name}", BITCODE / (others.get(library.stem, library.stem) + ".bc"))
        return self / name

    def patched(self, name, program, old, new):
        """A copy of a program in which one text is another one of the same length."""
        bytes_ = pathlib.Path(shutil.which(str(program))).resolve().read_bytes()
        assert len(old) == len(new) and old in bytes_

        def make(copy):
            copy.write_bytes(bytes_.replace(old, new))
            copy.chmod(0o755)

        return replace(self / name, make)

    def compile(self, *flags, compiler=None, source="a.hip", output="a.o", archs=("gfx906",), libraries=False, cuid=CUID,
                depfile=True, cwd=None, tools=None, count=None, **judged):
        """A compile as build systems ask for it, with a depfile. `count` of architectures, where `archs` does not show it."""
        archs = list(archs)
        argv = [*hip_words(self.clang, compiler, tools), "-O1", *([] if libraries else ["-nogpulib"]), *([cuid] if cuid else [])]
        argv += [*arch_words(archs), *flags, *(depfile_words(output) if depfile else []), "-c", source, "-o", output]
        return Compile([str(word) for word in argv], cwd or self.directory, archs=count or len(archs), **judged)
