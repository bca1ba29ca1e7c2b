"""A small random project of HIP, C and C++, and the commands that compile it."""

import dataclasses
import pathlib
import time

import tree
from small_hip import CUID, RUNTIME, arch_words, compiler, depfile_words, hip_words, replace, tools, with_time_kept

SOURCES = ("kernel.hip", "plain.hip", "rdc_a.hip", "rdc_b.hip", "unit.cpp", "unit.c")
ARCHS = ("gfx906", "gfx1030")
# The cache uses a file from the next tick of the clock that stamps files.
TICK = 0.02


@dataclasses.dataclass(frozen=True)
class Command:
    title: str
    argv: tuple
    # Inputs that the compiler alone makes, each by its own command, before this command runs.
    needs: tuple = ()

    def __str__(self):
        return " ".join(self.argv)


class Project:
    """Sources whose numbers `edit` changes, and random commands over them."""

    def __init__(self, directory, clang, rng):
        self.directory = pathlib.Path(directory)
        self.clang, self.rng = clang, rng
        self.inputs = {}  # bytes by name; every other file in the directory is output
        self.numbers = {name: rng.randrange(10, 99) for name in ("shared.h", "device.h", "source")}
        self.weight = rng.choice((0, 10, 40))  # the number of functions that only make the compile longer
        self.directory.mkdir(parents=True)
        for name in ("runtime.h", "shared.h", "device.h", *SOURCES):
            self.write(name, self._text(name))
        self.settle()

    def settle(self):
        time.sleep(TICK)

    def write(self, name, text, in_place=False):
        path = self.directory / name
        self.inputs[name] = text.encode()
        if in_place:
            path.write_text(text)
            return path
        return replace(path, lambda new: new.write_text(text))

    def edit(self, name, in_place=False, keep_time=False):
        """Changes a number in a file, but not the size. The compiler sees every such change."""
        key = name if name in self.numbers else "source"
        self.numbers[key] = 10 + (self.numbers[key] - 9) % 89
        if keep_time:
            with_time_kept(self.directory / name, lambda _: self.write(name, self._text(name), in_place))
        else:
            self.write(name, self._text(name), in_place)

    def clean(self):
        """Removes every file that is no input."""
        for name in tree.files_in(self.directory):
            if name not in self.inputs:
                tree.remove(self.directory / name)

    def _text(self, name):
        number = self.numbers.get(name, self.numbers["source"])
        if name == "runtime.h":
            return RUNTIME
        if name == "shared.h":
            return f"#pragma once\nstatic inline int shared(void) {{ return {number}; }}\n"
        if name == "device.h":
            return f"#pragma once\n__device__ inline float scale() {{ return {number}.5f; }}\n"
        if name == "rdc_a.hip":
            return (
                '#include "runtime.h"\nextern __device__ float other(float);\n'
                "__global__ void kernel(float* data) { data[0] = other(data[0]); }\n"
                "void launch(float* data) { kernel<<<1, 64>>>(data); }\nint main() { launch(nullptr); }\n"
            )
        if name == "rdc_b.hip":
            return f'#include "runtime.h"\n__device__ float other(float x) {{ return x * {number}; }}\n'
        body = f'#include "shared.h"\nint value_{number}(void) {{ int unused_{number}; return shared() + {number}; }}\n'
        body += "".join(map(_filler, range(self.weight)))
        if name == "kernel.hip":
            kernel = "__global__ void kernel(float* data) { data[0] *= scale(); }\n"
            kernel += "void launch(float* data) { kernel<<<1, 64>>>(data); }\n"
            return f'#include "runtime.h"\n#include "device.h"\n{kernel}{body}'
        return body

    def hip(self, *words):
        return (*hip_words(self.clang), "-nogpulib", *words)

    def archs(self):
        return tuple(arch_words(ARCHS[: self.rng.randrange(1, 3)]))

    def kernel(self, output="kernel.o"):
        id_ = self.rng.choice(((), (CUID,)))
        return self._unit("HIP", self.hip(*self.archs(), *id_), "kernel.hip", output)

    def without_kernel(self):
        return self._unit("HIP without kernels", self.hip(*self.archs()), "plain.hip", "plain.o")

    def clang_cpp(self, output="unit.cpp.o"):
        return self._unit("C++", [compiler(self.clang)], "unit.cpp", output)

    def clang_c(self):
        return self._unit("C", [f"/usr/bin/clang-{self.clang}"], "unit.c", "unit.c.o")

    def gcc_cpp(self):
        return self._unit("C++, gcc", ["/usr/bin/g++"], "unit.cpp", "unit.g.o")

    def gcc_c(self):
        return self._unit("C, gcc", ["/usr/bin/gcc"], "unit.c", "unit.gc.o")

    def _unit(self, title, begin, source, output):
        return Command(title, (*begin, *self._flags(), *depfile_words(output), "-c", source, "-o", output))

    def device_only(self):
        option = self.rng.choice(("--offload-device-only", "--cuda-device-only"))
        more = self.rng.choice(((), ("-o", "kernel.device"), ("--no-gpu-bundle-output",)))
        return Command("device only", self.hip(*self.archs(), option, *self._flags(), "-c", "kernel.hip", *more))

    def rdc(self, name="rdc_a"):
        words = self.hip(*arch_words(ARCHS), "-O1", "-fPIC", "-fgpu-rdc", f"-cuid={name}")
        return Command("RDC", (*words, "-c", f"{name}.hip", "-o", f"{name}.o"))

    def link(self):
        words = (compiler(self.clang), f"-B{tools(self.clang)}", *arch_words(ARCHS), "--hip-link",
                 "-fgpu-rdc", "-no-hip-rt", "--rocm-path=/usr", "-nogpulib", "-Wl,-z,noexecstack",
                 "-Wl,--unresolved-symbols=ignore-all", "rdc_a.o", "rdc_b.o", "-o", "app")
        return Command("RDC link", words, (self.rdc("rdc_a"), self.rdc("rdc_b")))

    def slow(self):
        """A command that takes long enough for something to happen meanwhile."""
        return self.rng.choice((self.kernel, self.clang_cpp, self.clang_c, self.gcc_cpp, self.gcc_c))()

    def any(self):
        kinds = (self.kernel, self.kernel, self.without_kernel, self.device_only, self.clang_cpp, self.clang_c,
                 self.gcc_cpp, self.gcc_c, self.rdc, self.link)
        return self.rng.choice(kinds)()

    def some(self, count):
        """Commands that write different files."""
        makers = [self.kernel, self.without_kernel, self.clang_cpp, self.clang_c, self.gcc_cpp, self.gcc_c, self.rdc]
        return [make() for make in self.rng.sample(makers, count)]

    def _flags(self):
        flags = [self.rng.choice(("-O0", "-O1", "-O2")), f"-DSETTING={self.rng.randrange(3)}"]
        flags += ["-Wall"] if self.rng.random() < 0.5 else []  # warns about unused names
        return (*flags, *(["-g"] if self.rng.random() < 0.2 else []))


def _filler(number):
    return (
        f"int filler_{number}(int* p, int n) {{\n  int s = {number};\n  for (int j = 0; j < n; ++j) {{\n"
        f"    s += p[j] * {number + 1};\n    s ^= p[(j + {number}) % (n + 1)];\n  }}\n  return s;\n}}\n"
    )
