"""For checks that test themselves: a copy of the files that a check reads, which a test alters."""

import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class CopiedTree(unittest.TestCase):
    """`read`: the files, relative to the root of the sources."""

    read = ()

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        for name in self.read:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text((ROOT / name).read_text())

    def replace(self, name, old, new):
        text = (self.root / name).read_text()
        self.assertIn(old, text)
        (self.root / name).write_text(text.replace(old, new))
