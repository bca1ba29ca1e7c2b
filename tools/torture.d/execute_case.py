"""One case of an engine of remote execution that fails: its network, its processes, its files, and this machine's."""

import re
import time

import processes
import tree
from execute_world import HEADER, HEADERS
from fault_proxy import FAULTS, FaultProxy
from network_case import NetworkCase
from small_hip import replace

MACHINES = 4
# Of each machine, one after the other. With several at once, a busy machine is faster than its worker.
COMPILES = 2
# One slot, so all but one of a compile's steps are sent.
JOBS = "1"
# A fault before the first byte of an answer costs no more.
BRIEF_MS = (2000, 5000, 10000)
AUDITS = (0, 0, 0.3)
# Two of three networks break nothing, so that the other faults meet actions that would have ended well.
GENTLE = ("none", "none", "delay", "drip")
LONGEST_QUIET = 1.2  # seconds before another fault
COMPILER = re.compile(r"clang.*|ld\.lld|lld")


class ExecuteCase(NetworkCase):
    """A machine's first compiles meet the faults. Then it compiles all of it again, which shows what was stored."""

    AT_ONCE = 2  # all of them compile

    def run(self):
        self.engine = self.world.engine(self.directory / "casd")
        for turn in range(MACHINES):
            self._suffer_with(f"case{self.number}/machine{turn}")

    def _suffer_with(self, name):
        proxy = FaultProxy(self.engine.port, self.rng.getrandbits(64), self.rng.choice((FAULTS, GENTLE, GENTLE)), "grpc")
        brief, audit = self.rng.choice(BRIEF_MS), self.rng.choice(AUDITS)
        url = f"grpc://127.0.0.1:{proxy.port}/?min_cost=1ms&timeout={brief}ms&connect_timeout={brief}ms&audit={audit}"
        self.note(f"{name}: {url}")
        try:
            with self.world.machine(name, self.workplace, "", HIPCACHE_EXECUTE=url, HIPCACHE_JOBS=JOBS) as machine:
                commands = self.rng.sample(self.world.commands, COMPILES)
                self.is_daemon_killed = False
                for command in commands:
                    self._suffer_strikes(machine, command)
                self._compile_all(machine, commands, COMPILES)
                self._count(machine)
                self._keep_log(name)
        finally:
            proxy.stop()
            for what, count in proxy.struck.items():
                self.struck["network", *what] += count

    def _suffer_strikes(self, machine, command):
        self._reset_workplace()
        self.has_other_header = False
        running = machine.start(command.argv, self.workplace)
        strikes = self.rng.choices((self._kill_casd, self._kill_compiler, self._remove_blobs, self._damage_blobs,
                                    self._change_header, self._kill_daemon, self._kill_remote),
                                   (2, 4, 2, 2, 4, 1, 1), k=self.rng.choice((0, 1, 1, 2)))
        for strike in strikes:
            time.sleep(self.rng.uniform(0, LONGEST_QUIET))
            if running.process.poll() is None and (struck := strike(machine)):
                self.note(" ".join(struck))
                self.struck[*struck, "no message", "no message"] += 1
        ended = self._end(command, running)
        if not self.has_other_header:
            self._judge([(command, ended)])
        elif ended.code != self.expected[command].code:  # which text it read is its own affair
            self.finding(f"{ended.told()}, the compiler's exit code {self.expected[command].code}: {command}")

    def _kill_casd(self, _):
        self.engine.process.kill()
        self.engine.stop()
        self.engine.start()
        return "casd", "killed"

    def _kill_compiler(self, _):
        def compilers():
            return [pid for pid in processes.below(self.engine.process.pid) if COMPILER.fullmatch(processes.named(pid))]

        if not processes.wait_until(compilers, 1):
            return None
        for pid in compilers():
            processes.end_all([pid])
        return "worker", "compiler killed"

    def _blobs(self):
        found = [path for path in (self.directory / "casd").rglob("cas/objects/*/*") if path.is_file()]
        return self.rng.sample(found, (len(found) + 1) // 2)

    def _remove_blobs(self, _):
        blobs = self._blobs()
        for path in blobs:
            path.unlink(missing_ok=True)
        return ("casd", "blobs removed") if blobs else None

    def _damage_blobs(self, _):
        blobs = [path for path in self._blobs() if path.exists() and path.stat().st_size > 0]
        for path in blobs:
            content = bytearray(path.read_bytes())
            content[self.rng.randrange(len(content))] ^= 1
            replace(path, lambda new, content=content: new.write_bytes(content))
        return ("casd", "blobs damaged") if blobs else None

    def _change_header(self, _):
        """The header comes, becomes another one, or goes. It may come and go during one compile, so what is there at its
        end says nothing."""
        self.has_other_header = True
        now = self.world.expected_with.index(self.expected)
        then = self.rng.choice([number for number in range(len(HEADERS)) if number != now])
        path = self.workplace / HEADER
        if HEADERS[then] is None:
            path.unlink()
        else:
            replace(path, lambda new: new.write_text(HEADERS[then]))
        self.inputs.pop(HEADER, None)
        self.inputs.update({name: file for name, file in tree.files_in(self.workplace).items() if name == HEADER})
        self.expected = self.world.expected_with[then]
        return "this machine", "header " + ("removed" if HEADERS[then] is None else "added" if now == 0 else "edited")

    def _kill_daemon(self, machine):
        self.is_daemon_killed = True
        machine.kill()
        return "this machine", "daemon killed"

    def _kill_remote(self, machine):
        remotes = machine.remotes()
        processes.end_all(remotes)
        return ("this machine", "hipcache-remote killed") if remotes else None

    def _count(self, machine):
        counts = machine.stats()
        if counts is None:
            self.finding("no statistics while the engine fails")
            return
        executed = counts["executed"]
        self.note(f"counted: {counts['requests']}, errors {counts['errors']}, {executed}")
        self.hits += executed["won"]
        is_broken = counts["errors"] or counts["requests"]["passthrough"]
        if executed["differences"] or (is_broken and not self.is_daemon_killed):
            self.finding(f"errors {counts['errors']}, {counts['requests']}, {executed}")

    def end_all(self):
        self.engine.stop()
        super().end_all()
