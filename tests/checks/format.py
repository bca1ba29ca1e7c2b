"""Checks that every source is formatted as .clang-format says; prints the command that mends it.

usage: format.py ROOT
"""

import subprocess
import sys

import tracked

FORMATTER = "clang-format-19"


def main(root):
    paths = [str(path) for path in tracked.files(root, ".h", ".cpp", ".c", ".hip") if path.parts[:2] != ("fixtures", "plans")]
    result = subprocess.run(
        [FORMATTER, "--dry-run", "--Werror", "-ferror-limit=1", *paths], cwd=root, capture_output=True, text=True, check=False
    )
    wrong = sorted({line.split(":")[0] for line in result.stderr.splitlines() if "clang-format-violations" in line})
    if result.returncode != 0 and not wrong:
        wrong = [result.stderr.strip()]
    return tracked.finish([f"{FORMATTER} -i {path}" for path in wrong], "format")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
