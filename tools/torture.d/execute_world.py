"""What faults of an engine of remote execution are tried with: compiles whose steps are worth sending."""

import pathlib

import servers
from network_world import World
from process import Failed
from project import Command, depfile_words
from small_hip import CUID, arch_words

ARCHS = ("gfx906", "gfx1030", "gfx90a", "gfx908", "gfx900")
# A header that comes, changes and goes.
HEADER = "optional.h"
HEADERS = (None, "#define FACTOR 3\n", "#define FACTOR 4\n")
SOURCE = """#include "runtime.h"
#if __has_include("optional.h")
#include "optional.h"
#else
#define FACTOR 2
#endif
#if defined(BROKEN) && defined(__gfx1030__)
#error broken for one device
#endif
__device__ float steps(float value, const float* data) {
#pragma unroll
  for (int at = 0; at < 300; ++at) value = value * data[(at * FACTOR) & 255] + data[static_cast<int>(value) & 255];
  return value;
}
__global__ void kernel(float* data) {
  int unused;
  data[SETTING] = steps(data[1], data);
}
void launch(float* data) { kernel<<<1, 64>>>(data); }
"""
# Each has the CUID, so that a compile without a daemon makes the same bytes.
FLAGS = (("-O1",), ("-O2", "-Wall"), ("-O1", "-fgpu-rdc"), ("-O1", "-DBROKEN"))


class ExecuteWorld(World):
    """`expected_with`: for each of HEADERS, the compiler's results by command."""

    def __init__(self, program, directory, clang):
        super().__init__(program, directory, clang)
        self.project.write("steps.hip", SOURCE)
        self.expected_with = []

    def start_servers(self):
        """Each case has an engine of its own."""
        if mend := servers.engine_mend():
            raise Failed(mend)
        return []

    def fill(self):
        self._make_commands()
        for text in HEADERS:
            if text is not None:
                self.project.write(HEADER, text)
            self.expected_with.append(self.learn())
        (self.project.directory / HEADER).unlink()
        del self.project.inputs[HEADER]
        self.expected = self.expected_with[0]

    def _make_commands(self):
        for number, flags in enumerate(FLAGS):
            output = f"steps.{number}.o"
            words = (*self.project.hip(*arch_words(ARCHS), CUID, *flags), f"-DSETTING={number}", *depfile_words(output))
            self.commands.append(Command("executed", (*words, "-c", "steps.hip", "-o", output)))

    def engine(self, directory):
        pathlib.Path(directory).mkdir(parents=True)
        return servers.buildbox_casd(directory)
