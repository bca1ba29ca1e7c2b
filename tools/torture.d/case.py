"""One case: a project, a cache, what was done to them and what was found."""

import pathlib
import shutil

import mounts
import patience
import processes
import tree
from cache import Cache
from judge import Yardstick
from oracle import differences
from project import Project
from story import Story

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def environment_of(directory):
    """Only what a compile needs, with directories of its own."""
    for name in ("home", "tmp"):
        (directory / name).mkdir(exist_ok=True)
    return {"PATH": PATH, "LC_ALL": "C", "HOME": str(directory / "home"), "TMPDIR": str(directory / "tmp")}


class Case(Story):
    """What the faults work with."""

    def __init__(self, program, reference, directory, clang, rng):
        super().__init__()
        self.program, self.rng, self.clang = program, rng, clang
        self.directory = pathlib.Path(directory)
        self.directory.mkdir(parents=True)
        self.environment = environment_of(self.directory)
        self.caches = []
        self.cache = self.new_cache("cache")
        self.project = Project(self.directory / "project", clang, rng)
        self.reference = reference
        self.yardstick = self.new_yardstick()
        self.running = []
        self._owed = []  # commands, each with the inputs with which it hit
        self._counted = {}  # of the last hits(): requests by outcome, and reasons
        self.mounts = []
        self.fault = None  # under which the case is counted

    def new_yardstick(self):
        """For the present environment."""
        return Yardstick(self.project, Cache(self.program, self.reference, self.environment), self.environment)

    def before(self):
        """The files before a compile, for judge()."""
        return tree.files_in(self.project.directory)

    def new_cache(self, name, remote=""):
        cache = Cache(self.program, self.directory / name, self.environment, remote)
        self.caches.append(cache)
        return cache

    def finding(self, text, **evidence):
        super().finding(text, **evidence)
        for cache in self.caches:
            for log in sorted(cache.directory.glob("*log*")):
                self.keep_log(log, f"{len(self.findings) - 1}-{cache.directory.name}")

    def expected(self, command):
        """The compiler's own result. No other process of the case may run meanwhile: it uses the same directory."""
        return self.yardstick.of(command)

    def expected_known(self, command):
        """As expected(), for a command that was run before: runs nothing."""
        return self.yardstick.known(command)

    def expected_quietly(self, command, as_typed=False):
        """As expected(), but restores the directory."""
        files = tree.files_in(self.project.directory)
        result = self.yardstick.of(command, as_typed)
        tree.write_out(self.project.directory, {n: one for n, one in files.items() if n not in self.project.inputs})
        return result

    def start(self, command, cache=None):
        self.note(f"start: {command}")
        running = (cache or self.cache).start(command.argv, self.project.directory)
        self.running.append(running)
        return running

    def begin(self, command):
        """Starts a command in a clean directory; returns it, the compiler's result, and the files before."""
        expected = self.expected(command)
        self.project.clean()
        before = tree.files_in(self.project.directory)
        return self.start(command), expected, before

    def compile(self, command, seconds=patience.FAULT, clean=True, cache=None):
        """Compiles through hipcache and compares with the compiler. Returns the end."""
        return self.compile_all([command], seconds, clean, cache=cache)[0]

    def compile_each(self, *commands, seconds=patience.FAULT, cache=None):
        """One after the other."""
        for command in commands:
            self.compile(command, seconds, cache=cache)

    def compile_all(self, commands, seconds=patience.FAULT, clean=True, meanwhile=None, ignored=(), cache=None):
        """Runs several commands at once, each of which writes its own files. Calls `meanwhile` with the running ones.
        Ignores files whose names begin with one of `ignored`, because `meanwhile` may have made them."""
        expected = self._expected_of(commands, clean)
        before = tree.files_in(self.project.directory)
        started = [self.start(command, cache) for command in commands]
        if meanwhile:
            meanwhile(started)
        ended = []
        for command, running, wanted in zip(commands, started, expected):
            ended.append(self.end(running, command, patience.bound(seconds, wanted)))
        self.judge(commands, ended, expected, before, ignored)
        return ended

    def _expected_of(self, commands, clean):
        leftovers = {} if clean else tree.files_in(self.project.directory)
        expected = [self.expected(command) for command in commands]
        self.project.clean()
        # The next run finds what an earlier run left.
        names = {name for wanted in expected for name in wanted.files} | set(self.project.inputs)
        tree.write_out(self.project.directory, {name: one for name, one in leftovers.items() if name not in names})
        return expected

    def judge(self, commands, ended, expected, before, ignored=()):
        """Compares what the commands left with what the compiler leaves. Of a command that this tool ended, only the
        files count."""
        mine = tree.changes(before, tree.files_in(self.project.directory))
        mine = {name: one for name, one in mine.items() if not name.startswith(tuple(ignored))}
        lines, real = [], {}
        for command, one, wanted in zip(commands, ended, expected):
            own = {name: mine.get(name) for name in wanted.files if name in mine}
            found = [] if one.late else list(differences(one, own, wanted, wanted.files))
            if found:  # for a bypass the compiler chooses the id
                typed = self.expected_quietly(command, as_typed=True)
                if not list(differences(one, own, typed, typed.files)):
                    found, wanted = [], typed
            lines += [f"{line}: {command}" for line in found]
            real.update(wanted.files)
        lines += [f"{name} is left, which the compiler does not leave" for name in mine if name not in real]
        for line in lines:
            self.finding(line, hipcache=mine, compiler=real, inputs=before)

    def hits(self, command):
        """Compiles; whether every step came from the cache."""
        self.expected(command)  # runs first, because it may take a while and must not run between the counts
        before = self.cache.stats()
        self.compile(command, patience.HEALTHY)
        after = self.cache.stats()
        if before is None or after is None:
            self._counted = "no statistics"
            return False
        self._counted = {name: count - before["requests"][name] for name, count in after["requests"].items()}
        for name in ("not_cached", "not_stored"):
            self._counted.update({why: count for why, count in after[name].items() if count != before[name].get(why)})
        self.note(f"counted: {self._counted}")
        return self._counted["hit"] > 0  # a request that another client gave up may be counted as well

    def hits_soon(self, command):
        return any(self.hits(command) for _ in range(patience.COMPILES_UNTIL_A_HIT))

    def warm(self, *commands):
        """Compiles until the commands hit. From then on they are owed as hits."""
        for command in commands:
            if self.hits_soon(command):
                self._owed = [one for one in self._owed if one[0] != command]
                self._owed.append((command, dict(self.project.inputs)))
            else:
                self.finding(f"no hit within {patience.COMPILES_UNTIL_A_HIT} compiles of a healthy cache: {command}")
        self.cache.settled()

    def forget_owed(self):
        self._owed = []

    def expect_owed(self, what):
        """For faults that leave the data intact: what hit before hits at once when the fault is over."""
        if not self.serves(what):
            return
        for command, inputs in self._owed:
            same = all(self.project.inputs.get(name) == content for name, content in inputs.items())
            if same and not self.hits(command):
                counted = self._counted
                again = "the second time it is" if self.hits(command) else "nor the second time"
                place = self.cache.directory / "store"
                store = sorted(path.name for path in place.iterdir()) if place.is_dir() else "gone"
                self.finding(f"{what}: what was stored is no hit ({again}): {command}; {counted}; store: {store}")

    def expect_recovery(self, what, *commands):
        """When the fault is over, the commands hit again within a few compiles."""
        if self.serves(what):
            for command in commands:
                if not self.hits_soon(command):
                    count = patience.COMPILES_UNTIL_A_HIT
                    self.finding(f"{what}: no hit within {count} compiles: {command}; {self._counted}")

    def serves(self, what):
        if self.cache.serve():
            return True
        last = self.cache.control("--start-server")
        self.finding(f"{what}: no daemon can be had: {last.told()}: {last.err.strip()[-200:]}")
        return False

    def control(self, *options):
        """Runs an option of hipcache's, which must answer in bounded time, whatever the answer."""
        self.note(f"hipcache {' '.join(options)}")
        ended = self.cache.control(*options)
        if ended.late:
            self.finding(f"hipcache {' '.join(options)} {ended.told()}")

    def disk(self, options):
        """Mounts an empty disk for the cache, over what it had before."""
        if self.cache.daemons():
            self.cache.stop()
        self.forget_owed()
        mounts.mount_tmpfs(self.cache.directory, options)
        self.mounts.append(self.cache.directory)

    def no_disk(self):
        """Removes the disk of disk(), so the cache has its earlier data again."""
        if self.mounts:
            self.cache.stop()
            self.forget_owed()
            while self.mounts:
                mounts.unmount(self.mounts.pop())

    def end_all(self):
        for running in self.running:
            processes.end_all(running.tree())
            running.wait(5)
        for cache in self.caches:
            cache.end()
        for place in reversed(self.mounts):
            mounts.unmount(place)
        processes.reap()
        shutil.rmtree(self.directory, ignore_errors=True)

    def keep(self, place, repeat):
        self.evidence["project"] = {name: (0, content) for name, content in self.project.inputs.items()}
        super().keep(place, repeat)
