"""Checks that objects, libraries and programs hold device code for exactly the given architectures.

usage: code_objects.py --clang VERSION --archs gfx906,gfx1030 FILE...

For each offload bundle in the section .hip_fatbin: the bundler's list is the host and the architectures, and what it
takes out for an architecture is an AMDGPU program for that architecture, which llvm-readelf says from its header.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import tracked

# Of one version for all: older ones do not name the flags of newer ABI versions.
READELF = "llvm-readelf-19"
MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class Toolchain:
    """The tools of one version of LLVM."""

    def __init__(self, version):
        self.bundler = f"clang-offload-bundler-{version}"
        self.objcopy = f"llvm-objcopy-{version}"

    def bundles(self, file, directory):
        """The offload bundles of a file, each written to a file of its own."""
        section = directory / "section"
        section.unlink(missing_ok=True)
        # Not checked: objcopy fails where there is no such section, and then there are no bundles.
        subprocess.run(
            [self.objcopy, f"--dump-section=.hip_fatbin={section}", file, "/dev/null"], capture_output=True, check=False
        )
        content = section.read_bytes() if section.exists() else b""
        starts = [at for at in range(0, len(content), 4096) if content.startswith(MAGIC, at)]
        for number, (start, end) in enumerate(zip(starts, starts[1:] + [len(content)])):
            path = directory / f"bundle{number}"
            path.write_bytes(content[start:end])
            yield path

    def targets(self, bundle):
        return output_of(self.bundler, "--list", "--type=o", f"--input={bundle}").split()

    def machine(self, bundle, target):
        """What the code object's own header says that it is for: the machine, and the flags by name."""
        code = bundle.with_suffix(".elf")
        output_of(
            self.bundler, "--unbundle", "--type=o", f"--targets={target}", f"--input={bundle}", f"--output={code}"
        )
        header = dict(line.strip().split(":", 1) for line in output_of(READELF, "-h", str(code)).splitlines() if ":" in line)
        return header["Machine"].strip(), [flag.strip() for flag in header["Flags"].split(",")]


def problems_of(tools, file, archs, directory):
    bundles = list(tools.bundles(file, directory))
    if not bundles:
        yield f"{file}: no device code"
    for bundle in bundles:
        targets = [target for target in tools.targets(bundle) if not target.startswith("host-")]
        found = sorted(target.rpartition("-")[2] for target in targets)
        if found != sorted(archs):
            yield f"{file}: has {found}, not {sorted(archs)}"
            continue
        for target in targets:
            arch = target.rpartition("-")[2]
            machine, flags = tools.machine(bundle, target)
            if machine != "EM_AMDGPU" or arch not in flags:
                yield f"{file}: the code object of {arch} says {machine} and {flags}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clang", required=True)
    parser.add_argument("--archs", required=True)
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    tools = Toolchain(arguments.clang)
    problems = []
    for file in arguments.files:
        with tempfile.TemporaryDirectory() as directory:
            problems += problems_of(tools, file, arguments.archs.split(","), pathlib.Path(directory))
    return tracked.finish(problems, f"code objects of {len(arguments.files)} files")


if __name__ == "__main__":
    sys.exit(main())
