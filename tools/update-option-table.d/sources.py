"""The definitions of clang's options as Debian's source packages have them, read by llvm-tblgen."""

import json
import shutil
import tarfile

from process import Failed, must, run
from tool import ROOT

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
    """apt, with lists of its own: those of the machine may know no sources."""

    def __init__(self, work):
        self.work = work
        for folder in ("lists/partial", "cache/archives/partial", "sources"):
            (work / folder).mkdir(parents=True)
        mirror = run([ROOT / "tools/shared.d/debian-mirror"]).out.strip()
        if not mirror:
            raise Failed("apt knows no mirror of Debian: run apt-get update first, or give the sources as VERSION=DIRECTORY")
        lines = [f"deb-src [check-valid-until=no] {mirror} {suite} main\n" for suite in SUITES]
        (work / "sources.list").write_text("".join(lines))
        own = {"Dir::Etc::SourceList": work / "sources.list", "Dir::Etc::SourceParts": "/dev/null",
               "Dir::State::Lists": work / "lists", "Dir::Cache": work / "cache", "APT::Sandbox::User": "root"}
        self.options = [word for name, value in own.items() for word in ("-o", f"{name}={value}")]
        run(["apt-get", *self.options, "-q", "update"])  # a suite that the mirror lacks is no failure

    def fetch(self, number):
        """The files that define clang's options, of the newest release whose archive the mirror has. apt checks its
        digest."""
        package = f"llvm-toolchain-{number}"
        table = run(["apt-cache", *self.options, "madison", package]).out
        versions = dict.fromkeys(line.split("|")[1].strip() for line in table.splitlines() if line.endswith("Sources"))
        for version in versions:
            command = ["apt-get", *self.options, "-q", "source", "--tar-only", "--download-only",
                       f"{package}={version}"]
            run(command, cwd=self.work / "sources")  # fails where a suite's other files are gone, and the archive is there
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
