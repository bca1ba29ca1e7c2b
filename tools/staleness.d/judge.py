"""Runs a case's compiles through a launcher and by the compiler alone, and compares the results."""

import concurrent.futures
import copy
import dataclasses

import tree
from process import run
from project import Link

# From best to worst: the worst compile decides for the case.
OK, MISS, STALE, BROKEN = "ok", "needless miss", "stale", "broken"
ORDER = (OK, MISS, STALE, BROKEN)


@dataclasses.dataclass
class Made:
    code: int
    messages: str
    files: dict


@dataclasses.dataclass
class Verdict:
    outcome: str = OK
    detail: str = ""

    def worse(self, outcome, detail):
        if ORDER.index(outcome) > ORDER.index(self.outcome):
            self.outcome, self.detail = outcome, detail


class Judge:
    """One launcher in one case: the project, the launcher's cache, and the verdict."""

    def __init__(self, launcher, project, base_environment, linker):
        self.launcher, self.project, self.base, self.linker = launcher, project, base_environment, linker
        self.verdict = Verdict()
        self.first = True
        self.last_real = None
        self.reals_differ = False  # the compiler's own result changed after the change

    def run(self, step):
        if isinstance(step, Link):
            self._link(step)
            return
        self.launcher.zero()
        mine = self._made(step, [self.launcher.command, *step.argv], self._environment(step), "mine", step.at_once)
        ran = self.launcher.steps_run(step.at_once, step.archs) if step.owed is not None else None
        real = self._made(step, step.argv, {**self.base, **step.environment}, "real")
        self._compare(step, mine, real)
        known = (real.code, real.files)
        self.reals_differ |= self.last_real not in (None, known)
        self.last_real = known
        if ran is not None and (ran[0] > step.owed.device or ran[1] > step.owed.host):
            self.verdict.worse(MISS, f"ran {ran[0]} device and {ran[1]} host steps")
        self.first = False

    def _environment(self, step):
        if step.spoil:
            # A running server has read its settings already. The launcher keeps its place.
            copy.copy(self.launcher).stop()
        spoiled = self.launcher.spoiled.get(step.spoil, {})
        return {**self.base, **self.launcher.settings(), **spoiled, **step.environment}

    def _made(self, step, argv, environment, keep, at_once=1):
        """What the command leaves. Restores the project to its state before, and keeps a copy of the files."""
        before = tree.files_in(self.project.directory)
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            ended = list(pool.map(lambda _: run(argv, environment, self.project.directory, merged=True), range(at_once)))
        files = {name: file for name, file in tree.changes(before, tree.files_in(self.project.directory)).items()
                 if file}
        tree.write_out(self._kept(keep), files)
        tree.restore(self.project.directory, before)
        worst = max(ended, key=lambda one: one.code != 0)
        return Made(worst.code, worst.out, files)

    def _kept(self, keep):
        return self.project.directory.parent / keep

    def _compare(self, step, mine, real):
        if mine.code != 0 and real.code == 0:
            last = (mine.messages.strip().splitlines() or [""])[-1]
            self.verdict.worse(BROKEN, f"exit code {mine.code}: {last}")
            return
        wrong = BROKEN if self.first else STALE
        if mine.code == 0 and real.code != 0:
            self.verdict.worse(wrong, "the compiler fails")
            return
        for name, file in sorted(real.files.items()):
            if name not in mine.files:
                self.verdict.worse(BROKEN, f"{name} is missing")
            elif step.bytes and mine.files[name][1] != file[1]:
                self.verdict.worse(wrong, f"{name} is another one")

    def _link(self, step):
        argv = [self.linker, "-shared", "-o", "linked.so", *step.objects]
        mine, real = (run(argv, self.base, self._kept(keep)) for keep in ("mine", "real"))
        if mine.code != 0 and real.code == 0:
            self.verdict.worse(BROKEN, mine.err.strip().splitlines()[0])
