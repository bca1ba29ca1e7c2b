"""A command that runs in its own session, with limits, and its result."""

import dataclasses
import resource
import signal
import subprocess
import tempfile
import time

import machine


@dataclasses.dataclass
class Ended:
    code: int  # negative: the signal
    out: str
    err: str
    seconds: float
    late: bool = False  # this tool ended it, after its time was over

    def told(self):
        how = "did not end" if self.late else f"exit code {self.code}"
        return f"{how} after {self.seconds:.1f} s"


class Running:
    def __init__(self, argv, cwd, environment, limits=None, user=None):
        self.argv = [str(word) for word in argv]
        self._texts = (tempfile.TemporaryFile(), tempfile.TemporaryFile())
        self._started = time.monotonic()
        self.process = subprocess.Popen(
            self.argv, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=self._texts[0], stderr=self._texts[1],
            start_new_session=True, preexec_fn=(lambda: _set(limits)) if limits else None, user=user, group=user,
            extra_groups=None if user is None else [],
        )
        self.pid = self.process.pid
        self.ended = None

    def tree(self):
        return machine.of_session(self.pid)

    def children(self):
        return [pid for pid in self.tree() if pid != self.pid]

    def signal(self, number, whole=False):
        for pid in self.tree() if whole else [self.pid]:
            machine.send(pid, number)

    def runs(self):
        return self.process.poll() is None

    def wait(self, seconds):
        """Waits for the end; after `seconds`, ends the command."""
        if self.ended is None:
            late = False
            try:
                self.process.wait(max(0, self._started + seconds - time.monotonic()))
            except subprocess.TimeoutExpired:
                late = True
                machine.end_all(self.tree())
                self.process.wait()
            self.ended = self._end(late)
        return self.ended

    def _end(self, late):
        seconds = time.monotonic() - self._started
        texts = []
        for text in self._texts:
            text.seek(0)
            texts.append(text.read().decode(errors="replace"))
            text.close()
        return Ended(self.process.returncode, *texts, seconds, late)

    def leaves_no_process(self, seconds):
        return machine.wait_until(lambda: not self.tree(), seconds)


def _set(limits):
    for name, value in limits.items():
        soft, hard = value if isinstance(value, tuple) else (value, value)
        kind = getattr(resource, f"RLIMIT_{name}")
        most = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (soft, most if hard is None else hard))
    if "FSIZE" in limits:  # Python ignores the signal, and a child would inherit that
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)


def run(argv, cwd, environment, seconds=60, **how):
    return Running(argv, cwd, environment, **how).wait(seconds)
