"""Checks what every source file keeps to: its length, and no unfinished business left in it.

usage: house_rules.py ROOT
"""

import pathlib
import re
import sys

import tracked

LONGEST = 500
SOURCES = (".h", ".cpp", ".c", ".hip", ".proto", ".py", ".cmake", "CMakeLists.txt")
# Split, so that this file keeps its own rule.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|NO" r"LINT|DISABLED" r"_(?=\w))(?![A-Z])")


def problems_of(path, text):
    lines = text.splitlines()
    if len(lines) > LONGEST:
        yield f"{path}: {len(lines)} lines; {LONGEST} is the most"
    for number, line in enumerate(lines, 1):
        found = UNFINISHED.search(line)
        if found:
            yield f"{path}:{number}: {found.group(1)}"


def main(root):
    paths = set(tracked.files(root, *SOURCES)) | set(tracked.scripts(root, "bash")) | set(tracked.scripts(root, "python3"))
    problems = [problem for path in sorted(paths) for problem in problems_of(path, (pathlib.Path(root) / path).read_text())]
    return tracked.finish(problems, "house rules")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
