"""Trees of Debian's suites: made by debootstrap, kept between runs, and entered with the project's files."""

import email.utils
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from process import Failed, must
from tool import ROOT

MIRROR = ROOT / "tools/shared.d/debian-mirror"
# A file system in memory that is mounted in the tree. It holds the project's files and everything that a run writes,
# and disappears with the last process.
MOUNT = "/mnt"
ENVIRONMENT = ["env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/root", "LANG=C.UTF-8"]
# The C library's own parts. Programs in a tree use the tree's, and so must hipcache's.
OF_LIBC = re.compile(r"^(ld-linux.*|lib(c|m|pthread|dl|rt|resolv|util)\.so\.\d+)$")


def mirror():
    found = must([MIRROR]).strip()
    if not found:
        raise Failed("apt knows no mirror of Debian: run apt-get update first")
    return found


class Tree:
    def __init__(self, suite, directory, note):
        self.suite = suite
        self.path = pathlib.Path(directory).absolute() / suite.name
        self.note = note

    def prepare(self):
        """Makes the parts that are missing."""
        if not (self.path / "etc/debian_version").exists():
            self._bootstrap()
        missing = self._missing()
        if missing:
            self.note(f"{self.suite.name}: installing {' '.join(missing)}")
            self._install(missing)

    def date(self):
        """The date of the tree's suite, according to its mirror."""
        release = next(iter(sorted((self.path / "var/lib/apt/lists").glob("*_InRelease"))), None)
        found = release and re.search(r"^Date: (.*)$", release.read_text(), re.MULTILINE)
        return email.utils.parsedate_to_datetime(found.group(1)).date().isoformat() if found else "of unknown date"

    def put_libraries(self, program):
        """Copies the daemon's shared libraries that the tree lacks."""
        known = must(["chroot", self.path, "ldconfig", "-p"])
        for line in must(["ldd", program]).splitlines():
            name, _, place = (line.split() + ["", "", ""])[:3]
            if not place.startswith("/") or OF_LIBC.match(name):
                continue
            mine = self.path / "usr/local/lib" / name
            if mine.exists() or not re.search(rf"^\s*{re.escape(name)} ", known, re.MULTILINE):
                shutil.copyfile(os.path.realpath(place), mine)
        must(["chroot", self.path, "ldconfig"])

    def run(self, build, arguments):
        """Runs inside.py in the tree, in namespaces that end with it. Returns what it printed."""
        prefix = f"{self.path}{MOUNT}"
        copies = [(build / part, f"{prefix}/hipcache/") for part in ("bin", "lib", "libexec")]
        script = [
            f"mount -t tmpfs tmpfs {shlex.quote(prefix)}",
            f"mkdir -p {shlex.quote(prefix)}/{{source,hipcache,work}}",
            *(f"cp -r {shlex.quote(str(source))} {shlex.quote(target)}" for source, target in copies),
            f"cp -r {' '.join(shlex.quote(str(ROOT / name)) for name in ('tools', 'fixtures'))} {shlex.quote(prefix)}/source/",
            f"mount -t proc proc {shlex.quote(str(self.path))}/proc",
            f"mount --rbind /dev {shlex.quote(str(self.path))}/dev",
            f"exec chroot {shlex.quote(str(self.path))} " + shlex.join([
                *ENVIRONMENT, "python3", "-B", f"{MOUNT}/source/tools/test-toolchains.d/inside.py", self.suite.name,
                "--source", f"{MOUNT}/source", "--hipcache", f"{MOUNT}/hipcache/bin/hipcache", "--work",
                f"{MOUNT}/work", *arguments,
            ]),
        ]  # fmt: skip
        ended = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private", "bash", "-e", "-c",
             "\n".join(script)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=sys.stderr, text=True, check=False,
        )
        if ended.returncode != 0:
            raise Failed(f"{self.suite.name}: the run in the tree ended with exit code {ended.returncode}")
        return ended.stdout

    def _bootstrap(self):
        if shutil.which("debootstrap", path=f"{os.environ['PATH']}:/usr/sbin:/sbin") is None:
            self.note("installing debootstrap")
            must(["apt-get", "-q", "-y", "install", "debootstrap"])
        uri = mirror()
        self.note(f"{self.suite.name}: debootstrap")
        # Made under another name and then renamed, so a tree that exists is complete.
        making = self.path.with_name(self.path.name + ".making")
        shutil.rmtree(making, ignore_errors=True)
        making.parent.mkdir(parents=True, exist_ok=True)
        must(["debootstrap", "--variant=minbase", self.suite.name, making, uri],
             {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin"})
        making.rename(self.path)

    def _missing(self):
        told = subprocess.run(
            ["chroot", self.path, *ENVIRONMENT, "dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n",
             *self.suite.packages],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False,
        ).stdout
        installed = {line.split()[0] for line in told.splitlines() if line.endswith(" installed")}
        return [package for package in self.suite.packages if package not in installed]

    def _install(self, packages):
        shutil.copyfile("/etc/resolv.conf", self.path / "etc/resolv.conf")
        quiet = ["chroot", self.path, *ENVIRONMENT, "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y",
                 "-o", "Acquire::Check-Valid-Until=false"]  # a mirror may be old; the report has its date
        must([*quiet, "update"])
        must([*quiet, "install", "--no-install-recommends", *packages])
