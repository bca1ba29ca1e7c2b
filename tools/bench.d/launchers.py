"""What can stand before a compiler: nothing, ccache, sccache, hipcache; each with a throw-away cache of its own."""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import stat
import time

import server_processes as processes
from process import Failed, run

SETTLING_SECONDS = 3  # longer than the store waits for more to write
SETTLING_TRIES = 10


def bytes_under(directory):
    """What the files under a directory occupy. Directories are not counted: ccache makes some hundreds, once."""
    total = 0
    for path in pathlib.Path(directory).rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            status = path.lstat()
            total += status.st_blocks * 512 if stat.S_ISREG(status.st_mode) else 0
    return total


class Plain:
    """The compiler alone."""

    name = "plain"
    command = ""
    cache = None
    caches_steps = False  # else a whole compile is run or none
    caches_links = False  # may stand before linkers and archivers

    def environment(self):
        return dict(os.environ)

    def renew(self, directory):
        """Starts with an empty cache in the directory."""

    def zero(self):
        """Counts from here."""

    def ran(self):
        """What was run since zero(), as numbers by kind; None where the launcher does not say."""
        return None

    def counts(self):
        """The same as text."""
        ran = self.ran()
        return None if ran is None else ", ".join(f"{number} {kind}" for kind, number in ran.items())

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

    def stop(self):
        """Ends what renew() started."""


class Ccache(Plain):
    """ccache as it comes: direct mode, no compression setting changed."""

    name = "ccache"

    def __init__(self, program):
        self.command = program

    def environment(self):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("CCACHE_")}
        return {**clean, "CCACHE_DIR": str(self.cache), "CCACHE_CONFIGPATH": str(self.cache / "ccache.conf")}

    def renew(self, directory):
        self.cache = pathlib.Path(directory) / "ccache"
        shutil.rmtree(self.cache, ignore_errors=True)
        self.cache.mkdir(parents=True)
        (self.cache / "ccache.conf").write_text("")

    def zero(self):
        run([self.command, "--zero-stats"], self.environment())

    def ran(self):
        rows = (line.split("\t") for line in run([self.command, "--print-stats"], self.environment()).splitlines())
        stats = {row[0]: int(row[1]) for row in rows if len(row) == 2}
        uncacheable = stats.get("unsupported_compiler_option", 0) + stats.get("could_not_use_precompiled_header", 0)
        return {"compiles": stats.get("cache_miss", 0) + uncacheable}

    def bytes_stored(self):
        """Without what it keeps for itself in its temporary directory: the stamps of files that it has read, some megabytes at once."""
        return bytes_under(self.cache) - bytes_under(self.cache / "tmp")


class Sccache(Plain):
    """sccache with a server of its own."""

    name = "sccache"

    def __init__(self, program):
        self.command = program
        self.port = None

    def environment(self):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("SCCACHE_")}
        return {**clean, "SCCACHE_DIR": str(self.cache), "SCCACHE_SERVER_PORT": str(self.port)}

    def renew(self, directory):
        self.stop()
        self.cache = pathlib.Path(directory) / "sccache"
        shutil.rmtree(self.cache, ignore_errors=True)
        self.cache.mkdir(parents=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        run([self.command, "--start-server"], self.environment())

    def zero(self):
        run([self.command, "--zero-stats"], self.environment())

    def ran(self):
        stats = json.loads(run([self.command, "--show-stats", "--stats-format=json"], self.environment()))["stats"]
        misses = sum(stats["cache_misses"]["counts"].values())
        return {"compiles": misses + stats.get("requests_not_cacheable", 0)}

    def bytes_stored(self):
        return bytes_under(self.cache)

    def server(self):
        return processes.find("sccache", str(self.port))

    def stop(self):
        if self.port is not None:
            with contextlib.suppress(Failed):
                run([self.command, "--stop-server"], self.environment())
        self.port = None


class Hipcache(Plain):
    """hipcache as built, with a cache directory, and so a daemon, of its own."""

    name = "hipcache"
    caches_steps = True
    caches_links = True

    def __init__(self, program):
        self.command = str(program)

    def environment(self):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("HIPCACHE_")}
        return {**clean, "HIPCACHE_DIR": str(self.cache), "HIPCACHE_CONFIG": "/dev/null"}

    def renew(self, directory):
        self.stop()
        self.cache = pathlib.Path(directory) / "hipcache"
        shutil.rmtree(self.cache, ignore_errors=True)
        run([self.command, "--start-server"], self.environment())

    def zero(self):
        run([self.command, "--zero-stats"], self.environment())

    def stats(self):
        return json.loads(run([self.command, "--show-stats", "--format", "json"], self.environment()))

    def report(self):
        """Of what was built since zero()."""
        return json.loads(run([self.command, "--report", "-", "--format", "json"], self.environment()))

    def steps(self):
        """Steps by kind: {"device": {"hit": n, "run": n}, "host": {...}}; and requests by outcome."""
        stats = self.stats()
        device = stats["steps"].get("device", {})
        host = stats["steps"].get("host", {})
        return {
            "device": {key: sum(arch[key] for arch in device.values()) for key in ("hit", "run")},
            "host": {key: host.get(key, 0) for key in ("hit", "run")},
            "requests": stats["requests"],
        }

    def ran(self):
        """Device and host compiles always; other steps, and what was not cached, only where there were any."""
        stats = self.stats()
        others = {kind: counts["run"] for kind, counts in stats["steps"].items() if kind not in ("device", "host")}
        others["passed through"] = stats["requests"]["passthrough"]
        steps = self.steps()
        ran = {"device": steps["device"]["run"], "host": steps["host"]["run"]}
        return {**ran, **{kind: number for kind, number in others.items() if number}}

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
        return processes.find("hipcached", str(self.cache))

    def daemon_memory(self):
        """Bytes that the daemon holds now."""
        pid = self.server()
        return None if pid is None else processes.memory(pid)

    def stop(self):
        if self.cache is not None:
            with contextlib.suppress(Failed):
                run([self.command, "--stop-server"], self.environment())
        self.cache = None


def found(hipcache, **programs):
    """The launchers to compare, the compiler alone first. One that is None or no program is left out."""
    launchers = [Plain()]
    for make, name in ((Ccache, "ccache"), (Sccache, "sccache")):
        program = shutil.which(programs.get(name) or name)
        if program:
            launchers.append(make(str(pathlib.Path(program).absolute())))
    if pathlib.Path(hipcache).exists():
        launchers.append(Hipcache(pathlib.Path(hipcache).resolve()))
    return launchers
