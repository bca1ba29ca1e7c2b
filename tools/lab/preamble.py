#!/usr/bin/env python3
"""Compiles the HIP units of real projects with and without a header that was made before, and compares both.

The header is the text that every HIP compile begins with: clang's implicit `-include __clang_hip_runtime_wrapper.h`.
For each cc1 job of each unit the tool compares objects, messages and depfiles, and measures the processor time of both.
It writes one line of JSON for each job, and prints a summary. An entry of the compile database may have a word
`project`, by which the summary is made. PREAMBLE_SECONDS bounds the processor time of a job (120).
"""

import collections
import dataclasses
import itertools
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared.d"))

import bitstream  # noqa: E402
import jobs  # noqa: E402
import reporting  # noqa: E402
import tool  # noqa: E402
from process import Failed, median  # noqa: E402

LIGHT = 2.0  # seconds of processor time of a unit's jobs, compiled plainly: below it the unit is light
ONCE = 5.0  # a job that takes longer is measured once, another one as often as the user says
MOST_DECLARATIONS = 6  # of which all orders are tried
LONGEST = int(os.environ.get("PREAMBLE_SECONDS", "120"))  # of the processor, for a job; others are not measured
DEFINED = re.compile(r"^define .*?@([\w.$]+)\(", re.MULTILINE)


@dataclasses.dataclass
class Compiled:
    code: int
    seconds: float  # of the processor
    text: str  # what the compiler printed
    out: bytes = b""
    depfile: tuple = ()


def compile_with(argv, directory, output=None):
    """Runs a cc1 job at low priority. Its own processor time, without that of others."""
    with subprocess.Popen(argv, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, preexec_fn=_bound) as process:  # fmt: skip
        text = process.stdout.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    done = Compiled(process.returncode, usage.ru_utime + usage.ru_stime, text)
    if output and done.code == 0:
        done.out = output.read_bytes()
        words = pathlib.Path(f"{output}.d").read_text().replace("\\\n", " ").split()[1:]
        done.depfile = tuple(dict.fromkeys(words))
    return done


def failure_of(done):
    """The first error of a job that did not compile, else how it ended."""
    return next((line for line in done.text.splitlines() if "error:" in line), f"exit code {done.code}")[:200]


def _bound():
    os.nice(15)
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST + 1))


class Header:
    """A header made before, for all jobs with one key."""

    def __init__(self, job, directory, repairs):
        self.path = directory / "wrapper.pch"
        self.order = None  # of the declarations that are read at once, if it had to be changed
        self.source = directory / "empty.hip"
        self.source.write_text("")
        made = compile_with(job.header(self.source, self.path), job.directory, self.path)
        self.seconds, self.probe_seconds, self.size = made.seconds, 0.0, len(made.out)
        self.failure = failure_of(made) if made.code else None
        self.files = made.depfile[1:]
        if repairs and not self.failure:
            self._repair(job, made.out)

    def _functions(self, job, header=None):
        done = compile_with(job.probe(self.source, header), job.directory)
        self.probe_seconds += done.seconds
        return DEFINED.findall(done.text)

    def _repair(self, job, data):
        """Puts the declarations into the order in which the compiler defines their functions without the header."""
        wanted = self._functions(job)
        spans = bitstream.eager_declarations(data)
        if len(spans) > MOST_DECLARATIONS:
            self.failure = f"{len(spans)} declarations are read at once"
            return
        for order in itertools.permutations(range(len(spans))):
            self.path.write_bytes(bitstream.permuted(data, spans, order) if spans else data)
            if self._functions(job, self.path) == wanted:
                self.order = list(order) if list(order) != sorted(order) else None
                return
        self.failure = "no order gives the compiler's"


