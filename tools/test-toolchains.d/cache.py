"""hipcache in its own directory, and its counts."""

import json
import os
import pathlib
import shutil
import subprocess

import dataclasses

# The only variables of the environment: what a compile needs.
BASE = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/root", "LC_ALL": "C"}


class Failed(Exception):
    """A command failed that had to work."""


@dataclasses.dataclass(frozen=True)
class Ended:
    exit_code: int
    out: str
    err: str


def run(argv, cwd, variables=None):
    ended = subprocess.run(
        [str(word) for word in argv], env={**BASE, **(variables or {})}, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, errors="replace", check=False,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def must(argv, cwd, variables=None):
    ended = run(argv, cwd, variables)
    if ended.exit_code != 0:
        raise Failed(f"exit code {ended.exit_code}: {' '.join(map(str, argv))}\n{(ended.out + ended.err)[-2000:]}")
    return ended


@dataclasses.dataclass(frozen=True)
class Counts:
    """Steps that ran, and the requests by outcome."""

    device: int = 0
    front: int = 0  # front ends that ran as steps of their own
    spared: int = 0  # back ends that device steps did not run, because their results were stored
    host: int = 0
    link: int = 0
    hits: int = 0
    passed: int = 0
    errors: int = 0
    not_stored: tuple = ()  # reasons

    @staticmethod
    def of(stats):
        steps = stats["steps"]
        return Counts(
            device=sum(arch["run"] for arch in steps["device"].values()), front=steps["front"]["run"], spared=steps["back"]["hit"],
            host=steps["host"]["run"], link=steps["link"]["run"], hits=stats["requests"]["hit"],
            passed=stats["requests"]["passthrough"], errors=stats["errors"], not_stored=tuple(sorted(stats["not_stored"])),
        )


class Cache:
    def __init__(self, program, directory):
        self.program = str(program)
        self.directory = pathlib.Path(directory)
        self.variables = {"HIPCACHE_DIR": str(self.directory), "HIPCACHE_CONFIG": "/dev/null"}

    def __enter__(self):
        must([self.program, "--start-server"], "/", self.variables)
        return self

    def __exit__(self, *_):
        run([self.program, "--stop-server"], "/", self.variables)
        shutil.rmtree(self.directory, ignore_errors=True)

    def run(self, argv, cwd, variables=None):
        return run([self.program, *argv], cwd, {**self.variables, **(variables or {})})

    def control(self, option):
        must([self.program, option], "/", self.variables)

    def stats(self):
        return json.loads(must([self.program, "--show-stats", "--format", "json"], "/", self.variables).out)

    def counts(self):
        """What was counted since the statistics were last set to zero."""
        return Counts.of(self.stats())

    def id_of(self, argv, cwd, variables=None):
        """The id that hipcache gives the command's translation unit; empty if it gives none."""
        planned = must([self.program, "--plan", "--format", "json", "--", *argv], cwd, {**self.variables, **(variables or {})})
        return json.loads(planned.out).get("cuid", "")


def workers():
    return os.cpu_count() or 1
