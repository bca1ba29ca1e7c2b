"""What can stand before a compiler: nothing, ccache, sccache, hipcache; each with a throw-away cache of its own."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import stat
import time

import processes
import tree
from process import Failed, must
from servers import free_port
from tool import default_hipcache

SETTLING_SECONDS = 3  # longer than the store waits for more to write
SETTLING_TRIES = 10
HEADERS_SECONDS = 120
NOT_MADE = "it is not made yet"
VERSION = re.compile(r"\d+(\.\d+)+")
NOWHERE = "/proc/no/such/directory"


def version_of(program):
    match = VERSION.search(must([program, "--version"]))
    return match.group(0) if match else "of unknown version"


def bytes_under(directory):
    """What the files under a directory occupy. Directories are not counted: ccache makes some hundreds, once."""
    total = 0
    for path in pathlib.Path(directory).rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            status = path.lstat()
            total += status.st_blocks * 512 if stat.S_ISREG(status.st_mode) else 0
    return total


class Plain:
    """The compiler alone, and what all launchers answer unless they know better."""

    name = title = "plain"
    command = ""
    cache = None
    caches_steps = False  # else a whole compile is run or none
    caches_links = False  # may stand before linkers and archivers
    settles = 1.1  # seconds until a cache that compares times uses a file: it ignores files of the current second
    spoiled: dict = {}  # by setting, variables that make it wrong

    def environment(self):
        return dict(os.environ)

    def settings(self):
        """The launcher's own variables."""
        return {}

    def renew(self, directory):
        """Starts with an empty cache in the directory."""

    def zero(self):
        """Counts from here."""

    def ran(self):
        """What was run since zero(), as numbers by kind; None where the launcher does not say."""
        return None

    def steps_run(self, requests, archs):
        """Device and host steps of so many compiles of so many architectures since zero(); None as for ran()."""
        ran = self.ran()
        return None if ran is None else (ran["compiles"] * archs, ran["compiles"])

    def bytes_stored(self):
        return 0

    def server(self):
        """The process id of the server that works for the launcher, or None."""
        return None

    def settle(self):
        """Waits until nothing is done any more for what was asked so far."""
        pid = self.server()
        if pid is not None:
            processes.await_quiet(pid)

    def server_seconds(self):
        """Seconds of processor that a server and what it started have used so far."""
        pid = self.server()
        return 0 if pid is None else processes.tree_seconds(pid)

    def await_headers(self, number):
        """Waits until so many wrapper headers were made since zero(), in idle time, if they are of use."""

    def stop(self):
        """Ends what renew() started."""


class Launcher(Plain):
    """A program with a cache. `prefix`: of the names of its variables."""

    prefix = "?"

    def __init__(self, program):
        self.command = str(program)

    def version(self):
        return version_of(self.command)

    def environment(self):
        clean = {name: value for name, value in os.environ.items() if not name.startswith(self.prefix)}
        return {**clean, **self.settings()}

    def control(self, *words):
        return must([self.command, *words], self.environment())

    def renew(self, directory):
        self.stop()
        self.cache = tree.fresh(pathlib.Path(directory) / self.name)
        self.begin()

    def begin(self):
        self.control("--start-server")

    def zero(self):
        self.control("--zero-stats")

    def bytes_stored(self):
        return bytes_under(self.cache)

    def stop(self):
        if self.cache is not None:
            with contextlib.suppress(Failed):
                self.control("--stop-server")
        self.cache = None


class Ccache(Launcher):
    """ccache as it comes: direct mode, no compression setting changed."""

    name = title = "ccache"
    prefix = "CCACHE_"
    spoiled = {"directory": {"CCACHE_DIR": NOWHERE}, "size": {"CCACHE_MAXSIZE": "plenty"}}

    def settings(self):
        return {"CCACHE_DIR": str(self.cache), "CCACHE_CONFIGPATH": str(self.cache / "ccache.conf")}

    def begin(self):
        (self.cache / "ccache.conf").write_text("")

    def stop(self):
        """It has no server. The place stays, for questions."""

    def ran(self):
        rows = (line.split("\t") for line in self.control("--print-stats").splitlines())
        stats = {row[0]: int(row[1]) for row in rows if len(row) == 2}
        uncacheable = stats.get("unsupported_compiler_option", 0) + stats.get("could_not_use_precompiled_header", 0)
        return {"compiles": stats.get("cache_miss", 0) + uncacheable}

    def bytes_stored(self):
        """Without its temporary directory: the stamps of files that it has read, some megabytes at once."""
        return bytes_under(self.cache) - bytes_under(self.cache / "tmp")


