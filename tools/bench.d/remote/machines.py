"""The machines of the bench: each has a cache, and so a daemon, of its own, and may use shared caches."""

import contextlib
import pathlib
import shutil

from fixture import Unit
from launchers import Ccache, Hipcache
from process import Failed, must, timed

# Nothing of a fixture project is like it, so that it brings nothing of a project into a store.
FIRST = """#include <hip/hip_runtime.h>
__global__ void first_compile_of_a_daemon(int* out) { out[threadIdx.x] = 7; }
"""


def first_compile(directory, compiler, archs):
    """The words of the compile after which a daemon knows the compiler's files, and has its connection to the
    server."""
    source = pathlib.Path(directory) / "first.hip"
    source.write_text(FIRST)
    return Unit(source, compiler, directory).command(archs)


class Machine(Hipcache):
    """A machine with hipcache. `urls`: its shared caches, in the order in which it asks them."""

    def __init__(self, program, name, directory):
        super().__init__(program)
        self.directory = pathlib.Path(directory) / f"machine-{name}"
        self.cache = self.directory / "cache"
        self.urls = []
        self.counted = 0

    def settings(self):
        shared = {"HIPCACHE_REMOTE": ",".join(self.urls)} if self.urls else {}
        return {**super().settings(), **shared}

    def renew(self, *urls):
        """An empty store, and no daemon: the next compile starts one."""
        self.stop()
        self.urls = list(urls)
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir()
        self.counted = 0

    def stop(self):
        """Ends the daemon; the store stays."""
        if self.directory.exists():
            with contextlib.suppress(Failed):
                self.control("--stop-server")

    def run(self, words):
        """From the directory above: no shared cache's result may write elsewhere."""
        must([self.command, *words], self.environment(), self.directory.parent)

    def ran_since(self):
        """Steps run, and requests not cached, since this was asked last. Drivers' plans count, too."""
        before, self.counted = self.counted, sum(self.ran().values())
        return self.counted - before

    def flush(self):
        """Waits until all is written; seconds that it took."""
        return timed([self.command, "--flush"], self.environment())

    def tiers(self):
        """What the statistics say of each shared cache, in the order of `urls`."""
        return self.stats()["remote"]["tiers"]


class RemoteCcache(Ccache):
    """A machine with ccache and a shared cache, all else as ccache comes."""

    def __init__(self, program, name, directory):
        super().__init__(program)
        self.directory = pathlib.Path(directory) / f"machine-{name}"
        self.url = None

    def settings(self):
        return {**super().settings(), "CCACHE_REMOTE_STORAGE": self.url}

    def renew(self, url):
        """An empty local cache."""
        self.url = url
        super().renew(self.directory)

    def ran_since(self):
        """Compiles since this was asked last or the cache was empty."""
        ran = sum(self.ran().values())
        self.zero()
        return ran
