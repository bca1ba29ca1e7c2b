"""Processes, as the kernel reports them: which run, what they have used of the processor, and their end."""

import contextlib
import os
import pathlib
import signal
import time

TICKS = os.sysconf("SC_CLK_TCK")
QUIET_SECONDS = 0.4
LONGEST_WAIT = 60  # seconds


def _stat(pid):
    """The fields of /proc/PID/stat that follow the name: state, parent, group, session, ...; None if it is gone."""
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return None


def _all():
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def alive(pid):
    fields = _stat(pid)
    return fields is not None and fields[0] not in "ZX"


def of_session(session):
    """The living processes of a session, its leader first."""
    found = [pid for pid in _all() if (fields := _stat(pid)) and int(fields[3]) == session and fields[0] not in "ZX"]
    return sorted(found, key=lambda pid: (pid != session, pid))


def named(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def _has(pid, value):
    """Whether the value is in the process's environment or arguments, as NAME=VALUE or alone."""
    with contextlib.suppress(OSError):
        words = b"\0".join(pathlib.Path(f"/proc/{pid}/{kind}").read_bytes() for kind in ("environ", "cmdline"))
        return any(word.split(b"=")[-1] == value.encode() for word in words.split(b"\0"))
    return False


def find(name, value):
    """The living processes of that name that have the value."""
    return [pid for pid in _all() if named(pid) == name and alive(pid) and _has(pid, value)]


def send(pid, number):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def end_all(pids):
    """Kills processes, stopped ones too, and waits until they are gone."""
    for pid in pids:
        send(pid, signal.SIGKILL)
    wait_until(lambda: not any(alive(pid) for pid in pids), 10)


def reap():
    """Reaps processes whose parents are gone; only while no child of this process is waited for."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass


def wait_until(holds, seconds):
    """Whether the condition held in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def own_seconds(pid):
    """Processor seconds of a process in all its threads; its children not counted."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / TICKS


def tree_seconds(root):
    """The same of a process and all that it has started. Parents have the account of children that ended."""
    parents, used = {}, {}
    for pid in _all():
        if fields := _stat(pid):
            parents[pid] = int(fields[1])
            used[pid] = sum(map(int, fields[11:15])) / TICKS
    return sum(seconds for pid, seconds in used.items() if _is_below(pid, root, parents))


def below(root):
    """The living processes that a process has started, and those that these have."""
    parents = {pid: int(fields[1]) for pid in _all() if (fields := _stat(pid)) and fields[0] not in "ZX"}
    return [pid for pid in parents if pid != root and _is_below(pid, root, parents)]


def _is_below(pid, root, parents):
    while pid is not None and pid != root:
        pid = parents.get(pid)
    return pid == root


def await_quiet(pid):
    """Waits until a server and its children use no processor: work after a reply is part of its cost."""
    deadline = time.monotonic() + LONGEST_WAIT
    before = tree_seconds(pid)
    while time.monotonic() < deadline:
        time.sleep(QUIET_SECONDS)
        now = tree_seconds(pid)
        if now - before <= 1 / TICKS:
            return
        before = now


def memory(pid):
    """Bytes that a process holds now; None where that is not known."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return None