class Laboratory:
    def __init__(self, given, directory):
        self.given, self.directory = given, directory
        self.headers = {}
        self.placeholder = directory / "placeholder.hipfb"
        self.placeholder.write_bytes(b"a placeholder of the device's code\n")
        self.results = open(given.results, "a")

    def unit(self, command):
        for job in jobs.announced(command, self.placeholder):
            row = {"project": command.project, "unit": command.unit, "compiler": pathlib.Path(command.words[0]).name,
                   "options": self.given.label, "target": job.target, **self._measured(job)}
            print(json.dumps(row), file=self.results, flush=True)

    def _header(self, job):
        key = (job.directory, job.common)
        if key not in self.headers:
            directory = self.directory / str(len(self.headers))
            directory.mkdir()
            self.headers[key] = Header(job, directory, not self.given.unrepaired)
        return self.headers[key]

    def _measured(self, job):
        reason = None if self.given.without_rules else job.excluded()
        if reason:
            return {"excluded": reason}
        output = self.directory / "out.o"
        plain = compile_with(job.plain(output), job.directory, output)
        if plain.code:
            return {"over": LONGEST} if plain.seconds > LONGEST - 1 else {"failed": failure_of(plain)}
        header = self._header(job)
        if header.failure:
            return {"failed": f"header: {header.failure}"}
        argv = job.with_header(header.path, output)
        other = compile_with(argv, job.directory, output)
        if other.seconds > LONGEST - 1:
            return {"over": LONGEST}
        times = [[plain.seconds], [other.seconds]]
        for turn in range(1, 1 if plain.seconds > ONCE else self.given.repeat):
            for which in ((1, 0) if turn % 2 else (0, 1)):
                times[which].append(compile_with(argv if which else job.plain(output), job.directory).seconds)
        return {"plain": round(median(times[0]), 3), "with": round(median(times[1]), 3), "printed": bool(plain.text),
                "size": len(plain.out), **self._compared(plain, other, header)}  # fmt: skip

    def _compared(self, plain, other, header):
        """The depfile with the header must follow from its own: the source, the header's files, then what is new."""
        named = [name for name in other.depfile if name not in (str(header.path), str(header.source))]
        expected = tuple(dict.fromkeys([*plain.depfile[:1], *header.files, *named]))
        return {"object": "equal" if plain.out == other.out else difference(plain, other, self.directory),
                "messages": plain.text == other.text, "depfile": plain.depfile == expected,
                "header": {"seconds": round(header.seconds, 3), "probe": round(header.probe_seconds, 3),
                           "bytes": header.size, "order": header.order, "number": header.path.parent.name}}  # fmt: skip


def difference(plain, other, directory):
    """In what two objects differ, as far as their symbols and sections without debug information tell."""
    if other.code:
        return f"not compiled: {failure_of(other)}"
    names, stripped = [], []
    for done in (plain, other):
        path = directory / "differs.o"
        path.write_bytes(done.out)
        told = subprocess.run(["llvm-nm", "--no-sort", "--format=just-symbols", path], capture_output=True, check=False)
        names.append(told.stdout.decode().split())
        subprocess.run(["llvm-objcopy", "--strip-debug", path], capture_output=True, check=False)
        stripped.append(path.read_bytes())
    if stripped[0] == stripped[1]:
        return "debug information"
    if sorted(names[0]) == sorted(names[1]) and names[0] != names[1]:
        return f"order of {', '.join(a for a, b in zip(*names) if a != b)}"[:300]
    return "symbols" if names[0] != names[1] else "code"


def seconds_of(rows, rule=False):
    """Processor time without the header and with it. By the rule, a job that prints with the header is run again."""
    return (sum(row["plain"] for row in rows),
            sum(row["with"] + (row["plain"] if rule and row["printed"] else 0) for row in rows))  # fmt: skip


def saving(rows, rule=False):
    plain, other = seconds_of(rows, rule)
    return f"{100 * (1 - other / plain):.1f} %" if plain else "-"


def units_of(rows):
    """The measured jobs of each unit, and apart those of units with a job that was not."""
    units, beyond = collections.defaultdict(list), set()
    for row in rows:
        key = tuple(row[word] for word in ("project", "unit", "compiler", "options"))
        if "plain" in row or "over" in row:
            units[key].append(row)
        if "over" in row:
            beyond.add(key)
    return [units[key] for key in units if key not in beyond], [units[key] for key in units if key in beyond]


