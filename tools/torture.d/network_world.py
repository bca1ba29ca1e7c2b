"""What faults of networks are tried with: real servers, and compiles whose results are known and published."""

import contextlib
import random
import shutil

import patience
from cache import Cache
from judge import Yardstick
from project import Command, Project, depfile_words

import servers

PATIENT = "timeout=30s&connect_timeout=30s"
MAKERS = {"redis": servers.redis, "http": servers.nginx, "grpc": servers.bazel_remote, "s3": servers.versitygw}
SMALL, LARGE, HIP = 36, 6, 4
# More than an answer carries besides the values' names, so it travels as a blob of its own; it does not compress.
NOISE = 100_000


class Broken(Exception):
    """The tool cannot work: a healthy network does not serve."""


class World:
    """Servers, and the commands that all of them hold the results of. Read by several threads after fill()."""

    def __init__(self, program, directory, clang):
        self.program, self.directory, self.clang = program, directory, clang
        self.servers = {}
        self.commands = []
        self.expected = {}  # by command
        for name in ("home", "tmp"):
            (directory / name).mkdir()
        self.project = Project(directory / "project", clang, random.Random(0))
        self._add_sources()

    def _add_sources(self):
        self.project.write("large.c", '__asm__(".data\\n.incbin \\"noise\\"\\n"); int large = SETTING;\n')
        noise = random.Random(0).randbytes(NOISE)
        (self.project.directory / "noise").write_bytes(noise)
        self.project.inputs["noise"] = noise

    def environment(self, directory):
        """Of a machine that works in that directory. Results travel between such directories."""
        return {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C",
            "HOME": str(self.directory / "home"), "TMPDIR": str(self.directory / "tmp"),
            "HIPCACHE_BASEDIR": str(directory), **servers.S3_KEYS,
        }

    def workplace(self, directory):
        """A directory with the sources."""
        directory.mkdir(parents=True)
        for name in self.project.inputs:
            shutil.copy2(self.project.directory / name, directory / name)
        return directory

    def start_servers(self):
        """Returns the names of those that are not installed."""
        missing = []
        for name, make in MAKERS.items():
            place = self.directory / f"server-{name}"
            place.mkdir()
            server = make(place)
            if server:
                self.servers[name] = server
            else:
                missing.append(name)
        if not self.servers:
            raise Broken("no server is installed: tools/setup installs Redis and nginx")
        return missing

    def stop_servers(self):
        for server in self.servers.values():
            server.stop()

    def fill(self):
        """Learns what the compiler makes, and publishes it to every server."""
        self._make_commands()
        environment = self.environment(self.project.directory)
        reference = Cache(self.program, self.directory / "reference", environment)
        yardstick = Yardstick(self.project, reference, environment)
        for command in self.commands:
            self.expected[command] = yardstick.of(command)
        reference.end()
        url = ",".join(server.url_with(PATIENT) for server in self.servers.values())
        with self.machine("publisher", self.project.directory, url) as publisher:
            for command in self.commands:
                publisher.start(command.argv, self.project.directory).wait(patience.FAULT)
            flushed = publisher.control("--flush")
            if flushed.code != 0:
                raise Broken(f"--flush to healthy servers: {flushed.told()}: {flushed.err.strip()}")
            publisher.stop()
        self.project.clean()

    def _make_commands(self):
        for number in range(SMALL):
            self._add_c("gcc" if number % 3 else f"clang-{self.clang}", "unit.c", number)
        for number in range(LARGE):
            self._add_c("gcc" if number % 2 else f"clang-{self.clang}", "large.c", number)
        for number in range(HIP):
            output = f"hip{number}.o"
            words = (f"-DSETTING={number}", *depfile_words(output), "-c", "kernel.hip", "-o", output)
            self.commands.append(Command("HIP", self.project.hip(*self.project.archs(), "-O1", *words)))

    def _add_c(self, compiler, source, number):
        output = f"{source}.{number}.o"
        words = (f"-DSETTING={number}", *depfile_words(output), "-c", source, "-o", output)
        self.commands.append(Command("C", (f"/usr/bin/{compiler}", *words)))

    @contextlib.contextmanager
    def machine(self, name, workplace, remote):
        log = {"HIPCACHE_LOG": f"{self.directory / name}.log"}
        made = Cache(self.program, self.directory / name, {**self.environment(workplace), **log})
        made.remote = remote
        try:
            yield made
        finally:
            made.crash()
            shutil.rmtree(made.directory, ignore_errors=True)
