"""Running and timing commands."""

import os
import resource
import statistics
import subprocess
import time


class Failed(Exception):
    """A command that had to work did not."""


def run(command, environment=None, cwd=None):
    """Runs a command to its end; returns what it printed. Raises Failed with its last lines."""
    result = subprocess.run(
        [str(word) for word in command],
        env=environment,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if result.returncode != 0:
        tail = "\n".join(result.stdout.splitlines()[-30:])
        raise Failed(f"exit code {result.returncode}: {' '.join(map(str, command))}\n{tail}")
    return result.stdout


def timed(command, environment=None, cwd=None):
    """Seconds that a command took."""
    start = time.perf_counter()
    run(command, environment, cwd)
    return time.perf_counter() - start


def timed_with_cpu(command, environment=None, cwd=None):
    """Seconds that a command took, and seconds of processor of it and all that it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = timed(command, environment, cwd)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def spawn_seconds(command, environment):
    """Seconds from start to end of a command, at the least cost of our own; for commands of milliseconds."""
    words = [str(word) for word in command]
    start = time.perf_counter()
    pid = os.posix_spawnp(words[0], words, environment)
    _, status = os.waitpid(pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        raise Failed(f"status {status}: {' '.join(words)}")
    return seconds


def spawn_cpu_seconds(command, environment):
    """Seconds of processor that a command used."""
    words = [str(word) for word in command]
    _, status, usage = os.wait4(os.posix_spawnp(words[0], words, environment), 0)
    if status != 0:
        raise Failed(f"status {status}: {' '.join(words)}")
    return usage.ru_utime + usage.ru_stime


def median(values):
    return statistics.median(values) if values else None
