"""Checks that folders include only what docs/architecture.md allows, that there is no cycle, and where libraries appear.

usage: layering.py ROOT
"""

import collections
import pathlib
import re
import sys

import tracked

MAY_INCLUDE = {
    "base": [],
    "config": ["base"],
    "protocol": ["base"],
    "launch": ["protocol"],
    "command": ["base"],
    "plan": ["command", "base"],
    "trace": ["base"],
    "inputs": ["trace", "base"],
    "store": ["base"],
    "action": ["inputs", "store", "base"],
    "remote": ["store", "base"],
    "stats": ["base"],
    "daemon": ["action", "base", "command", "config", "inputs", "plan", "protocol", "remote", "stats", "store", "trace"],
    "client": ["config", "launch", "protocol", "base"],
    "cli": ["client", "config", "launch", "protocol", "stats", "base"],
}

# Library headers, by how they begin, and the folders that may include them.
LIBRARIES = {
    "rocksdb/": ["store"],
    "llvm/": ["command", "plan"],
    "clang/": ["command", "plan"],
    "google/protobuf/": ["protocol"],
    "curl/": ["remote"],
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


def folder_of(path):
    parts = path.parts
    if parts[0] == "src":
        return parts[1]
    if parts[:2] == ("include", "hipcache"):
        return parts[2]
    return None


def included_folder(name):
    parts = name.split("/")
    if parts[0] == "hipcache" and len(parts) > 2:
        return parts[1]
    return parts[0] if parts[0] in MAY_INCLUDE else None


def library_problems(path, folder, name):
    if name.endswith(".pb.h") and folder != "protocol":
        yield f"{path}: only protocol may include {name}"
    for prefix, allowed in LIBRARIES.items():
        if not name.startswith(prefix):
            continue
        if path.parts[0] == "include":
            yield f"{path}: public headers include no library's header, but this one includes {name}"
        elif allowed is not None and folder not in allowed:
            yield f"{path}: only {' and '.join(allowed)} may include {name}"


def cycles(edges):
    """Each cycle once, as a list of folders."""
    found = []

    def visit(folder, trail):
        if folder in trail:
            cycle = trail[trail.index(folder):]
            if folder == min(cycle):
                found.append(cycle)
            return
        for following in sorted(edges[folder]):
            visit(following, trail + [folder])

    for start in sorted(list(edges)):
        visit(start, [])
    return found


def main(root):
    problems = []
    edges = collections.defaultdict(set)
    for path in tracked.files(root, ".h", ".cpp", ".c"):
        folder = folder_of(path)
        if folder is None:
            continue
        if folder not in MAY_INCLUDE:
            problems.append(f"{path}: the folder {folder} is not in the layering table")
            continue
        text = (pathlib.Path(root) / path).read_text()
        for _, name in INCLUDE.findall(text):
            problems.extend(library_problems(path, folder, name))
            other = included_folder(name)
            if other is None or other == folder:
                continue
            edges[folder].add(other)
            if other not in MAY_INCLUDE[folder]:
                problems.append(f"{path}: {folder} may not include {name}")
    problems.extend("cycle: " + " -> ".join(cycle + cycle[:1]) for cycle in {tuple(c): c for c in cycles(edges)}.values())
    if not edges:
        problems.append("no includes found: is this the right root?")
    return tracked.finish(problems, "layering")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
