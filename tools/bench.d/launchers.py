"""What can stand before a compiler: nothing, ccache, sccache, hipcache; each with a throw-away cache of its own."""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import stat
import time

from process import Failed, daemon_seconds, run

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

    def environment(self):
        return dict(os.environ)

    def renew(self, directory):
        """Starts with an empty cache in the directory."""

    def zero(self):
        """Counts from here."""

    def counts(self):
        """What was run since zero(), as text; None where the launcher does not say."""
        return None

    def bytes_stored(self):
        return 0

    def server_seconds(self):
        """Seconds of processor that a server has used so far; None where that is not known."""
        return 0

    def stop(self):
        """Ends what renew() started."""


class Ccache(Plain):
    """Debian's ccache as it comes: direct mode, no compression setting changed."""

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

    def counts(self):
        rows = (line.split("\t") for line in run([self.command, "--print-stats"], self.environment()).splitlines())
        stats = {row[0]: int(row[1]) for row in rows if len(row) == 2}
        uncacheable = stats.get("unsupported_compiler_option", 0) + stats.get("could_not_use_precompiled_header", 0)
        return f"{stats.get('cache_miss', 0) + uncacheable} compiles"

    def bytes_stored(self):
        return bytes_under(self.cache)


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

    def counts(self):
        stats = json.loads(run([self.command, "--show-stats", "--stats-format=json"], self.environment()))["stats"]
        misses = sum(stats["cache_misses"]["counts"].values())
        return f"{misses + stats.get('requests_not_cacheable', 0)} compiles"

    def bytes_stored(self):
        return bytes_under(self.cache)

    def server_seconds(self):
        return None  # it is not found among the processes

    def stop(self):
        if self.port is not None:
            with contextlib.suppress(Failed):
                run([self.command, "--stop-server"], self.environment())
        self.port = None


class Hipcache(Plain):
    """hipcache as built, with a cache directory, and so a daemon, of its own."""

    name = "hipcache"

    def __init__(self, program):
        self.command = str(program)

    def environment(self):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("HIPCACHE_")}
        return {**clean, "HIPCACHE_DIR": str(self.cache), "HIPCACHE_CONFIG": str(self.cache) + ".toml"}

    def renew(self, directory):
        self.stop()
        self.cache = pathlib.Path(directory) / "hipcache"
        shutil.rmtree(self.cache, ignore_errors=True)
        run([self.command, "--start-server"], self.environment())

    def zero(self):
        run([self.command, "--zero-stats"], self.environment())

    def stats(self):
        return json.loads(run([self.command, "--show-stats", "--format", "json"], self.environment()))

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

    def counts(self):
        steps = self.steps()
        passed = steps["requests"]["passthrough"]
        more = f", {passed} passed through" if passed else ""
        return f"{steps['device']['run']} device, {steps['host']['run']} host{more}"

    def bytes_stored(self):
        """When the write-ahead log is empty: some seconds after the last write."""
        before, now = None, self.stats()["store"]["bytes_on_disk"]
        for _ in range(SETTLING_TRIES):
            if now == before:
                break
            time.sleep(SETTLING_SECONDS)
            before, now = now, self.stats()["store"]["bytes_on_disk"]
        return now

    def server_seconds(self):
        return daemon_seconds(self.daemon())

    def daemon(self):
        """The process id of the daemon of this cache directory, or None."""
        for entry in pathlib.Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and (entry / "comm").read_text().strip() == "hipcached":
                    named = (entry / "environ").read_bytes() + b"\0" + (entry / "cmdline").read_bytes()
                    words = named.split(b"\0")
                    if any(word.split(b"=")[-1] == str(self.cache).encode() for word in words):
                        return int(entry.name)
        return None

    def daemon_memory(self):
        """Bytes that the daemon holds now."""
        pid = self.daemon()
        if pid is None:
            return None
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        return None

    def stop(self):
        if self.cache is not None:
            with contextlib.suppress(Failed):
                run([self.command, "--stop-server"], self.environment())
        self.cache = None


def found(hipcache):
    """The launchers of this machine, the compiler alone first. hipcache is left out where it was not built."""
    launchers = [Plain()]
    for make, name in ((Ccache, "ccache"), (Sccache, "sccache")):
        program = shutil.which(name)
        if program:
            launchers.append(make(program))
    if pathlib.Path(hipcache).exists():
        launchers.append(Hipcache(pathlib.Path(hipcache).resolve()))
    return launchers
