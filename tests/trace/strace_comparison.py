#!/usr/bin/env python3
"""Holds the trace of real compiles against what the kernel saw of them, by strace.

    strace_comparison.py <libhipcache-trace.so>

Each compile runs once, under both. Every path that the kernel was given, every other source of inputs that a program
asked for and every descriptor that it read from is in the trace, or on a list here with its reason. Exit code 77: strace
cannot be used here, and the output says why.
"""

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77
KINDS = ("", "program", "library", "read", "write", "look", "list", "link", "real_path", "variable", "clock",
         "execute", "network", "unknown", "end", "machine", "date", "library_name",
         "answer", "terminal")

# Paths that libc opens by itself, for purposes that no output depends on.
EXPLAINED_PATHS = {
    "/sys/devices/system/cpu/online": "libc: the number of processors, for threads",
    "/sys/devices/system/cpu/possible": "libc: the number of processors, for threads",
    "/sys/devices/system/cpu": "libc: the number of processors, for threads",
    "/proc/sys/vm/overcommit_memory": "libc: whether freed memory is given back",
    "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size": "libc: the size of large pages",
    "/proc/self/exe": "the tracer: the program that is running, recorded by its name",
    "/etc/ld.so.cache": "the loader: asked by inputs/loader for every run",
    "/etc/ld.so.preload": "the loader: asked by inputs/loader for every run",
}

# Calls without a path that give something.
EXPLAINED_CALLS = {
    "sched_getaffinity": "the number of processors, for threads",
    "sysinfo": "the size of memory, for limits and collection of garbage",
    "getrandom": "chance: names of temporary files, seeds of tables",
    "socket": "gives nothing until it is connected",
}

CALLS = ("%file,fstatfs,uname,sysinfo,sched_getaffinity,getrandom,socket,connect,memfd_create,inotify_add_watch,openat2,"
         "name_to_handle_at,open_by_handle_at,io_uring_setup,ptrace,process_vm_readv,read,pread64")

LINE = re.compile(r"^(\d+) +(\w+)\((.*?)(?:\) += (-?\d+|\?).*| <unfinished \.\.\.>)$")
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
DESCRIPTOR = re.compile(r"^(\d+)<([^>]*)>")


