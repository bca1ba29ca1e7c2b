"""Runs clang-tidy over the sources of src/, with the commands of a build directory.

usage: tidy.py BUILD_DIRECTORY [PATTERN of sources]

Most of clang-tidy's time goes into the headers that a source includes, and those of a folder include much the same. So sources
of a folder are read together, as one unit that includes them, as far as they have no names of their own in common; where such
a unit does not compile, they are read one by one. The commands are g++'s; warnings are g++'s business, so clang's own are
turned off here.
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

SOURCE = r"/src/[a-z]+/[a-z_0-9]+\.(cpp|c)$"
# A unit lies where no configuration is found.
CONFIGURATION = pathlib.Path(__file__).resolve().parents[2] / ".clang-tidy"
TIDY = ["clang-tidy-19", "-quiet", "-extra-arg=-Wno-everything", f"--config-file={CONFIGURATION}"]
OPENS, CLOSES = "namespace {", "}  // namespace"
# What a line without indentation declares, roughly: too much costs a unit, too little a second reading.
DECLARATION = re.compile(
    r"(?:template\s*<[^>]*>\s*)?(?:(?:class|struct|enum class|enum|using|namespace)\s+(\w+)|[\w:<>,&*\s\[\]]+?[\s&*](\w+)\s*[(={\[;])")


def declared(lines):
    """The names that lines without indentation declare, less that of the file system's namespace, which all give alike."""
    matches = (DECLARATION.match(line) for line in lines if line[:1].isalpha())
    return {match.group(1) or match.group(2) for match in matches if match} - {"fs", "hipcache"}


def own_names(source):
    """Those of a source's unnamed namespaces."""
    inside, lines = False, []
    for line in source.read_text().splitlines():
        inside = line.startswith(OPENS) or (inside and not line.startswith(CLOSES))
        if inside:
            lines.append(line)
    return declared(lines)


def public_names(folder):
    """Those of the folder's headers."""
    headers = [*folder.glob("*.h"), *(folder.parents[1] / "include/hipcache" / folder.name).glob("*.h")]
    return set().union(*(declared(header.read_text().splitlines()) for header in headers))


def batches_of(folder, sources):
    """Lists of sources of one folder that have no name of their own twice; one that hides a public name is alone."""
    public = public_names(folder)
    batches, alone = [], []
    for source in sources:
        names = own_names(source)
        if source.suffix == ".c" or names & public:
            alone.append([source])
            continue
        for taken, batch in batches:
            if not names & taken:
                taken |= names
                batch.append(source)
                break
        else:
            batches.append((names, [source]))
    return [batch for _, batch in batches] + alone


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
        unit = pathlib.Path(scratch) / f"{batch[0].parent.name}_{batch[0].stem}.cpp"
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
            groups[source.parent, flags_of(entry)][source] = entry["directory"]

    work = [
        (batch, flags, sources[batch[0]])
        for (folder, flags), sources in groups.items()
        for batch in batches_of(folder, sorted(sources))
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
