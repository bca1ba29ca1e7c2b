"""The compilers' own test suites: fetched from Debian's source packages, and read as files with commands."""

import dataclasses
import os
import pathlib
import platform
import re
import shlex
import shutil
import zlib

from apt import Apt
from process import Failed, must, run
from tool import CLANGS, note, scratch

PLACE = pathlib.Path(os.environ.get("HIPCACHE_CORPUS") or "~/.cache/hipcache-corpus").expanduser()
OF_CLANG = ("Lexer", "Preprocessor", "Parser", "Sema", "SemaCXX", "SemaHIP", "SemaCUDA", "CodeGen", "CodeGenCXX",
            "CodeGenCUDA", "CodeGenHIP", "CXX", "Driver")
OF_GCC = ("gcc.dg", "gcc.dg/cpp", "c-c++-common", "c-c++-common/cpp", "g++.dg", "g++.dg/cpp", "g++.dg/lex",
          "g++.dg/warn")
LONGEST = 65536  # bytes of a file; longer ones are tables of intrinsics

SOURCE = re.compile(r"\.(c|cc|cpp|C|cu|hip)$")
AS_HIP = ("-x", "hip"), ("--offload-arch=gfx906",), ("-nogpuinc",), ("-nogpulib",), ("-cuid=5ca1ab1e",)
INCLUDED = re.compile(r'^[ \t]*#[ \t]*(?:include|include_next|import|embed)[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
RUN_LINE = re.compile(r"RUN:((?:[^\n]*\\\n.*?RUN:)*[^\n]*)")
DG_OPTIONS = re.compile(r'\{\s*dg-(options|additional-options)\s+"([^"]*)"\s*\}')
# Which options of a test are of a compile to an object, in the spelling of the driver.
KEPT = re.compile(r"-[DUIWOfmgwx]|--?(std|pedantic|trigraphs|ansi|nostd|target|include|isystem|iquote|idirafter|imacros)")
DROPPED = re.compile(r"-fsyntax-only|-fcuda-is-device|-ftest-module|-fdiagnostics-parse|-finclude-default|-main-file|"
                     r"-mllvm$|-fopenmp-is")
WITH_VALUE = ("-D", "-U", "-I", "-x", "--param", "-include", "-isystem", "-iquote", "-idirafter", "-imacros")
OF_FRONTEND = ("-target-cpu", "-target-feature", "-target-abi")


@dataclasses.dataclass(frozen=True)
class Suite:
    compiler: str  # "clang-19", "gcc-12"
    package: str

    @property
    def directory(self):
        return PLACE / self.package

    @property
    def is_clang(self):
        return self.compiler.startswith("clang")

    def fetch(self):
        """Unpacks what is needed of the source package, unless it is here already."""
        if self.directory.exists():
            return
        note(f"fetching the sources of {self.package}")
        PLACE.mkdir(parents=True, exist_ok=True)
        with scratch("corpus") as place:
            release = platform.freedesktop_os_release()["VERSION_CODENAME"]
            debian = "deb-src http://deb.debian.org/debian"
            lines = [f"{debian}{end} main" for end in (f" {release}", f" {release}-updates",
                                                       f"-security {release}-security")]
            Apt(place / "apt", *lines).source(self.package, place)
            archive = next(place.glob("*.orig.tar.*"))
            made = pathlib.Path(f"{self.directory}.{os.getpid()}")
            made.mkdir()
            if self.is_clang:
                names = [f"*/clang/test/{name}/*" for name in OF_CLANG]
            else:  # the archive of gcc's sources lies in Debian's
                listed = must(["tar", "tf", archive]).split()
                inner = next(name for name in listed if re.search(r"/gcc-[^/]*\.tar", name))
                must(["tar", "xf", archive, "-C", place, "--strip-components=1", inner])
                archive = place / pathlib.Path(inner).name
                names = [f"*/gcc/testsuite/{name}/*" for name in OF_GCC]
            # Not every version has each directory.
            run(["tar", "xf", archive, "-C", made, "--strip-components=3", "--wildcards", *names])
            if not any(made.iterdir()):
                raise Failed(f"{archive.name} has no test suite")
            made.rename(self.directory)

    def files(self):
        """The sources, by their paths below the suite."""
        found = []
        for name in OF_CLANG if self.is_clang else OF_GCC:
            for path in sorted((self.directory / name).glob("**/*" if self.is_clang else "*")):
                below = path.relative_to(self.directory)
                if SOURCE.search(path.name) and "Inputs" not in below.parts and "RISCV" not in below.parts:
                    if path.is_file() and path.stat().st_size <= LONGEST:
                        found.append(str(below))
        return found

    def unit(self, name):
        """The file with what it includes, and the command that its test suggests; None if there is none."""
        path = self.directory / name
        text = path.read_text(encoding="latin-1")
        if "-fmodules" in text or "%clang_cl" in text:
            return None
        words = _words_of_clang(text) if self.is_clang else _words_of_gcc(name, text)
        groups = _groups(words)
        is_cxx = not name.endswith(".c") or (name.startswith("c-c++") and _in_share(name, 3))
        if self.is_clang:
            program = self.compiler.replace("clang", "clang++") if is_cxx else self.compiler
            is_hip = name.endswith((".cu", ".hip")) or ("-x", "cuda") in groups or ("-x", "hip") in groups
            plain_cxx = is_cxx and not any(group[0].startswith("--target") for group in groups)
            if is_hip or (plain_cxx and _in_share(name, 6)):
                groups = [group for group in groups if group[0] != "-x" and not group[0].startswith("--target")]
                groups = [*AS_HIP, *groups]
        else:
            program = self.compiler.replace("gcc", "g++") if is_cxx else self.compiler
        places = [group[-1].removeprefix("-I") for group in groups if group[0].startswith(("-I", "-i"))]
        return Unit(program, path.name, _closure(path, text, places), groups)


@dataclasses.dataclass(frozen=True)
class Unit:
    program: str
    source: str
    files: dict  # by name below the source's directory: text
    groups: list  # options, each with its value


def installed(wanted):
    """The suites of the compilers that are here; of one of them if it is wanted."""
    suites = [Suite(f"clang-{version}", f"llvm-toolchain-{version}") for version in CLANGS
              if shutil.which(f"clang-{version}")]
    if shutil.which("gcc"):
        gcc = f"gcc-{must(['gcc', '-dumpversion']).split('.')[0].strip()}"
        suites += [Suite(gcc, gcc)] if shutil.which(gcc) else []
    return [suite for suite in suites if wanted in ("all", suite.compiler, *suite.compiler.split("-"))]


def _in_share(name, of):
    return zlib.crc32(name.encode()) % of == 0


def _closure(path, text, places):
    """The file and those that it includes from its suite, by name."""
    files, waiting = {path.name: text}, [(path.name, text)]
    while waiting:
        name, text = waiting.pop()
        for included in INCLUDED.findall(text):
            for place in (os.path.dirname(name), *places):
                below = os.path.normpath(os.path.join(place, included))
                found = path.parent / below
                if not below.startswith(("..", "/")) and below not in files and found.is_file():
                    files[below] = found.read_text(encoding="latin-1")
                    waiting.append((below, files[below]))
    return files


def _words_of_clang(text):
    """The options of the first RUN line that names the compiler."""
    for line in RUN_LINE.findall(text):
        line = re.sub(r"\\\n.*?RUN:", " ", line)
        for part in re.split(r"[|;<>]|&&", line):
            found = re.search(r"%clang(xx|_cc1)?\s(.*)", part)
            if found:
                try:
                    return shlex.split(found.group(2))
                except ValueError:
                    return found.group(2).split()
    return []


def _words_of_gcc(name, text):
    found = {}
    for kind, words in DG_OPTIONS.findall(text):
        found.setdefault(kind, words)
    usual = "-pedantic-errors -Wno-long-long" if name.startswith("g++") else "-ansi -pedantic-errors"
    return f"{found.get('options', usual)} {found.get('additional-options', '')}".split()


def _groups(words):
    """The options that reach a compile to an object, in the driver's spelling, each with its value."""
    groups, words = [], list(words)
    while words:
        word = words.pop(0).replace("%S", ".").removeprefix("./")
        if word in ("-triple", "-target") and words:
            word = f"--target={words.pop(0)}"
        elif word.startswith("-triple="):
            word = f"--target={word.partition('=')[2]}"
        elif word in OF_FRONTEND and words:
            groups.append(("-Xclang", word, "-Xclang", words.pop(0)))
            continue
        elif word in WITH_VALUE and words:
            value = words.pop(0).replace("%S/", "").replace("%S", ".")
            groups += [(word, value)] if "%" not in value else []
            continue
        if KEPT.match(word) and not DROPPED.match(word) and "%" not in word:
            groups.append((word,))
    return groups
