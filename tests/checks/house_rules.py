"""Checks what the tree keeps to: files that one can read, and no unfinished business in them.

usage: house_rules.py ROOT
"""

import pathlib
import re
import sys

import tracked

# A cap and no aim: a file is one concept, however long that is.
LONGEST = 1200
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
    texts = {path: (pathlib.Path(root) / path).read_text() for path in sorted(paths)}
    problems = [problem for path, text in texts.items() for problem in problems_of(path, text)]
    return tracked.finish(problems, "house rules")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
