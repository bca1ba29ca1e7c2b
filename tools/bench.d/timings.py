"""Wall and processor time of builds, and what was run in them, by row (what was built, by what, and the phase) and
launcher."""

import collections

from process import median
from reporting import of, ratio, seconds, table

COMPARED = "hipcache"


def told_of(ran):
    """What was run, as text."""
    return ", ".join(f"{number} {kind}" for kind, number in (ran or {}).items()) or "-"


class Timings:
    def __init__(self, launchers, heads, phases):
        self.names = [launcher.name for launcher in launchers]
        self.heads = heads  # what the words of a row are
        self.walls = collections.defaultdict(list)
        self.processor = collections.defaultdict(list)  # with what servers did for it, also after the build's end
        self.ran = {}
        self.phases = phases  # in the order of the table

    def measure(self, row, launcher, build):
        """Runs a build, which returns its seconds of wall and processor; counts what the launcher ran for it."""
        launcher.zero()
        before = launcher.server_seconds()
        wall, processor = build()
        launcher.settle()
        key = (row, launcher.name)
        self.walls[key].append(wall)
        self.processor[key].append(processor + launcher.server_seconds() - before)
        self.ran[key] = launcher.ran()

    def keys(self):
        """The rows that were measured."""
        rows = list(dict.fromkeys(row for row, _ in self.walls))
        groups = list(dict.fromkeys(row[:-1] for row in rows))
        return sorted(rows, key=lambda row: (groups.index(row[:-1]), self.phases.index(row[-1])))

    def wall(self, row, name):
        return median(self.walls.get((row, name), []))

    def used(self, row, name):
        """Seconds of processor."""
        return median(self.processor.get((row, name), []))

    def of(self, row, name, base, other):
        """Processor time of one, of another's."""
        return of(self.used(row, name), self.used(base, other))

    def text(self, base_of):
        """Wall (processor) of each launcher, the ratios of hipcache to the compiler alone, and what hipcache ran."""
        heads = (*self.heads, *self.names, f"{COMPARED}, of plain", f"run by {COMPARED}")
        return table(heads, [(*row, *self.cells(row, base_of(row))) for row in self.keys()])

    def cells(self, row, base):
        for name in self.names:
            yield self._pair(row, name)
        wall = ratio(self.wall(row, COMPARED), self.wall(base, "plain"))
        yield f"{wall} ({ratio(self.used(row, COMPARED), self.used(base, 'plain'))})"
        yield told_of(self.ran.get((row, COMPARED)))

    def _pair(self, row, name):
        wall = self.wall(row, name)
        return "-" if wall is None else f"{seconds(wall)} ({self.used(row, name):.2f})"
