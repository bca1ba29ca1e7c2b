"""Checks tools/lab: the comparison of a wrapper header on one small unit.

usage: lab_tool.py ROOT
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
sys.path[:0] = [str(ROOT / "tools/lab"), str(ROOT / "tools/shared.d")]

from small_hip import compiler, toolchain_words  # noqa: E402

SOURCE = '#include <hip/hip_runtime.h>\n__global__ void kernel(float* data) { data[0] = sinf(data[1]); }\n'


class Preamble(unittest.TestCase):
    def test_compiles_the_same_with_a_header_that_was_made_before(self):
        if not pathlib.Path(compiler("19")).exists():
            self.skipTest("no clang 19: tools/setup installs it")
        with tempfile.TemporaryDirectory() as place:
            directory = pathlib.Path(place)
            (directory / "a.hip").write_text(SOURCE)
            words = [compiler("19"), "-x", "hip", *toolchain_words("19"), "--offload-arch=gfx906", "-O1", "-c", "a.hip", "-o", "a.o"]
            (directory / "commands.json").write_text(json.dumps([{"directory": place, "file": "a.hip", "arguments": words}]))
            results = directory / "results.jsonl"
            subprocess.run([sys.executable, "-B", ROOT / "tools/lab/preamble.py", directory / "commands.json", "--repeat", "1",
                            "--results", results], check=True, capture_output=True, env={**os.environ, "TMPDIR": place})
            rows = [json.loads(line) for line in results.read_text().splitlines()]
        self.assertEqual([row["target"] for row in rows], ["gfx906", "host"])
        for row in rows:
            self.assertEqual((row["object"], row["messages"], row["depfile"]), ("equal", True, True), row)
            self.assertGreater(row["plain"], row["with"])


if __name__ == "__main__":
    unittest.main()
