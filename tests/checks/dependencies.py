"""Checks that docs/dependencies.md gives a reason for each package of tools/packages.txt, and for no other.

usage: dependencies.py ROOT
"""

import pathlib
import re
import sys

import tracked


def main(root):
    root = pathlib.Path(root)
    lines = (line.split("#")[0].strip() for line in (root / "tools/packages.txt").read_text().splitlines())
    installed = {package.split("(")[0].strip() for line in lines if line for package in line.split("|")}
    explained = set()
    for row in re.findall(r"^\| (`[^|]*`) \|", (root / "docs/dependencies.md").read_text(), re.MULTILINE):
        explained.update(re.findall(r"`([^`]+)`", row))
    problems = [f"docs/dependencies.md does not explain {package}" for package in sorted(installed - explained)]
    problems += [f"tools/packages.txt does not install {package}" for package in sorted(explained - installed)]
    return tracked.finish(problems, "dependencies")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
