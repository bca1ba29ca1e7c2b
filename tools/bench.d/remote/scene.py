"""One fixture project and compiler: machine A fills the shared caches, then machines with empty
stores build from them."""

import dataclasses
import os
import random

from delay_proxy import DelayProxy
from fixture import Fixture
from process import Failed
from remote.machines import Machine, RemoteCcache, first_compile
from remote.redis_traffic import RedisTraffic
from remote.samples import NEW, WARM, Sample
from remote.tiers import DIRECTORY, REDIS

PLAIN, PLAIN_FAR, LOCAL, CCACHE = "plain", "plain, -j8", "local hits", "redis, by ccache"
FILLING, FILLING_BY_CCACHE = "filling", "filling by ccache"
ROUND_TRIP = 0.05  # seconds
# For a machine that fills the caches: a busy machine must not lose a write. Limits change no byte.
PATIENT = "timeout=30s&connect_timeout=30s"
FAR_JOBS = 8


def far(tier_name):
    return f"{tier_name}, far"


@dataclasses.dataclass
class Traffic:
    """Bytes: of values, as hipcache counts them, and of all that the server exchanged, where it
    tells that."""

    written: int | None = None
    read: int | None = None
    filling: int | None = None
    reading: int | None = None


class Scene:
    """`part` gets what is measured. close() ends what was started. `tiers`: shared caches by name."""

    def __init__(self, part, project, compiler, directory, tiers):
        self.row, self.tiers = (project, f"clang {compiler}"), tiers
        self.samples, self.traffic = part.samples, part.traffic
        program, ccache = part.launchers["hipcache"].command, part.launchers.get("ccache")
        self.maker, self.local, self.other = (Machine(program, name, directory) for name in ("a", "local", "b"))
        self.ccache = RemoteCcache(ccache.command, "ccache", directory) if REDIS in tiers and ccache else None
        self.server = RedisTraffic(tiers[REDIS].port) if REDIS in tiers else None
        self.first = first_compile(directory, compiler, part.archs)
        self.alone = Fixture(project, compiler, part.launchers["plain"], directory)
        self.cached = Fixture(project, compiler, self.maker, directory)
        self.ccached = Fixture(project, compiler, self.ccache, directory) if self.ccache else None
        self._configure(part.archs)

    def close(self):
        for machine in (self.maker, self.local, self.other):
            machine.stop()
        if self.server:
            self.server.close()

    def _configure(self, archs):
        """Untimed. The caches are empty again before anything is measured."""
        self.alone.configure(archs)
        self.maker.renew()
        self.cached.configure(archs)
        if self.ccache:
            self.ccache.renew(f"file://{self.ccache.directory}-configure")
            self.ccached.configure(archs)

    def build(self, fixture, jobs, flush=False):
        """Makes the objects, timed with what the launcher's server does for them; then the links.
        `flush`: waits for writes."""
        launcher = fixture.launcher
        fixture.clean()
        objects = fixture.objects()
        before = launcher.server_seconds()
        wall, processor = fixture.build(jobs, objects)
        flushed = launcher.flush() if flush else 0
        launcher.settle()
        processor += launcher.server_seconds() - before
        links, _ = fixture.build(jobs)
        return Sample(wall, processor, links, launcher.ran_since() if launcher.cache else 0, flushed)

    def _add(self, source, state, sample):
        self.samples.add(self.row, source, state, sample)

    def plain(self):
        self._add(PLAIN, WARM, self.build(self.alone, os.cpu_count()))

    def fill(self):
        """The first build anywhere: machine A writes to all servers at once."""
        self.maker.renew(*(tier.url_with(PATIENT) for tier in self.tiers.values()))
        before = self.server.total() if self.server else 0
        sample = self.build(self.cached, os.cpu_count(), flush=True)
        told = self.maker.tiers()
        if len(told) != len(self.tiers) or any(tier["write_errors"] for tier in told):
            raise Failed(f"machine A did not fill all shared caches: {told}")
        for name, its in zip(self.tiers, told):
            self.traffic[self.row, name] = Traffic(written=its["bytes_written"])
        if self.server:
            self.traffic[self.row, REDIS].filling = self.server.total() - before
        self._add(FILLING, NEW, sample)
        self.maker.run(self.first)
        self.maker.flush()
        self.maker.stop()

    def fill_by_ccache(self):
        if self.ccache:
            self.ccache.renew(self.tiers[REDIS].url)
            before = self.server.total()
            self._add(FILLING_BY_CCACHE, NEW, self.build(self.ccached, os.cpu_count()))
            self.traffic[self.row, CCACHE] = Traffic(filling=self.server.total() - before)

    def fill_local(self):
        """A store that has everything, of a machine without a shared cache."""
        self.local.renew(self.tiers[DIRECTORY].url)
        for urls in (self.local.urls, []):
            self.local.stop()
            self.local.urls = urls
            self.local.run(self.first)
            self.build(self.cached.for_launcher(self.local), os.cpu_count())

    def round(self):
        """Each source once with a daemon that has compiled, and once without a daemon, in random
        order."""
        turns = [lambda: self._local(WARM), lambda: self._local(NEW)]
        for name in self.tiers:
            turns += [lambda name=name, state=state: self._remote(name, state) for state in (WARM, NEW)]
        if self.ccache:
            turns.append(self._by_ccache)
        random.shuffle(turns)
        for turn in turns:
            turn()

    def _local(self, state):
        if state == NEW:
            self.local.stop()
        self._add(LOCAL, state, self.build(self.cached.for_launcher(self.local), os.cpu_count()))

    def _begin(self, url, state):
        """Machine B with an empty store."""
        self.other.renew(url)
        if state == WARM:
            self.other.run(self.first)
            self.other.ran_since()

    def _remote(self, name, state):
        self._begin(self.tiers[name].url, state)
        counts = state == WARM  # without the first compile
        read = self.other.tiers()[0]["bytes_read"] if counts else 0
        before = self.server.total() if self.server else 0
        self._add(name, state, self.build(self.cached.for_launcher(self.other), os.cpu_count()))
        if counts:
            self.traffic[self.row, name].read = self.other.tiers()[0]["bytes_read"] - read
        if counts and name == REDIS:
            self.traffic[self.row, REDIS].reading = self.server.total() - before

    def _by_ccache(self):
        self.ccache.renew(self.tiers[REDIS].url)
        before = self.server.total()
        self._add(CCACHE, WARM, self.build(self.ccached, os.cpu_count()))
        self.traffic[self.row, CCACHE].reading = self.server.total() - before

    def far_away(self):
        """Each server behind a long way, with many compiles at once; and compiling as many at once."""
        self._add(PLAIN_FAR, WARM, self.build(self.alone, FAR_JOBS))
        for name, tier in self.tiers.items():
            if tier.port:
                proxy = DelayProxy(tier.port, ROUND_TRIP)
                try:
                    self._far_away(name, tier.url.replace(f":{tier.port}", f":{proxy.port}"))
                finally:
                    proxy.stop()

    def _far_away(self, name, url):
        for state in (WARM, NEW):
            self._begin(url, state)
            self._add(far(name), state, self.build(self.cached.for_launcher(self.other), FAR_JOBS))
            self.other.stop()
