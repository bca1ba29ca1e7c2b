"""Runs clang-tidy over the sources of src/, with the commands of a build directory of single sources.

usage: tidy.py BUILD_DIRECTORY [PATTERN of sources]

Most of clang-tidy's time goes into the headers that a source includes, and sources include much the same. So they are read
together, as in a unity build (cmake/unity_groups.py), with the macros and include directories of all; where such a unit does not
compile, they are read one by one. The commands are g++'s; warnings are g++'s business, so clang's own are turned off here.

Beside a main branch, only what differs from it is read, and what includes that; with TIDY=all in the environment, everything.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cmake"))
import unity_groups

SOURCE = r"/src/([a-z_]+/)+[a-z_0-9]+\.(cpp|c)$"
# A unit lies where no configuration is found.
TIDY = ["clang-tidy-19", "-quiet", "-extra-arg=-Wno-everything", f"--config-file={ROOT / '.clang-tidy'}"]
MOST = 12  # sources in a unit


def git(*words):
    """The lines that git prints; none if it fails."""
    return subprocess.run(["git", *words], cwd=ROOT, text=True, capture_output=True).stdout.splitlines()


def changed():
    """The files that differ from the main branch, or None where there is none, or this is it, or the rules differ."""
    base = git("merge-base", "HEAD", "origin/main")
    if not base or base == git("rev-parse", "HEAD") or os.environ.get("TIDY") == "all":
        return None
    paths = {ROOT / name for name in git("diff", "--name-only", base[0])}
    return None if paths & {ROOT / ".clang-tidy", pathlib.Path(__file__).resolve()} else paths


def batches_of(sources):
    """Lists of sources that are read together."""
    cpp = [source for source in sources if source.suffix == ".cpp"]
    return unity_groups.groups_of(cpp, MOST) + [[source] for source in sources if source.suffix != ".cpp"]


def flags_of(entry):
    """Each in one word."""
    words = shlex.split(entry["command"].replace("-isystem ", "-isystem"))
    flags = words[1 : words.index("-c")]
    at = flags.index("-o")
    return tuple(flag for flag in flags[:at] + flags[at + 2 :] if flag != "-Werror")


def run(source, flags, directory, checks=()):
    done = subprocess.run([*TIDY, *checks, str(source), "--", *flags], cwd=directory, text=True, capture_output=True)
    return done.returncode == 0, done.stdout + done.stderr


def tidy(batch, number, flags, directory, scratch):
    """The messages about the batch; none: good. `flags`: of each source."""
    if len(batch) > 1:
        unit = pathlib.Path(scratch) / f"unit_{number}.cpp"
        unit.write_text("".join(f'#include "{source}"\n' for source in batch))
        of_all = dict.fromkeys(flag for source in batch for flag in flags[source])
        good, text = run(unit, of_all, directory, ["--checks=-bugprone-suspicious-include"])
        if good:
            return ""
        if "clang-diagnostic-error" not in text:
            return text
    texts = [text for good, text in (run(source, flags[source], directory) for source in batch) if not good]
    return "".join(texts)


def main():
    build = pathlib.Path(sys.argv[1])
    pattern = re.compile(sys.argv[2] if len(sys.argv) > 2 else SOURCE)
    flags = {}  # of each source, once
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if pattern.search(entry["file"]):
            flags[pathlib.Path(entry["file"])] = flags_of(entry)

    if not flags:
        sys.exit("no sources")
    if len(sys.argv) == 2 and (paths := changed()) is not None:
        flags = {source: its for source, its in flags.items() if paths & {source, *unity_groups.headers_of(source)}}
        if not flags:
            print("tidy: good, nothing differs from the main branch")
            return
    work = sorted(batches_of(sorted(flags)), key=len, reverse=True)  # the longest first
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = "".join(pool.map(lambda each: tidy(each[1], each[0], flags, build, scratch), enumerate(work)))
    if found:
        print("\n".join(line for line in found.splitlines() if not re.match(r"\d+ warnings|Suppressed|Use -", line)))
        sys.exit(1)
    print(f"tidy: good, {len(flags)} sources in {len(work)} units")


if __name__ == "__main__":
    main()
