"""Runs a case's compiles through a launcher and by the compiler alone, and compares the results."""

import concurrent.futures
import copy
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess

from project import Link

# From best to worst: the worst compile decides for the case.
OK, MISS, STALE, BROKEN = "ok", "needless miss", "stale", "broken"
ORDER = (OK, MISS, STALE, BROKEN)

COLOURS = re.compile(r"\x1b\[[0-9;]*[mK]")
# Files whose bytes differ between any two compiles.
TIMINGS = (".json",)


@dataclasses.dataclass
class Ended:
    exit_code: int
    messages: str
    files: dict


@dataclasses.dataclass
class Verdict:
    outcome: str = OK
    detail: str = ""

    def worse(self, outcome, detail):
        if ORDER.index(outcome) > ORDER.index(self.outcome):
            self.outcome, self.detail = outcome, detail


def stamps(directory):
    found = {}
    for path in pathlib.Path(directory).rglob("*"):
        if path.is_file() and not path.is_symlink():
            status = path.stat()
            found[path.relative_to(directory)] = (status.st_ino, status.st_mtime_ns, status.st_size)
    return found


class Judge:
    """One launcher in one case: the project, the launcher's cache, and the verdict."""

    def __init__(self, launcher, project, base_environment, linker):
        self.launcher = launcher
        self.project = project
        self.base = base_environment
        self.linker = linker
        self.verdict = Verdict()
        self.first = True
        self.last_real = None
        self.reals_differ = False  # the compiler's own result changed after the change

    def run(self, step):
        if isinstance(step, Link):
            self._link(step)
            return
        if self.launcher.cache is not None:
            self.launcher.zero()
        mine = self._made(step, [self.launcher.command, *step.argv], self._environment(step))
        ran = self.launcher.steps_run(step.at_once, step.archs) if step.owed is not None else None
        real = self._made(step, step.argv, {**self.base, **step.environment}, keep="real")
        self._compare(step, mine, real)
        known = (real.exit_code, sorted(real.files.items()))
        self.reals_differ |= self.last_real not in (None, known)
        self.last_real = known
        if ran is not None and self.verdict.outcome == OK:
            device, host = ran
            if device > step.owed.device or host > step.owed.host:
                self.verdict.worse(MISS, f"ran {device} device and {host} host steps")
        self.first = False

    def _environment(self, step):
        own = {name: value for name, value in self.launcher.environment().items() if os.environ.get(name) != value}
        spoiled = self.launcher.spoiled(step.spoil) if step.spoil else {}
        if step.spoil:
            copy.copy(self.launcher).stop()  # a running server has read its settings already; the launcher keeps its place
        return {**self.base, **own, **spoiled, **step.environment}

    def _made(self, step, argv, environment, keep="mine"):
        """What the command leaves. Restores the project to its state before, and keeps a copy of the files."""
        before = stamps(self.project.directory)
        with concurrent.futures.ThreadPoolExecutor(step.at_once) as pool:
            ended = list(pool.map(lambda _: _run(argv, environment, step.cwd), range(step.at_once if keep == "mine" else 1)))
        files = {}
        for name, stamp in stamps(self.project.directory).items():
            if before.get(name) != stamp:
                path = self.project / name
                files[str(name)] = path.read_bytes()
                kept = self.project.directory.parent / keep / name
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(path, kept)
        worst = max(ended, key=lambda one: one.returncode != 0)
        return Ended(worst.returncode, COLOURS.sub("", worst.stdout), files)

    def _compare(self, step, mine, real):
        if mine.exit_code != 0 and real.exit_code == 0:
            last = (mine.messages.strip().splitlines() or [""])[-1]
            self.verdict.worse(BROKEN, f"exit code {mine.exit_code}: {last}")
            return
        wrong = BROKEN if self.first else STALE
        if mine.exit_code == 0 and real.exit_code != 0:
            self.verdict.worse(wrong, "the compiler fails")
            return
        for name in sorted(real.files.keys() - mine.files.keys()):
            self.verdict.worse(BROKEN, f"{name} is missing")
        for name, content in sorted(real.files.items()):
            if step.bytes and name in mine.files and mine.files[name] != content and not name.endswith(TIMINGS):
                self.verdict.worse(wrong, f"{name} is another one")
        if step.messages and mine.messages != real.messages:
            self.verdict.worse(wrong, "other messages")

    def _link(self, step):
        codes = {}
        for keep in ("mine", "real"):
            kept = self.project.directory.parent / keep
            linked = _run([self.linker, "-shared", "-o", "linked.so", *step.objects], self.base, kept)
            codes[keep] = linked.returncode
            if keep == "mine" and codes[keep] != 0:
                message = linked.stdout.strip().splitlines()[0]
        if codes["mine"] != 0 and codes["real"] == 0:
            self.verdict.worse(BROKEN, message)


def _run(argv, environment, cwd):
    return subprocess.run(
        argv, env=environment, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", check=False,
    )
