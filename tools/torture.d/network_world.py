"""What faults of networks are tried with: real servers, and compiles whose results are known and published."""

import contextlib
import random
import shutil

import patience
import servers
from cache import Cache
from case import environment_of
from judge import Yardstick
from process import Failed
from project import Command, Project, depfile_words

PATIENT = "timeout=30s&connect_timeout=30s"
MAKERS = {"redis": servers.redis, "http": servers.nginx, "grpc": servers.bazel_remote, "s3": servers.versitygw}
SMALL, LARGE, HIP = 36, 6, 4
# More than an answer carries besides the values' names, so it travels as a blob of its own; it does not compress.
NOISE = 100_000


class World:
    """Servers, and the commands that all of them hold the results of. Read by several threads after fill()."""

    def __init__(self, program, directory, clang):
        self.program, self.directory, self.clang = program, directory, clang
        self.servers, self.commands = {}, []
        self.expected = {}  # by command
        self.project = Project(directory / "project", clang, random.Random(0))
        self.project.write("large.c", '__asm__(".data\\n.incbin \\"noise\\"\\n"); int large = SETTING;\n')
        self.project.inputs["noise"] = random.Random(0).randbytes(NOISE)
        (self.project.directory / "noise").write_bytes(self.project.inputs["noise"])

    def environment(self, directory):
        """Of a machine that works in that directory. Results travel between such directories."""
        return {**environment_of(self.directory), "HIPCACHE_BASEDIR": str(directory), **servers.S3_KEYS}

    def workplace(self, directory):
        """A directory with the sources."""
        directory.mkdir(parents=True)
        for name in self.project.inputs:
            shutil.copy2(self.project.directory / name, directory / name)
        return directory

    def start_servers(self):
        """Returns the names of those that are not installed."""
        self.servers, missing = servers.started(MAKERS, self.directory)
        if not self.servers:
            raise Failed("no server is installed: tools/setup installs Redis and nginx")
        return missing

    def stop_servers(self):
        for server in self.servers.values():
            server.stop()

    def fill(self):
        """Learns what the compiler makes, and publishes it to every server."""
        self._make_commands()
        self.expected = self.learn()
        url = ",".join(server.url_with(PATIENT) for server in self.servers.values())
        with self.machine("publisher", self.project.directory, url) as publisher:
            for command in self.commands:
                publisher.start(command.argv, self.project.directory).wait(patience.FAULT)
            publisher.must("--flush")
            publisher.stop()
        self.project.clean()

    def learn(self):
        """What the compiler makes of the sources as they are now, by command."""
        environment = self.environment(self.project.directory)
        reference = Cache(self.program, self.directory / "reference", environment)
        yardstick = Yardstick(self.project, reference, environment)
        expected = {command: yardstick.of(command) for command in self.commands}
        reference.end()
        return expected

    def _make_commands(self):
        clang = f"/usr/bin/clang-{self.clang}"
        for number in range(SMALL):
            self._add("C", ["/usr/bin/gcc" if number % 3 else clang], "unit.c", number)
        for number in range(LARGE):
            self._add("C", ["/usr/bin/gcc" if number % 2 else clang], "large.c", number)
        for number in range(HIP):
            self._add("HIP", self.project.hip(*self.project.archs(), "-O1"), "kernel.hip", number)

    def _add(self, title, begin, source, number):
        output = f"{source}.{number}.o"
        words = (f"-DSETTING={number}", *depfile_words(output), "-c", source, "-o", output)
        self.commands.append(Command(title, (*begin, *words)))

    def titled(self, title):
        return [command for command in self.commands if command.title == title]

    def log_of(self, name):
        return self.directory / f"{name}.log"

    @contextlib.contextmanager
    def machine(self, name, workplace, remote, **settings):
        environment = {**self.environment(workplace), "HIPCACHE_LOG": str(self.log_of(name)), **settings}
        made = Cache(self.program, self.directory / name, environment, remote)
        try:
            yield made
        finally:
            made.crash()
            shutil.rmtree(made.directory, ignore_errors=True)
