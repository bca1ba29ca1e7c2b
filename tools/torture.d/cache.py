"""A cache directory, its daemon and its counts, as the faults meet them."""

import contextlib
import os
import signal
import time

import processes
from instance import Instance
from process import Failed


def _view_number():
    """The number of this process's view of the file system, computed as src/launcher/daemon_address.c does."""
    root = os.stat("/")
    number = 2166136261
    for part in (os.stat("/proc/self/ns/mnt").st_ino, root.st_dev, root.st_ino):
        for byte in part.to_bytes(8, "little"):
            number = (number ^ byte) * 16777619 & 0xFFFFFFFF
    return number


class Cache(Instance):
    """`remote`: its shared caches. Quiet, because messages are compared with the compiler's."""

    def __init__(self, program, directory, environment, remote=""):
        super().__init__(program, directory, environment, HIPCACHE_QUIET="1", HIPCACHE_REMOTE=remote)

    @property
    def home(self):
        """The directory of the daemon of this user and view: its socket, locks, log and temporary files."""
        return self.directory / f"{os.geteuid()}-{_view_number():08x}"

    def serve(self, tries=3):
        """Whether a daemon can be started."""
        for _ in range(tries):
            if self.control("--start-server").code == 0:
                return True
            time.sleep(0.3)
        return False

    def stats(self):
        """The statistics, or None if no daemon answers."""
        with contextlib.suppress(Failed):
            return super().stats()
        return None

    def signal(self, number):
        for pid in self.daemons():
            processes.send(pid, number)

    def end_somehow(self, rng):
        rng.choice((self.stop, self.kill))()

    def settled(self, seconds=10):
        """Whether the requests' directories disappear in time. They exist until the results are stored."""
        place = self.home / "tmp"
        return processes.wait_until(lambda: not place.is_dir() or not os.listdir(place), seconds)

    def data_files(self):
        found = sorted(path for path in (self.directory / "store").rglob("*")
                       if path.is_file() and not path.is_symlink())
        return [path for path in found if path.name not in ("lock", "LOCK")]

    def end(self):
        self.signal(signal.SIGCONT)
        self.kill()

    def crash(self):
        """Kills the daemon and its process for shared caches, as a machine that loses power. Leaves no zombies, of
        which long runs would make thousands."""
        ended = [*self.daemons(), *self.remotes()]
        processes.end_all(ended)
        for pid in ended:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
