"""One unit and many architectures: eight at once on an idle machine, and a ninth added to eight that are stored."""

from fixture import Unit
from process import median, timed
from reporting import ratio, seconds, table
from tool import note

EIGHT = ["gfx803", "gfx900", "gfx906", "gfx908", "gfx90a", "gfx1010", "gfx1012", "gfx1030"]
# Each run adds another one, so that the eight need not be compiled again for each.
NINTH = ["gfx1031", "gfx1011", "gfx1032", "gfx902", "gfx909", "gfx1033", "gfx1034"]


class Scaling:
    def __init__(self, hipcache, directory, compiler, source):
        self.hipcache, self.directory = hipcache, directory
        self.unit = Unit(source, compiler, directory)
        self.samples = {"eight, plain": [], "eight, hipcache": [], "ninth, alone": [], "ninth, hipcache": []}

    def run(self, runs):
        for number in range(runs):
            note(f"run {number + 1}: eight architectures at once")
            self.samples["eight, plain"].append(timed(self.unit.command(EIGHT)))
            self.hipcache.renew(self.directory)
            self.samples["eight, hipcache"].append(self._cached(EIGHT))
        for arch in NINTH[:runs]:
            note(f"a ninth architecture: {arch}")
            alone = timed(self.unit.command([arch], "--offload-device-only"))
            host = timed(self.unit.command([arch], "--offload-host-only"))
            self.samples["ninth, alone"].append(alone + host)
            self.samples["ninth, hipcache"].append(self._cached([*EIGHT, arch]))

    def _cached(self, archs):
        return timed([self.hipcache.command, *self.unit.command(archs)], self.hipcache.environment())

    def ratio_of(self, what, base):
        """The median of the ratios of pairs."""
        pairs = zip(self.samples[f"{what}, hipcache"], self.samples[f"{what}, {base}"])
        return median([mine / other for mine, other in pairs])

    def text(self):
        eight, ninth = self.ratio_of("eight", "plain"), self.ratio_of("ninth", "alone")
        base = {"eight, hipcache": eight, "ninth, hipcache": ninth}
        heads = (f"{self.unit.source.name}, clang {self.unit.compiler}", "wall", "of the line above")
        rows = [(name, seconds(median(values)), ratio(base.get(name))) for name, values in self.samples.items()]
        return table(heads, rows)
