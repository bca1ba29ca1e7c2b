"""Runs commands, each for a bounded time, and tells how they ended and what they cost."""

import dataclasses
import os
import resource
import statistics
import subprocess
import tempfile
import time

import processes

LONGEST = 7200  # seconds for a command without a bound of its own, such as a build of a large project


class Failed(Exception):
    """A command that had to work did not."""


@dataclasses.dataclass
class Ended:
    code: int  # negative: the signal
    out: str
    err: str
    seconds: float = 0
    late: bool = False  # this tool ended it, after its time was over

    def told(self):
        how = "did not end" if self.late else f"exit code {self.code}"
        return f"{how} after {self.seconds:.1f} s"


class Running:
    """A command that runs in its own session. `merged`: messages are part of the output, in their order."""

    def __init__(self, argv, environment=None, cwd=None, merged=False):
        self.argv = [str(word) for word in argv]
        self._texts = [tempfile.TemporaryFile() for _ in range(1 if merged else 2)]
        self._started = time.monotonic()
        self.process = subprocess.Popen(
            self.argv, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=self._texts[0],
            stderr=subprocess.STDOUT if merged else self._texts[1], start_new_session=True,
        )
        self.pid = self.process.pid
        self.ended = None

    def tree(self):
        return processes.of_session(self.pid)

    def children(self):
        return [pid for pid in self.tree() if pid != self.pid]

    def signal(self, number, whole=False):
        for pid in self.tree() if whole else [self.pid]:
            processes.send(pid, number)

    def wait(self, seconds):
        """Waits for the end; after `seconds`, ends the command."""
        if self.ended is None:
            late = False
            try:
                self.process.wait(max(0, self._started + seconds - time.monotonic()))
            except subprocess.TimeoutExpired:
                late = True
                self._kill()
            except BaseException:
                self._kill()
                raise
            self.ended = self._end(late)
        return self.ended

    def _kill(self):
        processes.end_all(self.tree())
        self.process.wait()

    def _end(self, late):
        seconds = time.monotonic() - self._started
        texts = []
        for text in self._texts:
            text.seek(0)
            texts.append(text.read().decode(errors="replace"))
            text.close()
        return Ended(self.process.returncode, texts[0], "".join(texts[1:]), seconds, late)

    def leaves_no_process(self, seconds):
        return processes.wait_until(lambda: not self.tree(), seconds)


def run(argv, environment=None, cwd=None, seconds=LONGEST, merged=False):
    """How the command ended."""
    return Running(argv, environment, cwd, merged).wait(seconds)


def must(argv, environment=None, cwd=None, seconds=LONGEST):
    """What the command printed on standard output. Raises Failed with its last lines unless it succeeds."""
    ended = run(argv, environment, cwd, seconds)
    if ended.code != 0:
        tail = "\n".join((ended.out + ended.err).splitlines()[-30:])
        raise Failed(f"{ended.told()}: {' '.join(map(str, argv))}\n{tail}")
    return ended.out


def timed(argv, environment=None, cwd=None):
    """Seconds that a command took."""
    start = time.perf_counter()
    must(argv, environment, cwd)
    return time.perf_counter() - start


def timed_with_cpu(argv, environment=None, cwd=None):
    """Seconds that a command took, and seconds of processor of it and all that it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = timed(argv, environment, cwd)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def spawned(argv, environment):
    """Seconds that a command took, at the least cost of our own: for commands of milliseconds."""
    words = [str(word) for word in argv]
    start = time.perf_counter()
    _, status = os.waitpid(os.posix_spawnp(words[0], words, environment), 0)
    seconds = time.perf_counter() - start
    if status != 0:
        raise Failed(f"status {status}: {' '.join(words)}")
    return seconds


def median(values):
    return statistics.median(values) if values else None
