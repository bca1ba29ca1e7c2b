"""apt with sources, lists and packages of its own; keys and proxy are the machine's. It installs nothing.

usage: apt.py PACKAGE DIRECTORY    puts the sources of a package of this machine's Debian into DIRECTORY
"""

import pathlib
import platform
import sys

from process import Failed, must, run

KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


def mirror():
    """The mirror that this machine takes Debian itself from, by what apt has downloaded of it."""
    form = "$(REPO_URI) $(ORIGIN) $(LABEL) $(COMPONENT)"
    for line in must(["apt-get", "indextargets", "--format", form, "Created-By: Packages"]).splitlines():
        uri, *kind = line.split()
        if kind == ["Debian", "Debian", "main"]:
            return uri
    raise Failed("apt knows no mirror of Debian: run apt-get update first")


class Apt:
    """Keeps everything in the directory. `sources`: of Debian, each as sources.list has them behind its options. No
    package counts as installed, so a download brings all that a package needs."""

    def __init__(self, directory, *sources):
        self.directory = pathlib.Path(directory)
        self.packages = self.directory / "cache/archives"
        for name in ("state/lists/partial", "cache/archives/partial"):
            (self.directory / name).mkdir(parents=True, exist_ok=True)
        (self.directory / "state/status").touch()
        kinds = [source.partition(" ") for source in sources]
        lines = [f"{kind} [signed-by={KEYS} check-valid-until=no] {rest}\n" for kind, _, rest in kinds]
        (self.directory / "sources.list").write_text("".join(lines))
        own = {
            "Dir::Etc::SourceList": self.directory / "sources.list", "Dir::Etc::SourceParts": "/dev/null",
            "Dir::Etc::Preferences": "/dev/null", "Dir::Etc::PreferencesParts": "/dev/null",
            "Dir::State": self.directory / "state", "Dir::State::Status": self.directory / "state/status",
            "Dir::Cache": self.directory / "cache", "APT::Sandbox::User": "root", "APT::Install-Recommends": "false",
            "APT::Keep-Downloaded-Packages": "true", "Debug::NoLocking": "true",
        }  # fmt: skip
        self.options = ["-q", *(word for name, value in own.items() for word in ("-o", f"{name}={value}"))]
        run(["apt-get", *self.options, "update"])  # a suite that the mirror lacks is no failure

    def download(self, *packages):
        """Packages, with all that they need; returns the files."""
        must(["apt-get", *self.options, "--yes", "install", "--download-only", *packages])
        return sorted(self.packages.glob("*.deb"))

    def source(self, package, directory, *options):
        """The files of a source package."""
        must(["apt-get", *self.options, "source", "--download-only", *options, package], cwd=directory)


def main(package, directory):
    suite = platform.freedesktop_os_release()["VERSION_CODENAME"]
    debian = "deb-src http://deb.debian.org/debian"
    sources = [f"{debian}{place} main" for place in (f" {suite}", f" {suite}-updates", f"-security {suite}-security")]
    Apt(pathlib.Path(directory) / "apt", *sources).source(package, directory)


if __name__ == "__main__":
    main(*sys.argv[1:])
