"""The cc1 jobs of HIP compiles, as the driver announces them, and what a job needs to run with a header made before."""

import dataclasses
import json
import pathlib
import re
import shlex

from process import Failed, run

WRAPPER = "__clang_hip_runtime_wrapper.h"
CUID = "-cuid=5ca1ab1e5ca1ab1e"
# Words of cc1 that name something of one unit; the next word is the name.
OF_A_UNIT = ("-o", "-main-file-name", "-dependency-file", "-MT", "-fcuda-include-gpubinary")
OF_A_DEPFILE = ("-sys-header-deps", "-MP", "-MG", "-MV")  # each job gets a depfile that names all
EMITS = ("-emit-obj", "-emit-llvm-bc", "-emit-llvm", "-S")
# What a header made before is not used with. Each pattern is searched for in the words of cc1.
EXCLUDED = {
    "debug information": r"^-debug-info-kind=(?!line)|^-debug-info-macro$",
    "coverage or profile": r"^-f(coverage-mapping|profile-instr)|^-coverage-|^-fprofile",
    "no object": r"^(-E|-M|-MM|-fsyntax-only|-emit-pch|-emit-ast|-emit-header-unit)$",
    "own precompiled header or modules": r"^-include-pch$|^-include-pth$|^-fmodules$|^-fmodule-file",
}


@dataclasses.dataclass(frozen=True)
class Command:
    """One entry of a compile database. `project`: a word of our own in it, else the directory."""

    project: str
    directory: str
    words: tuple
    unit: str


@dataclasses.dataclass(frozen=True)
class Job:
    """A cc1 job. Its words lack what names the unit's own files."""

    target: str  # the processor or target id, or "host"
    directory: str
    words: tuple
    source: str
    main_file: str

    @property
    def common(self):
        """The words for a header of this job. The user's `-I` are left out, so that units of a project share headers. If
        one of these directories hid a file of the wrapper's text, the depfiles would differ."""
        own = {at + step for at, word in enumerate(self.words) if word == "-I" for step in (0, 1)}
        return tuple(word for at, word in enumerate(self.words) if at not in own)

    def plain(self, output):
        return self._argv(self.words, output)

    def with_header(self, header, output):
        at = self.words.index("-include")
        return self._argv((*self.words[:at], "-include-pch", str(header), *self.words[at + 2:]), output)

    def header(self, source, output):
        """Makes the header of a source without a line: the words include the wrapper."""
        return self._of(source, "-emit-pch", "-fno-pch-timestamp").plain(output)

    def probe(self, source, header=None):
        """Prints a source before optimisation, which shows the order of the functions that the header defines."""
        job = self._of(source, "-emit-llvm", "-disable-llvm-passes")
        return job.with_header(header, "-") if header else job.plain("-")

    def _of(self, source, emits, option):
        words = [emits if word in EMITS else word for word in self.common]
        return dataclasses.replace(self, words=(*words, option), source=str(source), main_file=source.name)

    def _argv(self, words, output):
        depfile = ("-sys-header-deps", "-dependency-file", f"{output}.d", "-MT", "x") if output != "-" else ()
        return [*words, *depfile, "-main-file-name", self.main_file, "-o", str(output), "-x", "hip", self.source]

    def excluded(self):
        """Why this job gets no header; None if it gets one."""
        includes = [self.words[at + 1] for at, word in enumerate(self.words) if word in ("-include", "-imacros")]
        if includes[:1] != [WRAPPER]:
            return "wrapper not first"
        for reason, pattern in EXCLUDED.items():
            if any(re.search(pattern, word) for word in self.words):
                return reason
        return None


def read(path, clang=None, added=()):
    """The compiles of a compile database, by the compiler `clang` if it is given, and with added words."""
    for entry in json.loads(pathlib.Path(path).read_text()):
        first, *words = entry.get("arguments") or shlex.split(entry["command"])
        yield Command(entry.get("project", entry["directory"]), entry["directory"], (clang or first, *words, *added),
                      entry["file"])  # fmt: skip


def announced(command, placeholder):
    """The cc1 jobs of a compile. Raises Failed with the driver's message."""
    ended = run([*command.words, CUID, "-###"], cwd=command.directory, seconds=60)
    lines = [line for line in ended.err.splitlines() if line.startswith(' "')]
    if ended.code or not lines or " error: " in ended.err:
        raise Failed(next((line for line in ended.err.splitlines() if "error" in line), "no jobs"))
    argvs = [shlex.split(line) for line in lines]
    return [_job(argv, command.directory, placeholder) for argv in argvs if argv[1:2] == ["-cc1"] and "hip" in argv]


def _job(argv, directory, placeholder):
    if argv[-3:-1] != ["-x", "hip"]:
        raise Failed("the source is not the last word")
    words, taken, rest = [], {}, iter(argv[:-3])
    for word in rest:
        if word in OF_A_UNIT:
            taken[word] = next(rest)
        elif word not in OF_A_DEPFILE:
            words.append(word)
    if "-fcuda-include-gpubinary" in taken:
        words += ["-fcuda-include-gpubinary", str(placeholder)]
    target = _target(words) if "-fcuda-is-device" in words else "host"
    return Job(target, directory, tuple(words), argv[-1], taken["-main-file-name"])


def _target(words):
    features = [words[at + 1] for at, word in enumerate(words) if word == "-target-feature"]
    ids = [name[1:] + name[0] for name in features if name[1:] in ("xnack", "sramecc")]
    return ":".join([words[words.index("-target-cpu") + 1], *ids])