class CcacheDepend(Ccache):
    """Trusts depfiles instead of the preprocessor."""

    title = "ccache, depend mode"

    def settings(self):
        return {**super().settings(), "CCACHE_DEPEND": "1"}


class Sccache(Launcher):
    """sccache with a server of its own."""

    name = title = "sccache"
    prefix = "SCCACHE_"
    spoiled = {"directory": {"SCCACHE_DIR": NOWHERE}, "size": {"SCCACHE_CACHE_SIZE": "plenty"}}
    port = None

    def settings(self):
        return {"SCCACHE_DIR": str(self.cache), "SCCACHE_SERVER_PORT": str(self.port)}

    def begin(self):
        self.port = free_port()
        try:
            self.control("--start-server")
        except Failed:  # it gives its server ten seconds to start, which may be too few on a busy machine
            self.control("--start-server")

    def ran(self):
        stats = json.loads(self.control("--show-stats", "--stats-format=json"))["stats"]
        misses = sum(stats["cache_misses"]["counts"].values())
        return {"compiles": misses + stats.get("requests_not_cacheable", 0)}

    def server(self):
        return next(iter(processes.find("sccache", str(self.port))), None)


class Hipcache(Launcher):
    """hipcache as built, with a cache directory, and so a daemon, of its own."""

    name = title = "hipcache"
    prefix = "HIPCACHE_"
    caches_steps = True
    caches_links = True
    settles = 0.02  # from the next tick of the clock that stamps files, at most 10 ms later
    spoiled = {"directory": {"HIPCACHE_DIR": NOWHERE, "HIPCACHE_QUIET": "1"},
               "size": {"HIPCACHE_MAX_SIZE": "plenty", "HIPCACHE_QUIET": "1"}}

    def settings(self):
        return {"HIPCACHE_DIR": str(self.cache), "HIPCACHE_CONFIG": "/dev/null", "HIPCACHE_AUDIT": "0"}

    def stats(self):
        return json.loads(self.control("--show-stats", "--format", "json"))

    def await_headers(self, number):
        # Clang 15 includes the wrapper header only for a version of HIP that it knows.
        if NOT_MADE not in self.stats()["without_wrapper_header"]:
            return
        deadline = time.monotonic() + HEADERS_SECONDS
        while self.stats()["wrapper_headers"]["made"] < number:
            if time.monotonic() > deadline:
                raise Failed(f"{number} wrapper headers were not made within {HEADERS_SECONDS} s")
            time.sleep(0.1)

    def ran(self):
        """Device and host compiles always; other steps, and what was not cached, only where there were any."""
        stats = self.stats()
        steps = dict(stats["steps"])
        device = sum(arch["run"] for arch in steps.pop("device", {}).values())
        host = steps.pop("host", {}).get("run", 0)
        others = {kind: counts["run"] for kind, counts in steps.items()}
        others["passed through"] = stats["requests"]["passthrough"]
        return {"device": device, "host": host, **{kind: number for kind, number in others.items() if number}}

    def steps_run(self, requests, archs):
        ran = self.ran()
        passed = ran.get("passed through", 0)
        return ran["device"] + passed * archs, ran["host"] + passed

    def bytes_stored(self):
        """When the write-ahead log is empty: some seconds after the last write."""
        before, now = None, self.stats()["store"]["bytes_on_disk"]
        for _ in range(SETTLING_TRIES):
            if now == before:
                break
            time.sleep(SETTLING_SECONDS)
            before, now = now, self.stats()["store"]["bytes_on_disk"]
        return now

    def server(self):
        return next(iter(processes.find("hipcached", str(self.cache))), None)

    def daemon_memory(self):
        """Bytes that the daemon holds now."""
        pid = self.server()
        return None if pid is None else processes.memory(pid)


KINDS = {"hipcache": Hipcache, "ccache": Ccache, "ccache:depend": CcacheDepend, "sccache": Sccache}


def named(word):
    """The launcher with a name or path (`ccache:depend` is ccache in depend mode), or None."""
    place, _, mode = str(word).partition(":")
    program = shutil.which(default_hipcache() if place == "hipcache" else place)
    kind = KINDS.get(pathlib.Path(place).name + (f":{mode}" if mode else ""))
    return kind(pathlib.Path(program).absolute()) if program and kind else None


def found(*words):
    """The launchers to compare, the compiler alone first. One that is not here is left out."""
    return [Plain(), *(launcher for launcher in map(named, words) if launcher)]
