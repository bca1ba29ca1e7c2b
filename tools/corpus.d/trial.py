"""One file of a suite: its edits, each compiled through hipcache and by the compiler alone, in one directory."""

import dataclasses
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import time

import edits
from oracle import RANDOM_NAMES, file_differences
from process import Ended

LONGEST = 60  # seconds for a compile; the file is given up if one takes longer
SLOW = 1.0  # seconds of processor that a file may take by the compiler alone
TICK = 0.006  # seconds until files have another time: hipcache does not store what read a file as young as the run
OUTPUT = "out.o"
MANY = 10  # neighbours of a file, and half of its other edits
FURTHER = 0.3  # how often a second neighbour follows on one
FEW = 3  # the same for a file that does not compile: nothing of it is stored
NOT_KNOWN = re.compile(  # an option that the driver does not take
    r"error: (?:unknown argument|unsupported option|unrecognized command[- ]line option|no such file or directory|"
    r"invalid value|unrecognized argument[^']*):? *['\u2018]([^'\u2019]+)['\u2019]|"
    r"argument unused during compilation: '([^']+)'|command[- ]line option .([^\u2019']+). is valid"
)
CRASHED = re.compile("PLEASE submit|internal compiler error|clang frontend command failed")
MENDINGS = 8
REPEATS = 16

COMPILES, MENDED, FAILS = "compile", "compile without the lines that are errors", "do not compile"
CRASHES, SLOWLY, NONE = "make the compiler crash", "take too long", "have no command for a single source"


class Late(Exception):
    """A compile took too long."""


@dataclasses.dataclass(frozen=True)
class State:
    """The files, and the options of the command."""

    files: dict
    groups: list


@dataclasses.dataclass
class Result(Ended):
    files: dict = dataclasses.field(default_factory=dict)

    def same_as(self, other):
        return (self.code, self.out, self.err, self.files) == (other.code, other.out, other.err, other.files)


@dataclasses.dataclass(frozen=True)
class Finding:
    number: int  # the edit's
    kind: str
    told: list  # what differs
    states: list  # what repeats it: commands and files, the last one being asked when hipcache went wrong

    @property
    def command(self):
        return self.states[-1][0]


@dataclasses.dataclass
class Report:
    """What became of a file. `asked`: of each compile through hipcache, in their order: the kind of edit, and whether the
    compiler's result is the one from before the edit. The kind is None if it repeats a finding."""

    compiler: str
    name: str
    directory: str
    state: str = NONE
    asked: list = dataclasses.field(default_factory=list)
    findings: list = dataclasses.field(default_factory=list)


class Runner:
    """Runs commands at the least cost: no shell, no thread, no pipe. One for each process."""

    def __init__(self):
        self.texts = [os.memfd_create("text") for _ in range(2)]
        signal.signal(signal.SIGALRM, self._late)

    @staticmethod
    def _late(*_):
        raise Late

    def run(self, argv, inputs, environment):
        """In the current directory, whose files but the inputs are the result. Removes them."""
        actions = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0)]
        for number, text in enumerate(self.texts, 1):
            os.ftruncate(text, 0)
            os.lseek(text, 0, 0)
            actions.append((os.POSIX_SPAWN_DUP2, text, number))
        pid = os.posix_spawnp(argv[0], argv, environment, file_actions=actions, setsid=True)
        signal.setitimer(signal.ITIMER_REAL, LONGEST)
        try:
            _, status, used = os.wait4(pid, 0)
        except BaseException:
            signal.setitimer(signal.ITIMER_REAL, 0)
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise
        signal.setitimer(signal.ITIMER_REAL, 0)
        out, err = (os.pread(text, os.fstat(text).st_size, 0).decode(errors="replace") for text in self.texts)
        code, seconds = os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime
        return Result(code, out, err, seconds, files=_taken(inputs))


def _taken(inputs):
    """The new files of the current directory, as tree.files_in() has them; removes them."""
    found = {}
    for entry in list(os.scandir(".")):
        if entry.name not in inputs and entry.is_file(follow_symlinks=False):
            found[entry.name] = (entry.stat().st_mode, pathlib.Path(entry.name).read_bytes())
            os.unlink(entry.name)
    return found


