"""One case of broken networks: machines that compile while the ways to their servers fail."""

import collections
import random
import shutil
import time

import patience
import tree
from fault_proxy import FaultProxy
from network_world import PATIENT
from oracle import differences
from story import Story

# A tier that failed five times is left alone (docs/remote.md), so several are asked in turn.
TIERS = range(3, 7)
# A fault before the first byte of an answer costs a look-up no more.
BRIEF_MS = (20, 50, 100)
COMPILES = 8
WITH_HIP = 0.2
# Cases about results that nobody has: what is written meets the faults, and what was written is looked up.
UNPUBLISHED = 0.3
# Of those: when the network is well again, what a machine publishes serves the next one.
RECOVERING = 0.4
STOPPED_WELL = 0.2
# Cases in which the network gets well for a machine that has suffered. The longest pause of a tier that has failed, and
# a second one if a trial met what was left of the trouble, are over by then.
HEALING = 0.15
SERVED_AGAIN_SECONDS = 40
# One connection carries all calls of a tier of gRPC, so fewer faults meet it.
WEIGHTS = {"grpc": 2}


class NetworkCase(Story):
    """A seed and a number decide about everything but the moment of a fault."""

    AT_ONCE = 4  # cases wait for deadlines most of the time

    def __init__(self, world, seed, number):
        super().__init__()
        self.world, self.number = world, number
        self.rng = random.Random(f"network {seed} {number}")
        self.directory = world.directory / f"case{number}"
        self.workplace = world.workplace(self.directory / "work")
        self.inputs = tree.files_in(self.workplace)
        self.expected = world.expected
        self.hits, self.slowest = 0, 0.0
        self.struck = collections.Counter()  # by server, fault, direction and place

    def run(self):
        prefix = f"{self.rng.getrandbits(64):016x}" if self.rng.random() < UNPUBLISHED else ""
        kinds = sorted(self.world.servers)
        tiers = self.rng.choices(kinds, [WEIGHTS.get(kind, 1) for kind in kinds], k=self.rng.choice(TIERS))
        commands = self._some_commands()
        for turn in range(2 if prefix else 1):
            self._suffer(f"case{self.number}/machine{turn}", tiers, prefix, commands)
        if prefix and self.rng.random() < RECOVERING:
            self._recover(dict.fromkeys(tiers), prefix, commands)

    def _some_commands(self):
        some = self.rng.sample(self.world.titled("C"), COMPILES)
        if self.rng.random() < WITH_HIP:
            some.append(self.rng.choice(self.world.titled("HIP")))
        self.rng.shuffle(some)
        return some

    def _suffer(self, name, tiers, prefix, commands):
        """A new machine compiles, and asks for everything through networks that fail."""
        proxies, urls = [], []
        for tier in tiers:
            server = self.world.servers[tier]
            proxy = FaultProxy(server.port, self.rng.getrandbits(64), speaks=tier)
            proxies.append((tier, proxy))
            brief = self.rng.choice(BRIEF_MS)
            options = f"timeout={brief}ms&connect_timeout={brief}ms" + (f"&prefix={prefix}" if prefix else "")
            urls.append(server.url_with(options).replace(f":{server.port}", f":{proxy.port}"))
        self.note(f"{name}: {' '.join(urls)}")
        try:
            with self._machine(name, ",".join(urls)) as machine:
                self._compile_all(machine, commands, self.rng.choice((1, 2, 4)))
                self.hits += self._requests(machine).get("hit", 0)
                self._let_writes_meet_faults(proxies)
                if not prefix and self.rng.random() < HEALING:
                    self._expect_served_again(machine, proxies, commands)
                if self.rng.random() < STOPPED_WELL and not machine.stop():
                    self.finding("the daemon did not end within 15 s of --stop-server")
                self._keep_log(name)
        finally:
            for tier, proxy in proxies:
                proxy.stop()
                self.note(f"{tier}: {dict(proxy.counts)}")
                for what, count in proxy.struck.items():
                    self.struck[tier, *what] += count

    def _machine(self, name, urls):
        return self.world.machine(name, self.workplace, urls)

    def _keep_log(self, name):
        self.keep_log(self.world.log_of(name), "logs")

    def _recover(self, tiers, prefix, commands):
        """Without faults, a machine publishes and the next one is served."""
        url = ",".join(self.world.servers[tier].url_with(f"{PATIENT}&prefix={prefix}") for tier in tiers)
        for name in (f"case{self.number}/publisher", f"case{self.number}/reader"):
            with self._machine(name, url) as machine:
                self._compile_all(machine, commands, 1)
                if name.endswith("publisher"):
                    flushed = machine.control("--flush")
                    if flushed.code != 0:
                        self.finding(f"--flush to healthy servers: {flushed.told()}: {flushed.err.strip()}")
                elif (counted := self._requests(machine)).get("hit") != len(commands):
                    self.finding(f"what was published again is no hit on the next machine: {counted}")
                self._keep_log(name)

    def _compile_all(self, machine, commands, at_once):
        for begin in range(0, len(commands), at_once):
            group = commands[begin : begin + at_once]
            self._reset_workplace()
            self._judge(self._compile(machine, group))

    def _compile(self, machine, commands):
        """Compiles all at once; each command with its end."""
        started = [(command, machine.start(command.argv, self.workplace)) for command in commands]
        return [(command, self._end(command, running)) for command, running in started]

    def _end(self, command, running):
        bound = patience.bound(patience.NETWORK[command.title], self.expected[command])
        ended = self.end(running, command, bound)
        self.slowest = max(self.slowest, ended.seconds)
        return ended

    def _judge(self, ended):
        made = tree.changes(self.inputs, tree.files_in(self.workplace))
        for command, one in ended:
            expected = self.expected[command]
            own = {name: made.pop(name) for name in expected.files if name in made}
            for line in differences(one, own, expected, expected.files) if not one.late else ():
                self.finding(f"{line}: {command}", hipcache=own, compiler=expected.files)
        for name in made:
            self.finding(f"{name} is left, which the compiler does not leave")

    def _reset_workplace(self):
        for name in tree.files_in(self.workplace).keys() - self.inputs.keys():
            tree.remove(self.workplace / name)

    def _requests(self, machine):
        counts = machine.stats()
        if counts is None:
            self.finding("no statistics while the network fails")
            return {}
        self.note(f"counted: {counts['requests']}, errors {counts['errors']}, {counts['remote']}")
        if counts["errors"] or counts["requests"]["passthrough"]:
            self.finding(f"errors {counts['errors']}, {counts['requests']}")
        return counts["requests"]

    def _expect_served_again(self, machine, proxies, done):
        """Once the network is well, the machine that suffered is served again, without a restart."""
        for _, proxy in proxies:
            proxy.heal()
        left = [command for command in self.world.titled("C") if command not in done]
        before, began = self._requests(machine).get("hit", 0), time.monotonic()
        for command in left:
            self._compile_all(machine, [command], 1)
            if self._requests(machine).get("hit", 0) > before:
                return
            time.sleep(SERVED_AGAIN_SECONDS / len(left))
        self.finding(f"{time.monotonic() - began:.0f} s after the network got well, nothing is served")

    def _let_writes_meet_faults(self, proxies):
        """Until no more faults strike for a moment."""
        until, last = time.monotonic() + 2, None
        while time.monotonic() < until and (now := [sum(proxy.struck.values()) for _, proxy in proxies]) != last:
            last = now
            time.sleep(0.3)

    def end_all(self):
        shutil.rmtree(self.directory, ignore_errors=True)
