"""What the figures were measured on: the machine, the day, and the versions of what was compared."""

import datetime
import os
import pathlib
import platform
import re

from process import run

VERSION = re.compile(r"\d+(\.\d+)+")


def _model():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _version(program):
    match = VERSION.search(run([program, "--version"]))
    return match.group(0) if match else "of unknown version"


def machine(launchers, compilers, load):
    versions = {f"clang {compiler}": _version(f"clang++-{compiler}") for compiler in compilers}
    versions.update({launcher.name: _version(launcher.command) for launcher in launchers if launcher.command})
    return {
        "date": datetime.date.today().isoformat(),
        "processors": os.cpu_count(),
        "model": _model(),
        "kernel": platform.release(),
        "load": load,
        "versions": versions,
    }


def sentence(found):
    """The same in words."""
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    return f"{versions}; {found['processors']} processors, {found['model']}, Linux {found['kernel']}; load at the start {found['load']:.2f}."
