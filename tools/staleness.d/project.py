"""A small HIP project in a directory of its own: what a case puts there, and the compiles that it asks for."""

import dataclasses
import pathlib
import shutil

import small_hip
from small_hip import BITCODE, CUID, RUNTIME, arch_words, depfile_words, hip_words, replace

# Each case defines SCALE in its own way.
KERNEL = """#ifndef SCALE
#define SCALE 1
#endif
__global__ void kernel(float* data) { data[0] *= SCALE; }
void launch(float* data) { kernel<<<1, 64>>>(data); }
"""


@dataclasses.dataclass(frozen=True)
class Owed:
    """The most steps that a launcher may run if nothing else changed; a launcher of whole compiles runs all or none."""

    device: int = 0
    host: int = 0


@dataclasses.dataclass(frozen=True)
class Compile:
    """One command, or several equal ones at once, and what of the result is compared."""

    argv: list
    environment: dict = dataclasses.field(default_factory=dict)
    archs: int = 1
    owed: Owed | None = None
    bytes: bool = True  # compare the files; else only whether they are there
    at_once: int = 1
    spoil: str = ""  # "directory", "size": a setting of the launcher's that is made wrong


@dataclasses.dataclass(frozen=True)
class Link:
    """The objects of earlier compiles, made by the launcher, must link into one program if the compiler's do."""

    objects: tuple


# What a case can put at a path besides text; each is called with the project and the path.


def kernel(*before):
    """The source, with lines before the kernel."""
    return "\n".join(['#include "runtime.h"', *before, KERNEL])


def on_device(*lines):
    return ("#ifdef __HIP_DEVICE_COMPILE__", *lines, "#endif")


def directory(_, path):
    path.mkdir(parents=True)


def removed(_, path):
    path.unlink()


def link(target):
    return lambda project, path: replace(path, lambda new: new.symlink_to(project.filled(target)))


def script(line):
    def make(project, path):
        replace(path, lambda new: new.write_text(f"#!/bin/sh\n{project.filled(line)}\n")).chmod(0o755)

    return make


def bitcode(**others):
    """A directory of device libraries. `others`: by name without extension, the library that replaces it."""

    def make(_, path):
        for library in sorted(BITCODE.glob("*.bc")):
            target = BITCODE / (others.get(library.stem, library.stem) + ".bc")
            replace(path / library.name, lambda new, target=target: new.symlink_to(target))

    return make


def copy(program, old=b"", new=b""):
    """A copy of a program, with a text replaced by another one of the same length."""

    def make(project, path):
        bytes_ = pathlib.Path(shutil.which(project.filled(program))).resolve().read_bytes()
        assert len(old) == len(new) and old in bytes_
        replace(path, lambda made: made.write_bytes(bytes_.replace(old, new))).chmod(0o755)

    return make


class Project:
    def __init__(self, place, clang):
        self.directory = pathlib.Path(place)
        self.clang = clang
        self.directory.mkdir(parents=True)
        self.put({"runtime.h": RUNTIME})

    def filled(self, text):
        """The text with this project's places and compilers instead of their names in braces."""
        values = {"p": self.directory, "tools": small_hip.tools(self.clang), "clang": self.clang}
        for name, value in values.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    def put(self, files):
        """Writes texts as an editor does, and makes what else the case names."""
        for name, content in files.items():
            path = self.directory / name
            if isinstance(content, str):
                replace(path, lambda new, content=content: new.write_text(content))
            else:
                content(self, path)

    def compile(self, flags=(), compiler=None, output="a.o", archs=("gfx906",), libraries=False, cuid=CUID,
                tools=None, count=None, without="", environment=None, **judged):
        """A compile as build systems run it, with a depfile. `count`: the number of architectures, if `archs` does not
        show it. `without`: a word that is left out."""
        argv = hip_words(self.clang, compiler, tools)
        argv += ["-O1", *([] if libraries else ["-nogpulib"]), *([cuid] if cuid else []), *arch_words(archs), *flags]
        argv += [*depfile_words(output), "-c", "a.hip", "-o", output]
        variables = {name: self.filled(value) for name, value in (environment or {}).items()}
        words = [self.filled(word) for word in argv if word != without]
        return Compile(words, variables, count or len(archs), **judged)
