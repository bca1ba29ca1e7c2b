"""Checks the programs of tools/lab: what the simulation of an engine counts, and the comparison of a wrapper header on one
small unit.

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

import execute_simulation as simulation  # noqa: E402
from execute_simulation import HANDLING, PLAN, Build, overhead  # noqa: E402
from small_hip import compiler, toolchain_words  # noqa: E402

SCAN = 0.5
SCAN_BESIDE = 2 * SCAN  # while a step shares the processor
SOURCE = '#include <hip/hip_runtime.h>\n__global__ void kernel(float* data) { data[0] = sinf(data[1]); }\n'


def source(*devices, host=1):
    """In seconds, by the number of the architecture."""
    times = {f"gfx{number}": cost for number, cost in enumerate(devices)}
    return {"device": times, "host": host, "scan": SCAN, "size": dict.fromkeys(times, 1000)}


def seconds(sources, slots, workers, delay=0):
    return Build(sources, slots, workers, delay).run().now


class Simulation(unittest.TestCase):
    def test_one_processor_alone_takes_the_sum(self):
        self.assertAlmostEqual(seconds([source(10, 20, host=3)], 1, 0), PLAN + 33)

    def test_processors_share_what_runs(self):
        self.assertAlmostEqual(seconds([source(10, host=0)] * 4, 2, 0), 2 * (PLAN + 10))

    def test_a_worker_takes_the_last_step_while_the_first_runs_here(self):
        build = Build([source(10, 10, host=0)], 1, 1, 0).run()
        self.assertEqual(build.won, 1)
        self.assertAlmostEqual(build.now, PLAN + SCAN_BESIDE + 10 + overhead(10) + 2 * HANDLING, delta=0.01)

    def test_a_far_worker_costs_its_round_trips(self):
        trips = simulation.ROUND_TRIPS_THERE + simulation.ROUND_TRIPS_BACK
        near, far = (seconds([source(40, 45, host=0)], 1, 1, delay) for delay in (0, 0.5))
        self.assertAlmostEqual(far - near, trips * 2 * 0.5)

    def test_this_machine_takes_over_from_a_worker_that_is_slow(self):
        build = Build([source(1, 30, host=0)], 1, 1, 20).run()
        self.assertEqual(build.won, 0)
        self.assertAlmostEqual(build.now, PLAN + SCAN + 1 + 30 + HANDLING, delta=0.01)

    def test_the_recorded_library_gains_with_each_worker(self):
        sources = [json.loads(line) for line in (ROOT / "tools/lab/rocprim_steps.jsonl").read_text().splitlines()]
        times = [seconds(sources, 4, workers) for workers in (0, 1, 4, 16)]
        self.assertEqual(times, sorted(times, reverse=True))


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
