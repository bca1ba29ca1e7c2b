"""Setups in which compiles run elsewhere: what Bazel, namespaces, CI jobs and make do around a compile."""

import contextlib
import shlex
import time

import patience
from process import Running
from table_of_faults import fault


class Around:
    """Starts compiles with the words before hipcache. Everything else is the cache's."""

    def __init__(self, cache, *words):
        self.cache, self.words = cache, words

    def start(self, argv, cwd):
        return Running([*self.words, self.cache.command, *argv], self.cache.environment(), cwd)


class ByMake:
    """Starts each compile as the only rule of a make with that many jobs."""

    def __init__(self, case, jobs):
        self.case, self.jobs, self.count = case, jobs, 0

    def start(self, argv, cwd):
        self.count += 1
        makefile = self.case.directory / f"make{self.count}"
        makefile.write_text("all:\n\t+@" + shlex.join([self.case.cache.command, *argv]).replace("$", "$$") + "\n")
        words = ["make", "--silent", "--no-print-directory", f"-j{self.jobs}", "-f", str(makefile)]
        return Running(words, self.case.cache.environment(), cwd)


@contextlib.contextmanager
def _variables(case, **variables):
    """The compiler alone has them as well."""
    before, usual = dict(case.environment), case.yardstick
    case.environment.update(variables)
    case.yardstick = case.new_yardstick()
    try:
        yield
    finally:
        case.environment.clear()
        case.environment.update(before)
        case.yardstick = usual


@fault("setups", "PWD leads through /proc/self/cwd", "PWD led through /proc/self/cwd", harmless=True)
def through_proc(case):
    command, other = case.project.some(2)
    with _variables(case, PWD="/proc/self/cwd"):
        case.compile_each(command, command, other, seconds=patience.HEALTHY)
    case.compile(command, patience.HEALTHY)
    case.warm(command)


@fault("setups", "a mount namespace for each compile", "compiles ran in namespaces", harmless=True, needs_mounts=True)
def namespaces(case):
    """The daemon outside serves them: what was compiled outside hits there."""
    commands = case.project.some(3)
    case.warm(*commands)
    alone = Around(case.cache, "unshare", "--mount")
    before = case.cache.stats()
    case.compile_all(commands, patience.HEALTHY, cache=alone)
    after = case.cache.stats()
    if before and after and after["requests"]["hit"] - before["requests"]["hit"] < len(commands):
        case.finding(f"what hits outside is no hit in a namespace of its own: {after['requests']}, {before['requests']}")
    case.compile(case.project.any(), patience.HEALTHY, cache=alone)


@fault("setups", "another file is mounted in the namespace of a compile", "a namespace had another file",
       needs_mounts=True)
def other_mounts(case):
    """Before the compile, which must see it; or during it: then what is stored must not serve the usual file."""
    make = case.rng.choice((case.project.clang_cpp, case.project.clang_c, case.project.gcc_cpp, case.project.gcc_c))
    command, usual, number = make(), case.project.inputs["shared.h"], case.project.numbers["shared.h"]
    case.compile(command, patience.HEALTHY)
    case.project.edit("shared.h")
    wanted = case.expected(command)
    other = case.directory / "other.h"
    other.write_bytes(case.project.inputs["shared.h"])
    case.project.numbers["shared.h"] = number
    case.project.write("shared.h", usual.decode())
    case.project.settle()
    case.project.clean()
    before = case.before()
    mounting = f"mount --bind {shlex.quote(str(other))} shared.h"
    running = case.start(command, Around(case.cache, "unshare", "--mount", "sh", "-c", f'{mounting} && exec "$@"', "sh"))
    case.judge([command], [case.end(running, command, patience.bound(patience.HEALTHY, wanted))], [wanted], before)
    case.compile(command, patience.HEALTHY)
    again = case.rng.choice(("", "; umount shared.h"))
    wait = case.rng.uniform(0, wanted.seconds)
    meanwhile = f'(sleep {wait:.3f}; {mounting}{again}) & exec "$@"'
    case.cache.control("--clear")
    case.forget_owed()
    running = case.start(command, Around(case.cache, "unshare", "--mount", "sh", "-c", meanwhile, "sh"))
    case.end(running, command, patience.bound(patience.HEALTHY, wanted))
    time.sleep(0.1)
    return [command]


@fault("setups", "16 compiles at a fresh daemon, all in a shared cache", "a herd met a fresh daemon", harmless=True)
def herd(case):
    makers = (case.project.kernel, case.project.clang_cpp)
    commands = [makers[number % 4 != 0](f"herd{number}.o") for number in range(16)]
    remote = f"file://{case.directory / 'tier'}"
    filling = case.new_cache("filling", remote)
    case.compile_all(commands, cache=filling)
    filling.control("--flush")
    filling.stop()
    case.compile_all(commands, cache=case.new_cache("fresh", remote))


@fault("setups", "make with few jobs", "make gave few jobs", harmless=True)
def few_jobs(case):
    by_make = ByMake(case, case.rng.randrange(1, 3))
    commands = case.project.some(2)
    case.compile_each(*commands, *commands, seconds=patience.HEALTHY, cache=by_make)
    case.warm(commands[0])
