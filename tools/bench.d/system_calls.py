"""The system calls of a hit, of client and daemon, as strace counts them."""

import re
import subprocess

from process import must
from reporting import table

SUMMARY = re.compile(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$")


def calls_of(text):
    """Counts by system call from the table of `strace -c`."""
    found = (SUMMARY.match(line) for line in text.splitlines())
    return {match.group(2): int(match.group(1)) for match in found if match and match.group(2) != "total"}


def client_calls(command, environment, log):
    must(["strace", "-f", "-c", "-o", log, *command], environment)
    return calls_of(log.read_text())


def daemon_calls(pid, command, environment, log):
    """System calls that the daemon makes while it serves one hit."""
    watcher = subprocess.Popen(["strace", "-f", "-c", "-o", str(log), "-p", str(pid)], stderr=subprocess.PIPE,
                               text=True)
    # strace says so on its standard error once it is attached.
    watcher.stderr.readline()
    must(command, environment)
    watcher.terminate()
    watcher.wait(timeout=10)
    return calls_of(log.read_text())


def text_of(latency, directory):
    """The report for each launcher that latency has warmed."""
    rows, log = [], directory / "strace"
    for launcher in latency.launchers:
        command, environment = latency.words(launcher), launcher.environment()
        rows.append((launcher.name, _summary(client_calls(command, environment, log))))
        if launcher.name == "hipcache":
            rows.append(("its daemon", _summary(daemon_calls(launcher.server(), command, environment, log))))
    return table(("of one hit", "system calls"), rows)


def _summary(calls):
    most = sorted(calls.items(), key=lambda item: -item[1])[:8]
    return f"{sum(calls.values())} calls: " + ", ".join(f"{name} {count}" for name, count in most)
