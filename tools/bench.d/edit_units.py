"""HIP sources to edit, of two kinds, and the edits: light ones, which are little more than the runtime's headers, and a
heavy one, whose kernels keep the back end busy for some seconds for each architecture."""

import dataclasses
import pathlib
import re

from recipe import Recipe

# Compiles for a build directory's own header, as projects that generate one do.
HEAD = """#include <hip/hip_runtime.h>
#include "settings.h"
#include "shared.h"

// Kernels that are edited.
"""
LIGHT = """
__global__ void kernel_INDEX(float* data) { data[blockIdx.x * SETTINGS_BLOCK + threadIdx.x] *= /* kernel */ 3; }
"""
HEAVY = """
template <typename Number, int Rounds>
__global__ void mix(Number* data, int count) {
  __shared__ Number tile[SETTINGS_BLOCK];
  Number sums[16] = {};
  const int at = blockIdx.x * SETTINGS_BLOCK + threadIdx.x;
  for (int i = at; i < count; i += SETTINGS_BLOCK * gridDim.x) {
    tile[threadIdx.x] = data[i];
    __syncthreads();
#pragma unroll
    for (int round = 0; round < Rounds; ++round) {
      const Number other = tile[(threadIdx.x * (2 * round + 1) + round) % SETTINGS_BLOCK];
      sums[round % 16] += other * (sums[(round + 5) % 16] + Number(round * /* kernel */ 3));
      if (other > sums[(round + 1) % 16]) sums[(round + 2) % 16] -= other;
    }
    __syncthreads();
  }
#pragma unroll
  for (int sum = 0; sum < 16; ++sum) data[at * 16 + sum] = sums[sum];
}
"""
NUMBERS = ("float", "double", "int", "long")
ROUNDS = (160, 200, 240, 280)
INSTANCES = "".join(f"template __global__ void mix<{number}, {rounds}>({number}*, int);\n" for number in NUMBERS
                    for rounds in ROUNDS)
TAIL = "\nint version_INDEX() { return /* host */ 1; }\n"
SHARED = "#pragma once\n#define SHARED_STEP 1\n"
SETTINGS = "#pragma once\n#define SETTINGS_BLOCK 256\n"
COMMENT = "// Edited, and nothing more: {number}.\n"


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str
    kernels: str
    number: int

    @property
    def units(self):
        return [pathlib.Path(f"unit_{index}.hip") for index in range(self.number)]

    def write(self, directory, project):
        """No two units are alike, and none is like one of another project, so that none is served what another has
        compiled."""
        (directory / "shared.h").write_text(SHARED)
        for index, unit in enumerate(self.units):
            text = (HEAD + self.kernels + TAIL).replace("INDEX", f"{project}_{index}")
            (directory / unit).write_text(text.replace("data", f"{project}_data"))

    def recipe(self):
        flags = ["-std=c++17", "-O3", "-DNDEBUG"]
        return Recipe(self.name, "", "", [str(unit) for unit in self.units], flags, generated={"settings.h": SETTINGS})


KINDS = (Kind("light", LIGHT, 4), Kind("heavy", HEAVY + INSTANCES, 1))


# What is edited of each unit, by functions of its text and of a number that no other edit has.


def add_comment(text, number):
    """A line more before the kernels, so that what follows moves down and no code changes."""
    return text.replace("\n// Kernels", f"\n{COMMENT.format(number=number)}// Kernels")


def reword_comment(text, _number):
    """A comment in its place, so that the preprocessor makes the same."""
    return text.replace("are edited.", "are edited. More words.")


def edit_kernel(text, number):
    return re.sub(r"(?<=/\* kernel \*/ )\d+", str(3 + number), text)


def edit_host(text, number):
    """A function of the host alone."""
    return re.sub(r"(?<=/\* host \*/ )\d+", str(1 + number), text)


def document_header(text, number):
    """The header that all include: a line more."""
    return COMMENT.format(number=number) + text
