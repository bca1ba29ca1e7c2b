"""What the store's compression costs and saves: of the objects of a build, by zstd's levels and as the store does."""

import pathlib

from process import must
from reporting import kilobytes, ratio, table
from tool import note

HEADS = ("level", "objects", "bytes", "packed", "of bytes", "packing, each", "unpacking, each")


class Compression:
    def __init__(self, hipcache):
        self.program = pathlib.Path(hipcache.command).parent / "compression"
        self.figures = []

    def run(self, build_directory):
        """Of the objects under the directory."""
        objects = sorted(pathlib.Path(build_directory).rglob("*.o"))
        if not self.program.exists() or not objects:
            note(f"no {self.program}, or no objects: compression is not measured")
            return
        note(f"compression of {len(objects)} objects")
        for line in must([self.program, *objects]).splitlines():
            level, given, packed, packing, unpacking = map(int, line.split("\t"))
            self.figures.append({"level": level or "the store", "objects": len(objects), "bytes": given,
                                 "packed": packed,
                                 "packing": packing / 1e6, "unpacking": unpacking / 1e6})

    def text(self):
        return table(HEADS, [self._cells(row) for row in self.figures])

    @staticmethod
    def _cells(row):
        each = [f"{row[what] / row['objects'] * 1e6:.0f} us" for what in ("packing", "unpacking")]
        packed = ratio(row["packed"], row["bytes"])
        return row["level"], row["objects"], kilobytes(row["bytes"]), kilobytes(row["packed"]), packed, *each
