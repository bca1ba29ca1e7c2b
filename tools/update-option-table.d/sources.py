"""The definitions of clang's options as Debian's source packages have them, read by llvm-tblgen."""

import contextlib
import json
import shutil
import tarfile

from apt import Apt, mirror
from process import Failed, must, run

# The newest clangs come to Debian's unstable first.
SUITES = ("sid", "stable", "oldstable", "bookworm")
# Options.td moved in clang 22.
PLACES = ("clang/include/clang/Options", "clang/include/clang/Driver")


def tblgen():
    """The newest one that is installed."""
    found = [path for number in range(40, 13, -1) if (path := shutil.which(f"llvm-tblgen-{number}"))]
    found += filter(None, [shutil.which("llvm-tblgen")])
    if not found:
        raise Failed("llvm-tblgen is missing: apt-get install llvm-19")
    return found[0]


class Archive:
    def __init__(self, work):
        self.work = work
        self.apt = Apt(work / "apt", *(f"deb-src {mirror()} {suite} main" for suite in SUITES))
        (work / "sources").mkdir()

    def fetch(self, number):
        """The files that define clang's options, of the newest release whose archive the mirror has. apt checks its
        digest."""
        package = f"llvm-toolchain-{number}"
        table = run(["apt-cache", *self.apt.options, "madison", package]).out
        versions = dict.fromkeys(line.split("|")[1].strip() for line in table.splitlines() if line.endswith("Sources"))
        for version in versions:
            with contextlib.suppress(Failed):  # where a suite's other files are gone, and the archive is there
                self.apt.source(f"{package}={version}", self.work / "sources", "--tar-only")
            for path in sorted((self.work / "sources").glob(f"{package}_*.orig.tar.*")):
                return self._unpack(path, number)
        raise Failed(f"the mirror has no sources of {package}")

    def _unpack(self, path, number):
        target = self.work / str(number)
        with tarfile.open(path) as archive:
            for member in archive:
                name = member.name.partition("/")[2]
                wanted = name.startswith(PLACES) or name == "llvm/include/llvm/Option/OptParser.td"
                if member.isfile() and wanted and name.endswith(".td"):
                    place = target / name
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(archive.extractfile(member).read())
        release = path.name.split("_")[1].split(".orig")[0]
        path.unlink()
        return release, target


def records(tree):
    """What llvm-tblgen tells of clang's options in an unpacked source tree of LLVM."""
    for place in PLACES:
        defined = tree / place / "Options.td"
        if defined.exists():
            break
    else:
        raise Failed(f"{tree} has no clang/include/clang/Options/Options.td")
    command = [tblgen(), "--dump-json", "-I", str(tree / "llvm/include"), "-I", str(defined.parent), "-I",
               str(tree / "clang/include")]
    return json.loads(must([*command, defined]))
