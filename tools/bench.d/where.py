"""Where the time of a hit goes: system calls of client and daemon, and the client's phases, as strace sees them.

strace slows every system call by some tens of microseconds, so the phases are shares, not times; the times are in the
table of hit latency. What lies between "asked" and "answered" is the daemon's.
"""

import re
import subprocess
import time

from process import must
from reporting import table

# A line of `strace -ttt -f`: the process (once there are several), the time, the call.
LINE = re.compile(r"^(?:\[pid +\d+\] |\d+ +)?(\d+\.\d+) (\w+)\(")
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


def phases(command, environment, log):
    """Seconds of the client's life by phase: until connected, until asked, until answered, placing, end."""
    begin = time.time()
    must(["strace", "-ttt", "-f", "-o", log, *command], environment)
    marks = []
    for line in log.read_text().splitlines():
        match = LINE.match(line)
        if match:
            marks.append((float(match.group(1)), match.group(2)))
    if not marks or marks[0][0] < begin - 1:
        return {}
    return _between(marks)


def _between(marks):
    start, end = marks[0][0], marks[-1][0]
    connected = next((at for at, call in marks if call == "connect"), end)
    sends = [at for at, call in marks if call in ("sendmsg", "sendto", "write") and at > connected]
    receives = [at for at, call in marks if call in ("recvmsg", "recvfrom") and at > connected]
    if not sends or not receives:
        return {"whole": end - start}
    answered = next((at for at, _ in marks if at > receives[-1]), end)
    return {
        "start": connected - start,
        "ask": sends[0] - connected,
        "talk with the daemon": answered - sends[0],
        "place and end": end - answered,
    }


def text_of(latency, directory):
    """The report for each launcher that latency has warmed."""
    rows, log = [], directory / "strace"
    for launcher in latency.launchers:
        command, environment = latency.words(launcher), launcher.environment()
        rows.append((launcher.name, _summary(client_calls(command, environment, log))))
        if launcher.name == "hipcache":
            rows.append(("its daemon", _summary(daemon_calls(launcher.server(), command, environment, log))))
            shares = phases(command, environment, log)
            whole = sum(shares.values()) or 1
            rows.append(("its phases", ", ".join(f"{name} {part / whole:.0%}" for name, part in shares.items())))
    return table(("of one hit", "system calls"), rows)


def _summary(calls):
    most = sorted(calls.items(), key=lambda item: -item[1])[:8]
    return f"{sum(calls.values())} calls: " + ", ".join(f"{name} {count}" for name, count in most)
