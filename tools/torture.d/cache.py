"""A cache directory, its daemon and its counts."""

import contextlib
import json
import os
import pathlib
import signal
import time

import machine
from running import Running, run

CONTROL_SECONDS = 75  # bounds every option of hipcache's; src/cli/control.cpp waits 60 s for a reply


def _view_number():
    """The number of this process's view of the file system, computed as src/launcher/daemon_address.c does."""
    root = os.stat("/")
    number = 2166136261
    for part in (os.stat("/proc/self/ns/mnt").st_ino, root.st_dev, root.st_ino):
        for byte in part.to_bytes(8, "little"):
            number = (number ^ byte) * 16777619 & 0xFFFFFFFF
    return number


class Cache:
    def __init__(self, program, directory, environment):
        self.program = str(program)
        self.directory = pathlib.Path(directory)
        self.base = environment
        self.remote = ""  # shared caches

    @property
    def home(self):
        """The directory of the daemon of this user and view: its socket, locks, log and temporary files."""
        return self.directory / f"{os.geteuid()}-{_view_number():08x}"

    def environment(self):
        return {**self.base, "HIPCACHE_DIR": str(self.directory), "HIPCACHE_CONFIG": "/dev/null",
                "HIPCACHE_REMOTE": self.remote, "HIPCACHE_QUIET": "1"}  # messages are compared with the compiler's

    def start(self, argv, cwd, limits=None, user=None):
        return Running([self.program, *argv], cwd, self.environment(), limits, user)

    def control(self, *options):
        return self.control_in("/", *options)

    def control_in(self, directory, *options):
        return run([self.program, *options], directory, self.environment(), CONTROL_SECONDS)

    def serve(self, tries=3):
        """Whether a daemon can be started."""
        for _ in range(tries):
            if self.control("--start-server").code == 0:
                return True
            time.sleep(0.3)
        return False

    def stats(self):
        """The statistics, or None if no daemon answers."""
        shown = self.control("--show-stats", "--format", "json")
        if shown.code != 0 or shown.late:
            return None
        return json.loads(shown.out)

    def _processes(self, name):
        wanted = f"HIPCACHE_DIR={self.directory}".encode()
        return [
            pid for pid in machine.processes()
            if machine.named(pid) == name and machine.alive(pid) and wanted in machine.variables(pid)
        ]

    def daemons(self):
        return self._processes("hipcached")

    def remotes(self):
        """The daemon's process for shared caches."""
        return self._processes("hipcache-remote")

    def signal(self, number):
        for pid in self.daemons():
            machine.send(pid, number)

    def stop(self):
        """Lets the daemon finish its writes and exit; True if it exited by itself."""
        self.control("--stop-server")
        if machine.wait_until(lambda: not self.daemons(), 15):
            return True
        self.kill()
        return False

    def kill(self):
        machine.end_all(self.daemons())

    def end_somehow(self, rng):
        rng.choice((self.stop, self.kill))()

    def settled(self, seconds=10):
        """Whether the requests' directories disappear in time. They exist until the results are stored."""
        place = self.home / "tmp"
        return machine.wait_until(lambda: not place.is_dir() or not os.listdir(place), seconds)

    def store_files(self):
        found = (self.directory / "store").rglob("*")
        return sorted(path for path in found if path.is_file() and not path.is_symlink())

    def data_files(self):
        return [path for path in self.store_files() if path.name not in ("lock", "LOCK")]

    def set_aside(self):
        return sorted(path.name for path in (self.directory / "store").glob("*damaged*"))

    def end(self):
        self.signal(signal.SIGCONT)
        self.kill()

    def crash(self):
        """Kills the daemon and its process for shared caches, as a machine that loses power. Leaves no zombies, of which
        long runs would make thousands."""
        ended = [*self.daemons(), *self.remotes()]
        machine.end_all(ended)
        for pid in ended:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
