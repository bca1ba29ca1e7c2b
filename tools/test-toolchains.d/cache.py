"""hipcache in its own directory for a while, and its counts."""

import dataclasses
import os
import shutil

from instance import Instance
from process import must, run

# The only variables of the environment: what a compile needs.
BASE = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/root", "LC_ALL": "C"}


def alone(argv, cwd="/", variables=None):
    """How a command without hipcache ended."""
    return run(argv, {**BASE, **(variables or {})}, cwd)


def made(argv, cwd="/", variables=None):
    """What a command prints that has to work."""
    return must(argv, {**BASE, **(variables or {})}, cwd)


def workers():
    return os.cpu_count() or 1


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
        steps, requests = stats["steps"], stats["requests"]
        return Counts(
            device=sum(arch["run"] for arch in steps["device"].values()), front=steps["front"]["run"],
            spared=steps["back"]["hit"], host=steps["host"]["run"], link=steps["link"]["run"], hits=requests["hit"],
            passed=requests["passthrough"], errors=stats["errors"], not_stored=tuple(sorted(stats["not_stored"])),
        )  # fmt: skip


class Cache(Instance):
    def __init__(self, program, directory):
        super().__init__(program, directory, BASE)

    def __enter__(self):
        self.must("--start-server")
        return self

    def __exit__(self, *_):
        self.control("--stop-server")
        shutil.rmtree(self.directory, ignore_errors=True)

    def counted(self, what):
        """What is counted while `what` runs, and what that returns."""
        self.zero()
        result = what()
        return Counts.of(self.stats()), result
