"""Checks who includes whom: folders as docs/internals/architecture.md allows, no cycle between rooms, files or C sources.

A room is a folder below src. A public header belongs to the room of the source of its name. A public header without one
is the contract of its folder, the lowest room.

usage: layering.py ROOT
"""

import collections
import pathlib
import re
import sys

import tracked

MAY_INCLUDE = {
    "base": [],
    "launcher": [],
    "config": ["launcher", "base"],
    "protocol": ["launcher", "base"],
    "compiler": ["base"],
    "compiler/hip": ["compiler", "base"],
    "trace": ["base"],
    "inputs": ["trace", "base"],
    "store": ["base"],
    "cache": ["inputs", "store", "base"],
    "stats": ["base"],
    "events": ["base"],
    "report": ["base", "events", "stats"],
    "remote": ["base", "config", "inputs", "protocol"],
    "daemon": ["base", "cache", "compiler", "compiler/hip", "config", "events", "inputs", "protocol", "stats", "store",
               "trace"],
    "client": ["config", "launcher", "protocol", "base"],
    "cli": ["client", "config", "events", "launcher", "protocol", "report", "stats", "trace", "base"],
}

# Library headers, by how they begin, and the rooms that may include them, with all rooms below.
LIBRARIES = {
    "rocksdb/": ["store"],
    "llvm/": ["compiler"],
    "llvm-c/blake3.h": ["base"],
    "clang/": ["compiler"],
    "curl/": ["remote/transport"],
    "hiredis/": ["remote/backends"],
    "google/protobuf/": ["remote/reapi"],
    "grpc/": ["remote/reapi"],
    "grpcpp/": ["remote/reapi"],
    "openssl/": ["remote/layout", "remote/objects", "remote/transport", "remote/trust"],
    "boost/": None,
    "nlohmann/": None,
    "toml++/": None,
    "spdlog/": None,
    "fmt/": None,
    "CLI/": None,
    "xxhash.h": None,
    "zstd": None,
}

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.MULTILINE)
# Not the functions that the preload library takes over: their names are libc's.
C_FUNCTION = re.compile(r"^(?!static\b|typedef\b|TRACE_EXPORT\b|#|/)[A-Za-z_][^;{}=\"]*?\b(\w+)\([^;{}]*\) \{$", re.MULTILINE)
C_TEXT = re.compile(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.DOTALL)


class House:
    """Where each file of src and include stands."""

    def __init__(self, root):
        self.texts = {}
        for path in tracked.files(root, ".h", ".cpp", ".c"):
            if path.parts[0] == "src" or path.parts[:2] == ("include", "hipcache"):
                self.texts[path] = (pathlib.Path(root) / path).read_text()
        self.sources = collections.defaultdict(list)
        for path in self.texts:
            if path.parts[0] == "src" and path.suffix != ".h":
                self.sources[path.stem].append(path)

    def source_of(self, header):
        """The source of a public header: the one of its name that includes it."""
        name = header.relative_to("include")
        for path in self.sources[header.stem]:
            if f'#include "{name}"' in self.texts[path]:
                return path
        return None

    def unit(self, path):
        """A source with its private header counts as one file; a public header by itself."""
        return path if path.parts[0] == "include" else path.with_suffix("")

    def room(self, path):
        """The folder below src, or the contract below include."""
        source = self.source_of(path) if path.parts[0] == "include" else path
        return str(source.parent.relative_to("src")) if source else f"contract of {path.parent.relative_to('include/hipcache')}"

    def includes(self):
        """Pairs of an including file and the file of the project that it includes."""
        for path, text in self.texts.items():
            for _, name in INCLUDE.findall(text):
                other = pathlib.Path("include" if name.startswith("hipcache/") else "src") / name
                if other in self.texts:
                    yield path, other

    def calls(self):
        """Pairs of a C source and the C source of the same folder that defines a function it names."""
        texts = {path: C_TEXT.sub("", text) for path, text in self.texts.items() if path.suffix == ".c"}
        owners = {(path.parent, name): path for path, text in texts.items() for name in C_FUNCTION.findall(text)}
        for path, text in texts.items():
            for name in set(re.findall(r"\b\w+\b", text)):
                owner = owners.get((path.parent, name), path)
                if owner != path:
                    yield path, owner


def folder_of(path):
    """The longest folder of the table that holds the path, which is below src or include/hipcache; else its first."""
    parts = path.parts[1:] if path.parts[0] == "src" else path.parts[2:]
    names = ["/".join(parts[:length]) for length in range(len(parts) - 1, 0, -1)]
    return next((name for name in names if name in MAY_INCLUDE), parts[0])


def library_problems(path, folder, name):
    if name.endswith(".pb.h") and folder != "protocol" and not str(path).startswith("src/remote/reapi/"):
        yield f"{path}: only protocol and remote/reapi may include {name}"
    for prefix, allowed in LIBRARIES.items():
        if not name.startswith(prefix):
            continue
        if path.parts[0] == "include":
            yield f"{path}: public headers include no library's header, but this one includes {name}"
        elif allowed is not None and not any(str(path).startswith(f"src/{room}/") for room in allowed):
            yield f"{path}: only {' and '.join(allowed)} may include {name}"


def cycles(pairs):
    """For each set of nodes that reach each other, a shortest way round."""
    edges = collections.defaultdict(set)
    for one, other in pairs:
        if one != other:
            edges[one].add(other)

    def way_back(start):
        ways = collections.deque([[start]])
        seen = set()
        while ways:
            way = ways.popleft()
            for following in sorted(edges[way[-1]]) if way[-1] in edges else []:
                if following == start:
                    return way
                if following not in seen:
                    seen.add(following)
                    ways.append([*way, following])
        return None

    found = {}
    for start in sorted(edges):
        way = way_back(start)
        if way:
            found.setdefault(frozenset(way), way)
    return list(found.values())


def main(root):
    problems = []
    house = House(root)
    for path, text in house.texts.items():
        folder = folder_of(path)
        if folder not in MAY_INCLUDE:
            problems.append(f"{path}: the folder {folder} is not in the layering table")
            continue
        for _, name in INCLUDE.findall(text):
            problems.extend(library_problems(path, folder, name))
    includes = list(house.includes())
    for path, other in includes:
        if folder_of(other) != folder_of(path) and folder_of(other) not in MAY_INCLUDE.get(folder_of(path), []):
            problems.append(f"{path}: {folder_of(path)} may not include {other}")
    kinds = {
        "folders": [(folder_of(one), folder_of(other)) for one, other in includes],
        "rooms": [(house.room(one), house.room(other)) for one, other in includes],
        "files": [(str(house.unit(one)), str(house.unit(other))) for one, other in includes],
        "C sources": [(str(one), str(other)) for one, other in house.calls()],
    }
    for kind, pairs in kinds.items():
        if not pairs:
            problems.append(f"no {kind} found: is this the right root?")
        problems.extend(f"cycle of {kind}: " + " -> ".join([*cycle, cycle[0]]) for cycle in cycles(pairs))
    return tracked.finish(problems, "layering")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