class Trial:
    """`last`: the number of the last edit, or None."""

    def __init__(self, runner, hipcache, unit, report, seed, last):
        self.runner, self.hipcache, self.unit, self.report = runner, hipcache, unit, report
        self.seed, self.last = seed, last
        self.known, self.written, self.states, self.number = {}, {}, [], 0

    def argv(self, groups):
        return [self.unit.program, *edits.words_of(groups), "-MD", "-c", self.unit.source, "-o", OUTPUT]

    def write(self, files):
        for name, text in files.items():
            if self.written.get(name) != text:
                path = pathlib.Path(name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode("latin-1"))
        self.written = dict(files)

    def inputs(self):
        return {name.partition("/")[0] for name in self.written}

    def plain(self, state, again=False):
        """The compiler's own result, once for each state."""
        key = (tuple(self.argv(state.groups)), tuple(sorted(state.files.items())))
        if again or key not in self.known:
            self.write(state.files)
            result = self.runner.run(self.argv(state.groups), self.inputs(), self.hipcache.base)
            if again:
                return result
            self.known[key] = result
        return self.known[key]

    def cached(self, state, namespace=None):
        environment = {**self.hipcache.environment(), "HIPCACHE_NAMESPACE": namespace or self.report.directory}
        return self.runner.run([self.hipcache.command, *self.argv(state.groups)], self.inputs(), environment)

    def prepare(self):
        """The state to begin with, whose options the compiler takes, and how it compiles."""
        state = State(self.unit.files, self.unit.groups)
        result = self.plain(state)
        for _ in range(6):
            wrong = {word for found in NOT_KNOWN.findall(result.err) for word in found if word}
            left = [group for group in state.groups if wrong.isdisjoint((*group, group[0].split("=")[0]))]
            if len(left) == len(state.groups):
                break
            state = State(state.files, left)
            result = self.plain(state)
        if CRASHED.search(result.err) or result.code < 0:
            return state, CRASHES
        if result.seconds > SLOW:
            return state, SLOWLY
        return (state, COMPILES) if result.code == 0 else self._mended(state, result)

    def _mended(self, state, result):
        """Without the lines that the compiler finds errors in, if it compiles so."""
        lines = state.files[self.unit.source].split("\n")
        for _ in range(MENDINGS):
            found = re.findall(rf"^{re.escape(self.unit.source)}:(\d+):[^\n]*error: ", result.err, re.MULTILINE)
            wrong = {int(number) - 1 for number in found}
            wrong = {number for number in wrong if number < len(lines) and lines[number]}
            if not wrong:
                break
            lines = ["" if number in wrong else line for number, line in enumerate(lines)]
            mended = State({**state.files, self.unit.source: "\n".join(lines)}, state.groups)
            result = self.plain(mended)
            if result.code == 0:
                return mended, MENDED
        return state, FAILS

    def run(self):
        base, self.report.state = self.prepare()
        if self.report.state in (CRASHES, SLOWLY):
            return
        few = FEW if self.report.state == FAILS else MANY
        rng = random.Random(self.seed)
        invisible, visible = rng.sample(sorted(edits.INVISIBLE), 2 * few), rng.sample(sorted(edits.VISIBLE), few)
        self.ask(base, "none", base)
        for kind in invisible[:few]:
            self.step(base, kind)
        for kind, then in zip(visible, invisible[few:]):
            then = "changed -D" if kind in edits.WITH_DEFINE and rng.random() < 0.5 else then
            made = self.step(base, kind)
            if rng.random() < FURTHER:
                made = self.step(made, rng.choice(sorted(edits.VISIBLE)))
            self.step(made, then)

    def step(self, before, kind):
        """Asks for the state that the edit makes. Returns it; None if there is no other, or hipcache went wrong."""
        self.number += 1
        if before is None or (self.last is not None and self.number > self.last):
            return None
        made = self.edited(before, kind, random.Random(f"{self.seed} {self.number}"))
        return made if made is not None and self.ask(made, kind, before) else None

    def edited(self, state, kind, rng):
        """The state after an edit; None if that is the same."""
        name = self.unit.source if rng.random() < 0.8 else rng.choice(sorted(state.files))
        tokens = edits.tokens_of(state.files[name])
        command = {**edits.COMMAND, **edits.COMMAND_NEIGHBOURS}.get(kind)
        if command:
            groups = command(rng, state.groups, tokens)
            return State(state.files, groups) if groups not in (None, state.groups) else None
        groups, edit = state.groups, {**edits.TEXT, **edits.NEIGHBOURS}.get(kind)
        if kind in edits.BOTH_NEIGHBOURS:
            groups, text = edits.BOTH_NEIGHBOURS[kind](rng, groups, tokens)
        else:
            text = edit(rng, tokens) if tokens else None
        return State({**state.files, name: text}, groups) if text not in (None, state.files[name]) else None

    def ask(self, state, kind, before):
        """Compiles a state both ways. False if that is a finding."""
        self.write(state.files)
        time.sleep(TICK)
        mine = self.cached(state)
        real = self.plain(state)
        self.report.asked.append((kind, real.same_as(self.plain(before))))
        self.write(state.files)
        self.states.append(state)
        told = list(differences(mine, real))
        if not told or not self._is_repeatable(state, real):
            return True
        culprits = [(shlex.join(self.argv(one.groups)), one.files) for one in self._culprits(state)]
        self.report.findings.append(Finding(self.number, kind, told, culprits))
        return False

    def _is_repeatable(self, state, real):
        """Whether the compiler's result is the same some time later, however often it is asked: clang 19 registers
        variables of anonymous namespaces in the order of their addresses."""
        time.sleep(1.1)
        return not any(list(differences(self.plain(state, again=True), real)) for _ in range(REPEATS))

    def _culprits(self, state):
        """The fewest states before this one that make hipcache go wrong in it, with it."""
        before = self.states[:-1]
        real = self.plain(state)
        for number, chosen in enumerate([[]] + [[one] for one in before] + [before]):
            for one in chosen:
                self._settled(one, number)
            if list(differences(self._settled(state, number), real)):
                return [*chosen, self.states[-1]]
        return self.states[:]

    def _settled(self, state, number):
        """hipcache's result in a part of the cache of its own."""
        self.write(state.files)
        time.sleep(TICK)
        self.report.asked.append((None, False))
        return self.cached(state, f"{self.report.directory} {len(self.report.findings)} {number}")


