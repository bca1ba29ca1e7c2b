"""The servers that launchers leave running: which process one is, and what it and its children have used of the processor."""

import contextlib
import os
import pathlib
import time

TICKS = os.sysconf("SC_CLK_TCK")
QUIET_SECONDS = 0.4
LONGEST_WAIT = 60


def find(name, value):
    """The id of the process of that name which has the value in its environment or arguments, as NAME=VALUE or alone; or None."""
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and (entry / "comm").read_text().strip() == name:
                words = ((entry / "environ").read_bytes() + b"\0" + (entry / "cmdline").read_bytes()).split(b"\0")
                if any(word.split(b"=")[-1] == value.encode() for word in words):
                    return int(entry.name)
    return None


def _stat(pid):
    """The fields of /proc/PID/stat that follow the name."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()


def own_seconds(pid):
    """Seconds of processor that a process has used, in all its threads, those that ended too; its children not counted."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / TICKS


def tree_seconds(root):
    """The same of a process and all that it has started: those that ended by their parents' account, those that live by theirs."""
    parents, used = {}, {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = _stat(entry.name)
                parents[int(entry.name)] = int(fields[1])
                used[int(entry.name)] = sum(map(int, fields[11:15])) / TICKS
    return sum(seconds for pid, seconds in used.items() if _is_below(pid, root, parents))


def _is_below(pid, root, parents):
    while pid is not None and pid != root:
        pid = parents.get(pid)
    return pid == root


def await_quiet(pid):
    """Waits until a server and its children use no processor: what is put off until after an answer is part of its cost."""
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
