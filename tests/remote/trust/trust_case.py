"""What the tests of trust share: keys, and machines that share one project.

Takes SOURCE_DIRECTORY and BIN_DIRECTORY from the command line.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "machines"))
from machines import Machine, Project  # noqa: E402

SOURCE, BIN = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
CLANG = "/usr/lib/llvm-19/bin/clang++"
RUNTIME = SOURCE / "fixtures/projects/bare-hip/bare_hip.h"
ARCHS = ("gfx906", "gfx1030")
STEPS = {"device gfx906": 1, "device gfx1030": 1, "bundle": 1, "host": 1}


class Key:
    def __init__(self, path):
        self.path = path
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", path], check=True)
        path.chmod(0o600)
        shown = subprocess.run([BIN / "hipcache", "--public-key", path], check=True, capture_output=True, text=True)
        self.public = shown.stdout.strip()


class TrustTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = pathlib.Path(scratch.name)
        self.project = Project(self.directory / "project", RUNTIME, CLANG)
        self.ours, self.theirs = Key(self.directory / "ours.pem"), Key(self.directory / "theirs.pem")

    def machine(self, name, remote, trusted=(), signs=None, **settings):
        settings = dict(settings, trusted_keys=",".join(key.public for key in trusted), signing_key=signs.path if signs else "")
        machine = Machine(BIN, self.directory / name, remote, **settings)
        self.addCleanup(machine.stop)
        return machine

    def compile(self, machine, flags=("-O1",)):
        return self.project.compile(machine, ARCHS, flags)

    def fill(self, name, url, **settings):
        """Compiles on a machine that has nothing, and waits until all is written."""
        filler = self.machine(name, url, **settings)
        made = self.compile(filler)
        self.assertEqual(made, self.project.expected(filler, ARCHS))
        flushed = filler.flush()
        self.assertEqual(flushed.returncode, 0, flushed.stderr)
        return made

    def steps(self, machine):
        """Without questions and proofs: what compiles."""
        return {step: count for step, count in machine.steps_run().items() if step in STEPS}

    def tier(self, machine, number=0):
        return machine.stats()["remote"]["tiers"][number]


def run_tests():
    """Ends the program: 77 if a program is missing, or a test was skipped."""
    missing = [what for what in (CLANG, shutil.which("openssl") or "openssl") if not os.path.exists(what)]
    if missing:
        print("skipped: not installed:", *missing)
        sys.exit(77)
    result = unittest.main(exit=False).result
    sys.exit(1 if not result.wasSuccessful() else 77 if result.skipped else 0)