def summary(units, by):
    """A table of units by some of their words, light and heavy ones apart."""
    groups = collections.defaultdict(list)
    for unit in units:
        kind = "light" if seconds_of(unit)[0] < LIGHT else "heavy"
        groups[(*(unit[0][word] for word in by), kind)].append(unit)
    cells = []
    for key, members in sorted(groups.items()):
        of_all = [row for unit in members for row in unit]
        each = sorted(1 - seconds_of(unit)[1] / seconds_of(unit)[0] for unit in members)
        cells.append((*key, len(members), len(of_all), sum(row["object"] != "equal" for row in of_all),
                      sum(not row["messages"] for row in of_all), sum(not row["depfile"] for row in of_all),
                      f"{seconds_of(of_all)[0]:.1f} s", saving(of_all), f"{100 * median(each):.1f} %",
                      f"{100 * each[0]:.1f} to {100 * each[-1]:.1f} %", saving(of_all, rule=True)))  # fmt: skip
    return reporting.table((*by, "kind", "units", "jobs", "other objects", "other messages", "other depfiles", "plain",
                            "saved", "median", "range", "saved by the rule"), cells)  # fmt: skip


def beyond_bound(units, each):
    """What units with jobs above the bound may save at most, if a job of theirs saves what others do (`each`)."""
    for project in sorted({unit[0]["project"] for unit in units}):
        rows = [row for unit in units if unit[0]["project"] == project for row in unit]
        least = sum(row.get("over") or row["plain"] for row in rows)
        yield f"{project}: {sum(unit[0]['project'] == project for unit in units)} units have jobs above the bound. " \
              f"Their {len(rows)} jobs take more than {least:.0f} s, and save {100 * each * len(rows) / least:.1f} % at most"


def summaries(rows):
    """All that is printed at the end."""
    units, beyond = units_of(rows)
    measured = [row for row in rows if "plain" in row]
    yield summary(units, ("project", "compiler", "options"))
    yield summary(units, ("compiler",))
    yield from beyond_bound(beyond, median([row["plain"] - row["with"] for row in measured]) if measured else 0)
    for reason, number in collections.Counter(row.get("excluded") or row.get("failed") for row in rows).most_common():
        if reason:
            yield f"{number} jobs: {reason}"
    for kind, number in collections.Counter(row["object"] for row in measured if row["object"] != "equal").items():
        yield f"{number} objects differ: {kind}"
    made = {(row["compiler"], row["options"], row["project"], row["header"]["number"]): row["header"]
            for row in measured}.values()  # fmt: skip
    if made:
        yield (f"{len(made)} headers: {median([h['seconds'] for h in made]):.2f} s and a probe of "
               f"{median([h['probe'] for h in made]):.2f} s, {median([h['bytes'] for h in made]) / 1e6:.1f} MB; "
               f"{sum(h['order'] is not None for h in made)} in another order")  # fmt: skip


def arguments():
    parser = tool.parser("tools/lab/preamble.py", __doc__)
    parser.add_argument("database", nargs="*", help="compile_commands.json")
    parser.add_argument("--results", default="preamble.jsonl", metavar="FILE",
                        help="where lines of JSON are added (default: %(default)s)")
    parser.add_argument("--add", default="", metavar="WORDS", help="words to add to each command, as in --add='-O0 -fgpu-rdc'")
    parser.add_argument("--compiler", metavar="PROGRAM", help="the compiler to use in place of each command's")
    parser.add_argument("--repeat", type=int, default=3, metavar="N",
                        help=f"runs of jobs under {ONCE:.0f} s; medians are reported (default: %(default)s)")
    parser.add_argument("--unrepaired", action="store_true", help="use headers as the compiler made them")
    parser.add_argument("--without-rules", action="store_true", help="use a header in jobs that a rule excludes, too")
    parser.add_argument("--summary", action="store_true", help="compile nothing: sum up the results")
    given = parser.parse_args()
    given.label = " ".join([given.add, "unrepaired" * given.unrepaired]).strip() or "own"
    return given


def main():
    given = arguments()
    if not given.summary:
        commands = [command for path in given.database for command in jobs.read(path, given.compiler, given.add.split())]
        with tool.scratch("preamble") as directory:
            laboratory = Laboratory(given, directory)
            for number, command in enumerate(commands, 1):
                tool.note(f"{number} of {len(commands)}: {command.project}, {command.unit}")
                try:
                    laboratory.unit(command)
                except Failed as failure:
                    tool.note(f"skipped: {failure}")
    for text in summaries([json.loads(line) for line in pathlib.Path(given.results).read_text().splitlines()]):
        print(text, "\n")


if __name__ == "__main__":
    tool.end_with(main, "preamble.py")
