"""Runs shellcheck on every bash script of the project.

usage: shell.py ROOT
"""

import subprocess
import sys

import tracked


def main(root):
    scripts = [str(path) for path in tracked.scripts(root, "bash")]
    if not scripts:
        return tracked.finish(["no scripts found: is this the right root?"], "shell scripts")
    return subprocess.run(["shellcheck", *scripts], cwd=root, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
