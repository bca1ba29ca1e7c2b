"""Checks what the tree keeps to: the length of files, their number in a folder, and no unfinished business in them.

usage: house_rules.py ROOT
"""

import collections
import pathlib
import re
import statistics
import sys

import tracked

LONGEST = 400
MEDIAN = 120  # of the lines of all sources
MOST_FILES = 25  # in a folder
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


def problems_of_tree(lengths, files):
    if statistics.median(lengths) > MEDIAN:
        yield f"half of the sources have more than {MEDIAN} lines"
    for folder, number in collections.Counter(path.parent for path in files).items():
        if number > MOST_FILES:
            yield f"{folder}: {number} files; {MOST_FILES} is the most"


def main(root):
    paths = set(tracked.files(root, *SOURCES)) | set(tracked.scripts(root, "bash")) | set(tracked.scripts(root, "python3"))
    texts = {path: (pathlib.Path(root) / path).read_text() for path in sorted(paths)}
    problems = [problem for path, text in texts.items() for problem in problems_of(path, text)]
    problems.extend(problems_of_tree([text.count("\n") for text in texts.values()], tracked.files(root)))
    return tracked.finish(problems, "house rules")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
