"""Trees of Debian's suites: rooms (tools/package.d/room.sh), kept between runs, and entered with the project's
files."""

import email.utils
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from apt import mirror
from process import Failed, must
from tool import ROOT

ROOM = ROOT / "tools/package.d/room.sh"
# A file system in memory that is mounted in the tree. It holds the project's files and everything that a run writes,
# and disappears with the last process.
MOUNT = "/mnt"
ENVIRONMENT = ["env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/root", "LANG=C.UTF-8"]
# The C library's own parts. Programs in a tree use the tree's, and so must hipcache's.
OF_LIBC = re.compile(r"^(ld-linux.*|lib(c|m|pthread|dl|rt|resolv|util)\.so\.\d+)$")


class Tree:
    def __init__(self, suite, directory):
        self.suite = suite
        self.path = pathlib.Path(directory).absolute() / suite.name

    def make(self):
        """Makes the tree, unless it is there. Its lists of packages stay, because they tell its date."""
        if self.path.exists():
            return
        options = ["--variant=minbase", f"--include={','.join(self.suite.packages)}", "--skip=cleanup/apt/lists",
                   '--aptopt=Acquire::Check-Valid-Until "false"']  # a mirror may be old; the report has its date
        script = 'source "$0"; make_room "$@"'
        must(["bash", "-ec", script, ROOM, self.path, self.suite.name, *options, f"deb {mirror()} {self.suite.name} main"])

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

    def run(self, build, given):
        """Runs inside.py in the tree, in namespaces that end with it. Returns what it printed. `given`: the tool's
        arguments."""
        root, mounted = shlex.quote(str(self.path)), shlex.quote(f"{self.path}{MOUNT}")
        programs = shlex.join(str(build / part) for part in ("bin", "lib", "libexec"))
        sources = shlex.join(str(ROOT / name) for name in ("tools", "fixtures"))
        given = {**given, "suite": self.suite.name, "hipcache": f"{MOUNT}/hipcache/bin/hipcache", "work": f"{MOUNT}/work"}
        program = f"{MOUNT}/source/tools/test-toolchains.d/inside.py"
        command = [*ENVIRONMENT, "python3", "-B", program, json.dumps(given, default=str)]
        script = f"""
            mount -t tmpfs tmpfs {mounted}
            mkdir -p {mounted}/{{source,hipcache,work}}
            cp -r {programs} {mounted}/hipcache/
            cp -r {sources} {mounted}/source/
            mount -t proc proc {root}/proc
            mount --rbind /dev {root}/dev
            exec chroot {root} {shlex.join(command)}"""
        ended = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private", "bash", "-ec", script],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=sys.stderr, text=True, check=False,
        )  # fmt: skip
        if ended.returncode != 0:
            raise Failed(f"{self.suite.name}: the run in the tree ended with exit code {ended.returncode}")
        return ended.stdout