def differences(mine, real):
    """A line for each."""
    if mine.code != real.code:
        yield f"exit code {mine.code}, the compiler's {real.code}"
    for what, one, other in (("standard output", mine.out, real.out), ("messages", mine.err, real.err)):
        if one != other and RANDOM_NAMES.sub("FILE", one) != RANDOM_NAMES.sub("FILE", other):
            lines = zip([*one.splitlines(), "", ""], [*other.splitlines(), "", ""])
            pair = next((pair for pair in lines if pair[0] != pair[1]), ("more", "less"))
            yield f"other {what}: {pair[0]!r}, the compiler's {pair[1]!r}"
    yield from file_differences(mine.files, real.files)


REPRODUCER = """\
#!/bin/bash
# Compiles the states in their order through hipcache, and the last one also by the compiler alone.
# usage: run.sh DIRECTORY_OF_HIPCACHE
set -u
H=$(realpath "$1")/hipcache; here=$(cd "$(dirname "$0")" && pwd); T=$(mktemp -d)
export HIPCACHE_DIR=$T/cache HIPCACHE_CONFIG=/dev/null HIPCACHE_AUDIT=0 HIPCACHE_QUIET=1 LC_ALL=C
trap '"$H" --stop-server >/dev/null 2>&1; rm -rf "$T"' EXIT
mkdir "$T/w"; cd "$T/w"
state() { cp -r "$here/$1/." .; sleep 0.02; touch ../begin; sleep 0.02; }
run() { to=$1; shift; mkdir "../$to"; "$@" >"../$to/out" 2>"../$to/err"; echo $? >"../$to/code"
        find . -type f -newer ../begin -exec mv {} "../$to" \\;; }
"""


def keep(place, finding, heading):
    """Leaves what repeats a finding."""
    script = REPRODUCER
    for number, (command, files) in enumerate(finding.states):
        for name, text in files.items():
            path = place / str(number) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("latin-1"))
        script += f'state {number}; run hipcache{number} "$H" {command}\n'
    last = len(finding.states) - 1
    script += f'run compiler {finding.command}\ndiff -r ../hipcache{last} ../compiler && echo "no difference"\n'
    (place / "run.sh").write_text(script)
    (place / "run.sh").chmod(0o755)
    (place / "report").write_text("\n".join([heading, f"edit {finding.number}: {finding.kind}", *finding.told, ""]))


def try_file(suite, name, seed, hipcache, runner, place, last):
    """Tries a file of a suite in a new directory below `place`."""
    directory = place / re.sub(r"\W", "_", f"{suite.compiler} {name}")
    report = Report(suite.compiler, name, str(directory))
    unit = suite.unit(name)
    if unit is not None:
        directory.mkdir()
        os.chdir(directory)
        try:
            Trial(runner, hipcache, unit, report, f"{seed} {suite.compiler} {name}", last).run()
        except Late:
            report.state = SLOWLY
        os.chdir(place)
        shutil.rmtree(directory, ignore_errors=True)
    return report
