"""Builds that were timed in turns, by row (project and compiler), what served them, and whether the
daemon was new."""

import collections
import dataclasses

from process import median

WARM, NEW = "warm daemon", "new daemon"


@dataclasses.dataclass(frozen=True)
class Sample:
    wall: float  # seconds that the compiles took
    processor: float  # seconds of processor of the compiles, the daemon and hipcache-remote
    links: float = 0  # seconds that linking took afterwards, which is not cached here
    ran: int = 0  # steps that were run; of ccache, compiles
    flushed: float = 0  # seconds that --flush then took

    @property
    def build(self):
        return self.wall + self.links


class Samples:
    def __init__(self):
        self.found = collections.defaultdict(list)

    def add(self, row, source, state, sample):
        self.found[row, source, state].append(sample)

    def of(self, row, source, state, what="wall"):
        """The median of a figure; None where nothing was measured."""
        return median(self.values(row, source, state, what))

    def values(self, row, source, state, what="wall"):
        return [getattr(sample, what) for sample in self.found.get((row, source, state), [])]

    def ratio(self, row, one, other, what="wall"):
        """Of two (source, state): the median of the ratios of pairs. If they were not measured in
        pairs, that of the medians."""
        ones, others = self.values(row, *one, what), self.values(row, *other, what)
        if not ones or not others:
            return None
        if len(ones) == len(others):
            return median([mine / its for mine, its in zip(ones, others)])
        return median(ones) / median(others)

    def ran(self, row, source, state):
        """The most steps that one build ran; None where nothing was measured."""
        return max(self.values(row, source, state, "ran"), default=None)
