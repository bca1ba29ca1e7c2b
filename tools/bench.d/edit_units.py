"""HIP sources to edit, of two kinds: light ones, which are little more than the runtime's headers, and a heavy one,
whose kernels keep the back end busy for some seconds for each architecture."""

import dataclasses

# Compiles for a build directory's own header, as projects that generate one do.
HEAD = """#include <hip/hip_runtime.h>
#include "settings.h"
#include "shared.h"

// {words}
{comments}
"""
LIGHT = """__global__ void kernel_{index}(float* data) {{ data[blockIdx.x * SETTINGS_BLOCK + threadIdx.x] *= {kernel}.5f; }}
"""
HEAVY = """template <typename Number, int Rounds>
__global__ void mix(Number* data, int count) {{
  __shared__ Number tile[SETTINGS_BLOCK];
  Number sums[16] = {{}};
  const int at = blockIdx.x * SETTINGS_BLOCK + threadIdx.x;
  for (int i = at; i < count; i += SETTINGS_BLOCK * gridDim.x) {{
    tile[threadIdx.x] = data[i];
    __syncthreads();
#pragma unroll
    for (int round = 0; round < Rounds; ++round) {{
      const Number other = tile[(threadIdx.x * (2 * round + 1) + round) % SETTINGS_BLOCK];
      sums[round % 16] += other * (sums[(round + 5) % 16] + Number(round * {kernel}));
      if (other > sums[(round + 1) % 16]) sums[(round + 2) % 16] -= other;
    }}
    __syncthreads();
  }}
#pragma unroll
  for (int sum = 0; sum < 16; ++sum) data[at * 16 + sum] = sums[sum];
}}
"""
NUMBERS = ("float", "double", "int", "long")
ROUNDS = (160, 200, 240, 280)
INSTANCES = "".join(f"template __global__ void mix<{number}, {rounds}>({number}*, int);\n" for number in NUMBERS
                    for rounds in ROUNDS)
TAIL = """
int version_{index}() {{ return {host}; }}
"""
SHARED = "#pragma once\n{comments}#define SHARED_STEP 1\n"
SETTINGS = "#pragma once\n#define SETTINGS_BLOCK 256\n"


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str
    kernels: str
    units: int

    def text(self, index, edits):
        """The text of one source after so many edits of each name in EDITS."""
        words = f"Kernels that are edited. {'More words. ' * edits['words']}"
        values = {"index": index, "words": words, "comments": comments(edits["comments"]),
                  "kernel": 3 + edits["kernel"], "host": 1 + edits["host"]}
        return (HEAD + self.kernels + TAIL).format(**values)


# What is edited of each unit: a line more before the kernels, so that what follows moves down and no code changes; a
# comment in its place, so that the preprocessor makes the same; a number in a kernel; a function of the host alone. And
# of the header that all include: a line more.
EDITS = ("comments", "words", "kernel", "host", "header")
KINDS = (Kind("light", LIGHT, 4), Kind("heavy", HEAVY + INSTANCES, 1))


def comments(number):
    """So many lines."""
    return "".join(f"// Edited, and nothing more: {index}.\n" for index in range(number))
