"""Runs clang-tidy over the sources of src/, with the commands of a build directory of single sources.

usage: tidy.py BUILD_DIRECTORY [PATTERN of sources]

Most of clang-tidy's time goes into the headers that a source includes, and those of a folder include much the same. So sources
of a folder are read together, as in a unity build (cmake/unity_groups.py); where such a unit does not compile, they are read one
by one. The commands are g++'s; warnings are g++'s business, so clang's own are turned off here.
"""

import collections
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


def folder_of(source):
    """The folder of src/ that the source belongs to."""
    return source.relative_to(ROOT / "src").parts[0]


def batches_of(sources):
    """Lists of sources that are read together."""
    cpp = [source for source in sources if source.suffix == ".cpp"]
    return unity_groups.groups_of(cpp, MOST) + [[source] for source in sources if source.suffix != ".cpp"]


def flags_of(entry):
    words = shlex.split(entry["command"])
    flags = words[1 : words.index("-c")]
    at = flags.index("-o")
    return tuple(flag for flag in flags[:at] + flags[at + 2 :] if flag != "-Werror")


def run(source, flags, directory, checks=()):
    done = subprocess.run([*TIDY, *checks, str(source), "--", *flags], cwd=directory, text=True, capture_output=True)
    return done.returncode == 0, done.stdout + done.stderr


def tidy(batch, flags, directory, scratch):
    """The messages about the batch; none: good."""
    if len(batch) > 1:
        unit = pathlib.Path(scratch) / f"{folder_of(batch[0])}_{batch[0].stem}.cpp"
        unit.write_text("".join(f'#include "{source}"\n' for source in batch))
        good, text = run(unit, flags, directory, ["--checks=-bugprone-suspicious-include"])
        if good:
            return ""
        if "clang-diagnostic-error" not in text:
            return text
    texts = [text for good, text in (run(source, flags, directory) for source in batch) if not good]
    return "".join(texts)


def main():
    build = pathlib.Path(sys.argv[1])
    pattern = re.compile(sys.argv[2] if len(sys.argv) > 2 else SOURCE)
    groups = collections.defaultdict(dict)  # by folder and flags: the sources, once each
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if pattern.search(entry["file"]):
            source = pathlib.Path(entry["file"])
            groups[folder_of(source), flags_of(entry)][source] = entry["directory"]

    work = [
        (batch, flags, sources[batch[0]])
        for (_, flags), sources in groups.items()
        for batch in batches_of(sorted(sources))
    ]
    work.sort(key=lambda each: -len(each[0]))  # the longest first
    if not work:
        sys.exit("no sources")
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = "".join(pool.map(lambda each: tidy(*each, scratch), work))
    if found:
        print("\n".join(line for line in found.splitlines() if not re.match(r"\d+ warnings|Suppressed|Use -", line)))
        sys.exit(1)
    print(f"tidy: good, {sum(len(batch) for batch, _, _ in work)} sources in {len(work)} units")


if __name__ == "__main__":
    main()
