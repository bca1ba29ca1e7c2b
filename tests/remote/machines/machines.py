"""Machines for tests: a machine is a cache directory with its own daemon. Servers: tools/shared.d/servers.py."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tools/shared.d"))

from servers import KEYS, PATIENCE  # noqa: E402

BITCODE = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
HIP = f"-x hip -std=c++17 -nogpuinc --rocm-path=/usr --rocm-device-lib-path={BITCODE}".split()
KERNEL = """
#include "runtime.h"
__device__ float scale = 2;
__global__ void kernel(float* data) { data[0] *= scale; }
void launch(float* data) { kernel<<<1, 64>>>(data); }
"""


class Machine:
    """A user's machine. Machines see the same files, and have nothing else in common."""

    def __init__(self, bin_directory, directory, remote="", **settings):
        self.hipcache = str(bin_directory / "hipcache")
        self.directory = directory
        self.log = directory / "log"
        directory.mkdir(parents=True)
        self.variables = {k: v for k, v in os.environ.items() if not k.startswith("HIPCACHE_")}
        self.variables.update(
            HIPCACHE_DIR=str(directory / "cache"), HIPCACHE_CONFIG="/dev/null", HIPCACHE_REMOTE=remote,
            HIPCACHE_LOG=str(self.log), HIPCACHE_AUDIT="0"
        )
        self.variables.update(KEYS)
        self.variables.update({f"HIPCACHE_{name.upper()}": str(value) for name, value in settings.items()})

    def run(self, words, cwd="/"):
        return subprocess.run(
            [self.hipcache, *words], cwd=cwd, env=self.variables, text=True, capture_output=True, timeout=PATIENCE
        )

    def option(self, *words):
        done = self.run(words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def stats(self):
        return json.loads(self.option("--show-stats", "--format", "json"))

    def steps_run(self):
        """Step -> how often it ran; those that never ran are left out."""
        steps = self.stats()["steps"]
        counts = {f"device {arch}": count["run"] for arch, count in steps.pop("device").items()}
        counts.update({name: count["run"] for name, count in steps.items()})
        return {name: count for name, count in counts.items() if count}

    def flush(self):
        return self.run(["--flush", "--fail-unwritten"])

    def stop(self):
        self.run(["--stop-server"])


def kill_remote_of(machine):
    """Kills the machine's hipcache-remote; whether there was one."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            is_remote = (process / "exe").readlink().name == "hipcache-remote"
            if is_remote and f"HIPCACHE_DIR={machine.directory}/cache".encode() in (process / "environ").read_bytes():
                os.kill(int(process.name), signal.SIGKILL)
                return True
        except OSError:
            continue
    return False


class Project:
    """One HIP source, and what the compiler alone makes of it."""

    def __init__(self, directory, runtime, clang):
        self.directory, self.clang = directory, clang
        directory.mkdir(parents=True, exist_ok=True)
        shutil.copy(runtime, directory / "runtime.h")
        (directory / "a.hip").write_text(KERNEL)

    def edit_header(self, line):
        with open(self.directory / "runtime.h", "a") as header:
            header.write(line + "\n")

    def command(self, archs, flags=("-O1",)):
        return [self.clang, *HIP, *(f"--offload-arch={arch}" for arch in archs), *flags, "-c", "a.hip", "-o", "a.o"]

    def compile(self, machine, archs, flags=("-O1",)):
        """The object that the machine makes; the compile must succeed without a message."""
        path = self.directory / "a.o"
        path.unlink(missing_ok=True)
        done = machine.run(self.command(archs, flags), cwd=self.directory)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return path.read_bytes()

    def expected(self, machine, archs, flags=("-O1",)):
        """The object that the compiler makes by itself, with the CUID that hipcache gives the command."""
        command = self.command(archs, flags)
        plan = machine.run(["--plan", "--format", "json", "--", *command], cwd=self.directory)
        cuid = json.loads(plan.stdout)["cuid"]
        subprocess.run([command[0], f"-cuid={cuid}", *command[1:]], cwd=self.directory, check=True)
        return (self.directory / "a.o").read_bytes()


def lists_in(root):
    """The lists of path sets in a plain store that is a directory."""
    return [path for path in pathlib.Path(root).rglob("v1/w/*/*") if path.name != "lock"]


def run_tests(clang):
    """Runs the tests of the program, and ends it. Exit code 77: something is missing, which the output names."""
    if not pathlib.Path(clang).exists():
        print(f"skipped: {clang} is not installed")
        sys.exit(77)
    result = unittest.main(exit=False).result
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if len(result.skipped) == result.testsRun else 0)
