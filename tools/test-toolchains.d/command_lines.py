"""The HIP rows of the table of command lines (fixtures/commands), each through hipcache and by the compiler alone.

A row has the outcome for clang 19. Another compiler may give another outcome: it may lack an option, or its driver may
hide its steps. So only equality is tested here, from an empty cache and as a hit. The report counts the outcomes."""

import concurrent.futures
import contextlib
import dataclasses
import queue
import re
import tomllib

import tree
from cache import Cache, alone, workers
from oracle import differences, with_id
from small_hip import RUNTIME, replace
from suites import DRIVER_FLAGS

# In the order of the report.
SPLIT, OPAQUE, PASSED, REFUSED = "split", "opaque", "passed through", "refused by the compiler"
OUTCOMES = (SPLIT, OPAQUE, PASSED, REFUSED)

# Before the name of a file in the temporary directory, and of one that names a file in hipcache's own directories.
TEMPORARY, OWN = "temporary ", "hipcache's own directory in "


@dataclasses.dataclass(frozen=True)
class Line:
    table: str
    files: dict
    run: str
    before: tuple
    variables: dict
    planned: bool
    random: tuple


@dataclasses.dataclass(frozen=True)
class Outcome:
    line: Line
    came_to: str
    reason: str = ""
    differences: tuple = ()


def _words(value):
    return tuple(value.split()) if isinstance(value, str) else tuple(value)


def read(directory):
    """The rows with a HIP compile that clang 19 accepts, in clang 19's version."""
    for path in sorted(directory.glob("*.toml")):
        table = tomllib.loads(path.read_text())
        for row in table["line"]:
            row = {**row, **row.get("clang19", {})}
            if row["run"].split()[0] == "hip" and row.get("only", "clang19") == "clang19":
                random = row.get("random", ())
                yield Line(
                    path.stem, table.get("files", {}), row["run"], tuple(row.get("before", ())),
                    row.get("variables", {}),
                    row.get("cached") == "planned", (random,) if isinstance(random, str) else tuple(random),
                )


class Runner:
    """Runs lines in one directory with one cache."""

    def __init__(self, program, directory, toolchain, driver):
        self.cache = Cache(program, directory / "cache")
        self.directory = directory / "project"
        self.temporary = directory / "temporary"
        self.toolchain, self.driver = toolchain, driver

    def _command(self, words):
        tool, *rest = words.split()
        rest = [word.replace("{dir}", str(self.directory)) for word in rest]
        if tool == "hip":
            return [*self.toolchain.hip(), DRIVER_FLAGS[self.driver], *rest]
        return [f"{self.toolchain.tools}/{tool}", *rest]

    def check(self, line):
        tree.fresh(self.directory)
        for name, text in {"runtime.h": RUNTIME, **line.files}.items():
            replace(self.directory / name, lambda new, text=text: new.write_text(text))
        line = dataclasses.replace(line, variables={**line.variables, "TMPDIR": str(self.temporary)})
        tree.fresh(self.temporary)
        for command in line.before:
            alone(self._command(command), self.directory, line.variables)
        self.cache.must("--clear")
        self.cache.zero()
        start = tree.files_in(self.directory)
        command = self._command(line.run)

        cold = self._ran(start, lambda: self.cache.run(command, self.directory, line.variables))
        stats = self.cache.stats()
        came_to, reason = _came_to(stats, cold[0])
        fixed = command
        if came_to == SPLIT:
            cuid = self.cache.id_of(command, self.directory, line.variables)
            fixed = with_id(command, cuid, self.toolchain.ignores_cuid(self.driver))
        real = self._ran(start, lambda: alone(fixed, self.directory, line.variables))
        found = tuple(differences(*cold, *real, line.random))
        if found:  # unless two runs of the compiler differ from each other
            again = self._ran(start, lambda: alone(fixed, self.directory, line.variables))
            if tuple(differences(*again, *real, line.random)):
                found = tuple(what for what in found if what.startswith((TEMPORARY, OWN)))
        if came_to in (SPLIT, OPAQUE) and not stats["not_stored"]:
            found += self._warm(start, command, cold, line)
        return Outcome(line, came_to, reason, found)

    def _warm(self, start, command, cold, line):
        rerun = lambda: self._ran(start, lambda: self.cache.run(command, self.directory, line.variables))  # noqa: E731
        counts, warm = self.cache.counted(rerun)
        found = tuple(f"as a hit: {what}" for what in differences(*warm, *cold))
        return found if counts.hits == 1 else (*found, "no hit")

    def _ran(self, start, what):
        """How it ended and what it left, in the temporary directory as well: there only the kinds of files count,
        because the compiler draws their names, and after an error none, because clang 23 leaves some. Restores the
        directories."""
        tree.fresh(self.temporary)
        ended = what()
        left = tree.changes(start, tree.files_in(self.directory))
        tree.restore(self.directory, start)
        own = str(self.cache.directory).encode()
        for name in [name for name, file in left.items() if file and own in file[1]]:
            left[OWN + name] = (0, b"")
        for name in tree.files_in(self.temporary) if ended.code == 0 else ():
            left[TEMPORARY + re.sub("[0-9a-f]{6}", "XXXXXX", name)] = (0, b"")
        return ended, left


def _came_to(stats, ended):
    if stats["requests"]["passthrough"]:
        return PASSED, ", ".join(stats["not_cached"])
    if ended.code != 0 or stats["failed_compiles"]:
        return REFUSED, ""
    return (SPLIT if stats["steps"]["probe"]["run"] and not stats["not_split"]
            else OPAQUE), ", ".join(stats["not_split"])


def check_all(lines, program, directory, toolchain, driver):
    """An outcome for each line; runs several at a time."""
    free = queue.SimpleQueue()

    def check(line):
        runner = free.get()
        try:
            return runner.check(line)
        finally:
            free.put(runner)

    with contextlib.ExitStack() as caches, concurrent.futures.ThreadPoolExecutor(workers()) as pool:
        for number in range(workers()):
            runner = Runner(program, tree.fresh(directory / str(number)), toolchain, driver)
            caches.enter_context(runner.cache)
            free.put(runner)
        return list(pool.map(check, lines))
