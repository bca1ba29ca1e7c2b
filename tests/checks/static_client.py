"""Checks that programs link nothing at run time: no interpreter, no needed library.

usage: static_client.py PROGRAM...
"""

import subprocess
import sys

import tracked


def problems_of(program):
    headers = subprocess.run(["readelf", "-lW", program], capture_output=True, text=True, check=True).stdout
    dynamic = subprocess.run(["readelf", "-dW", program], capture_output=True, text=True, check=True).stdout
    problems = []
    if "LOAD" not in headers:
        problems.append(f"{program} is no program")
    if "INTERP" in headers:
        problems.append(f"{program} wants a dynamic loader")
    problems += [f"{program}: {line.strip()}" for line in dynamic.splitlines() if "(NEEDED)" in line]
    return problems


def main(programs):
    return tracked.finish([problem for program in programs for problem in problems_of(program)], "static client")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