def records_of(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        kind, _, _, length, _ = struct.unpack_from("<BBHIQ", data, at)
        at += 16
        yield KINDS[kind], data[at : at + length].decode(errors="surrogateescape")
        at += length


def unescaped(text):
    return text.encode("latin1", "backslashreplace").decode("unicode_escape")


def links_behind(path, directory):
    """The paths whose links realpath reads for `path`."""
    found = set()
    pending = [os.path.join(directory, path)]
    while pending:
        prefix = ""
        for part in [part for part in pending.pop().split("/") if part not in ("", ".")]:
            prefix = os.path.dirname(prefix) if part == ".." else prefix + "/" + part
            if prefix in found:
                continue
            found.add(prefix)
            if os.path.islink(prefix):
                pending.append(os.path.join(os.path.dirname(prefix), os.readlink(prefix)))
                prefix = os.path.realpath(prefix)
    return found


class Comparison:
    """One compile: what the kernel saw of it that the trace does not have."""

    def __init__(self, directory, trace, without=None):
        self.trace = trace
        # The tracer's own: what the daemon puts beside the trace for it (docs/internals/trace.md).
        self.instructions = [os.path.join(os.path.dirname(trace), name) for name in ("answers", "captured", "driver", "terminals")]
        self.records = [record for record in records_of(trace) if record[1] != without]
        self.texts = {text for _, text in self.records}
        self.kinds = {kind for kind, _ in self.records}
        self.opened = {os.path.realpath(os.path.join(directory, text)) for text in self.texts if text}
        self.links = set()
        for kind, text in self.records:
            if kind == "real_path":
                self.links |= links_behind(text, directory)
        self.loading = {}  # by process: whether the loader is still at work
        self.asks_itself = set()  # processes in which the tracer asks for the file system, and then for the kernel
        self.missing = []
        self.started = False

    def take(self, line):
        match = LINE.match(line)
        if not match:
            return
        if not self.started:
            self.started = True
            self.loading[match.group(1)] = True
            return  # strace's own start of the command
        process, call, arguments, result = match.groups()
        paths = [unescaped(text) for text in TEXT.findall(arguments)]
        if call == "fstatfs":
            self.asks_itself.add(process)
        elif call == "uname" and process in self.asks_itself:
            self.asks_itself.remove(process)
        elif call in ("read", "pread64"):
            self.take_read(process, arguments, line)
        elif call in ("execve", "execveat"):
            # The caller's record; from here on the loader searches.
            self.take_path(call, paths[0], line)
            self.loading[process] = self.loading.get(process, True) if result not in ("0", None) else True
        elif paths and paths[0] == self.trace:
            self.loading[process] = False
        elif self.loading.get(process, False):
            return  # the loader, whose search inputs/loader asks again
        elif call in ("uname",):
            if "machine" not in self.kinds:
                self.missing.append(line)
        elif call == "connect":
            if "network" not in self.kinds:
                self.missing.append(line)
        elif not paths or call in EXPLAINED_CALLS:
            if call not in EXPLAINED_CALLS and call not in ("getcwd", "fchdir", "fchmod", "fchown", "utimensat"):
                self.missing.append(line)
        elif call == "getcwd":
            if "real_path" not in self.kinds:  # realpath asks for it as well
                self.take_path(call, ".", line)
        else:
            for path in self.paths_of(call, paths):
                self.take_path(call, path, line)

    @staticmethod
    def paths_of(call, texts):
        if call in ("rename", "renameat", "renameat2", "link", "linkat"):
            return texts[:2]
        if call in ("symlink", "symlinkat"):
            return texts[1:2]
        return texts[:1]

    def take_path(self, call, path, line):
        if path in self.texts or path == "" or path == self.trace or path in self.instructions or path in EXPLAINED_PATHS:
            return
        if call in ("readlink", "readlinkat") and (path in self.links or re.fullmatch(r"/proc/self/fd/\d+", path)):
            return  # within realpath, or the name of a file that is open
        if os.path.basename(path) == "libhipcache-trace.so":
            return
        self.missing.append(line)

    def take_read(self, process, arguments, line):
        """A descriptor that is a file is one that the trace saw opened."""
        match = DESCRIPTOR.match(arguments)
        if not match or self.loading.get(process, False):
            return
        name = match.group(2)
        if name.startswith(("pipe:", "/dev/null", "/memfd:", "anon_inode:")) or name in EXPLAINED_PATHS:
            return  # between the compile's own programs; nothing; the program's own
        if os.path.realpath(name.removesuffix(" (deleted)")) not in self.opened:
            self.missing.append(line)


class Compiles:
    """A directory with sources, and the commands over them."""

    SOURCE = '#include <string>\n#include "own.h"\nstd::string one() { return OWN; }\n'
    KERNEL = "__attribute__((device)) int value;\n"

    def __init__(self, directory):
        self.directory = directory
        self.write("a.cpp", self.SOURCE)
        self.write("main.cpp", "int main() { return 0; }\n")
        self.write("own.h", '#define OWN "own"\n')
        self.write("a.s", ".globl one\none: ret\n")
        self.write("k.hip", self.KERNEL)

    def write(self, name, text):
        with open(os.path.join(self.directory, name), "w", encoding="utf-8") as file:
            file.write(text)

    def commands(self):
        for locale in ("C", "C.UTF-8"):
            yield f"g++ -O1 -g -c a.cpp -o a.o", {"LC_ALL": locale}
        yield "g++ -pipe -O1 -c a.cpp -o a.o", {}
        yield "gcc -c a.s -o s.o", {"LC_ALL": "C.UTF-8"}
        yield "as a.s -o s.o", {}
        yield "g++ main.cpp -o main", {}
        for version in ("15", "19"):
            clang = f"clang++-{version}"
            yield f"{clang} -O1 -g -MD -c a.cpp -o b.o", {}
            yield f"{clang} -fuse-ld=lld -B/usr/lib/llvm-{version}/bin main.cpp -o main", {}
            hip = (f"{clang} -x hip -nogpuinc -nogpulib -B/usr/lib/llvm-{version}/bin --offload-arch=gfx906 "
                   "--offload-arch=gfx1030 -c k.hip -o k.o")
            yield hip, {}
            yield hip + " -###", {}
        yield "hipcc --offload-arch=gfx906 -c k.hip -o k.o", {}

    def compare(self, command, variables, library):
        """The lines of strace that nothing explains; None where there is no such program."""
        arguments = command.split()
        if shutil.which(arguments[0]) is None:
            return None
        trace = os.path.join(self.directory, "trace")
        seen = os.path.join(self.directory, "strace")
        for path in (trace, seen):
            if os.path.exists(path):
                os.remove(path)
        tracer = ["strace", "-f", "-y", "-qq", "-s", "4096", "-e", "trace=" + CALLS, "-e", "signal=none", "-o", seen,
                  "-E", "LD_PRELOAD=" + library, "-E", "HIPCACHE_TRACE=" + trace]
        ended = subprocess.run(tracer + arguments, cwd=self.directory, env={**os.environ, **variables}, check=False,
                               stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if ended.returncode != 0:
            print(f"{command}: exit code {ended.returncode}\n{ended.stderr}")
            return None if arguments[0] == "hipcc" else ["the compile failed"]
        comparison = Comparison(self.directory, trace)
        if "program" not in comparison.kinds:
            return ["the trace is empty"]
        with open(seen, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
        # A record that is taken away must be missed, or the comparison proves nothing.
        if arguments[-1] != "-###" and not self.missing_in(lines, Comparison(self.directory, trace, arguments[-3])):
            return ["the comparison does not miss a record that was taken away"]
        return self.missing_in(lines, comparison)

    @staticmethod
    def missing_in(lines, comparison):
        for line in lines:
            comparison.take(line)
        return sorted(set(comparison.missing))


def reason_against():
    if shutil.which("strace") is None:
        return "strace is not installed"
    ended = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "true"], check=False, capture_output=True, text=True)
    return None if ended.returncode == 0 else "strace cannot trace here: " + ended.stderr.strip()


def main():
    library = os.path.abspath(sys.argv[1])
    if (reason := reason_against()) is not None:
        print("skipped:", reason)
        return SKIPPED
    failed = 0
    compared = 0
    with tempfile.TemporaryDirectory() as directory:
        compiles = Compiles(os.path.realpath(directory))
        for command, variables in compiles.commands():
            missing = compiles.compare(command, variables, library)
            if missing is None:
                print(f"left out: {command}")
                continue
            compared += 1
            failed += bool(missing)
            print(f"{'FAILED' if missing else 'ok'}: {command}")
            for line in missing[:40]:
                print("   ", line[:240])
    print(f"{compared} compiles compared, {failed} with something that is not in the trace")
    return 1 if failed or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
