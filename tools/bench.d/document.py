"""What was measured, as Markdown: printed part by part, with the machine that it was measured on."""

import datetime
import os
import pathlib
import platform

from launchers import version_of


def _model():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def machine(launchers, compilers, load):
    """The machine, the day, and the versions of what is compared."""
    versions = {f"clang {compiler}": version_of(f"clang++-{compiler}") for compiler in compilers}
    versions.update({launcher.name: version_of(launcher.command) for launcher in launchers if launcher.command})
    return {"date": datetime.date.today().isoformat(), "processors": os.cpu_count(), "model": _model(),
            "kernel": platform.release(), "load": load, "versions": versions}


def sentence(found):
    """The same in words."""
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    where = f"{found['processors']} processors, {found['model']}, Linux {found['kernel']}"
    return f"{versions}; {where}; load at the start {found['load']:.2f}."


class Document:
    def __init__(self, settings, found):
        self.machine = found
        self.text = f"Of {found['date']}, {settings}: {sentence(found)}"
        print(self.text)

    def add(self, title, text):
        """Shows a part at once."""
        part = f"\n### {title}\n\n{text}"
        print(part, flush=True)
        self.text += f"\n{part}"
