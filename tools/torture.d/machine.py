"""Mounts and processes, as the kernel reports them."""

import contextlib
import os
import pathlib
import signal
import stat
import subprocess
import time

# tools/torture gives the tool its own process and mount namespace, if it may.
APART = os.getpid() == 1 and os.geteuid() == 0


def mount_tmpfs(where, options):
    pathlib.Path(where).mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(where)], check=True)


def remount(where, options):
    subprocess.run(["mount", "-o", f"remount,{options}", str(where)], check=True)


def unmount(where):
    subprocess.run(["umount", "--lazy", str(where)], check=False, stderr=subprocess.DEVNULL)


def closed_to_others(program):
    """The directory above the program that other users may not enter; None if they reach it."""
    above = pathlib.Path(program).resolve().parents
    return next((place for place in above if not place.stat().st_mode & stat.S_IXOTH), None)


def status(pid):
    """State, parent and session of a process; None if it is gone."""
    with contextlib.suppress(OSError):
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return fields[0], int(fields[1]), int(fields[3])
    return None


def processes():
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def alive(pid):
    seen = status(pid)
    return seen is not None and seen[0] not in "ZX"


def of_session(session):
    """The living processes of a session, its leader first."""
    found = [pid for pid in processes() if (seen := status(pid)) and seen[2] == session and seen[0] not in "ZX"]
    return sorted(found, key=lambda pid: (pid != session, pid))


def named(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def variables(pid):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return []


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
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
