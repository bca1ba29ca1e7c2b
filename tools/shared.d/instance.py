"""hipcache with a cache directory, and so a daemon, of its own."""

import json
import pathlib

import processes
from process import Running, must, run

CONTROL_SECONDS = 75  # bounds every option of hipcache's; src/cli/control/control.cpp waits 60 s for a reply


class Instance:
    """As a launcher (launchers.py) it has a name, a command and an environment. `base`: the environment without
    hipcache's variables, or None for an empty one. `settings`: further variables. Audits nothing without
    HIPCACHE_AUDIT among them: which steps run must not depend on chance."""

    name = "hipcache"

    def __init__(self, program, directory, base=None, **settings):
        self.command = str(program)
        self.directory = pathlib.Path(directory)
        self.base, self.settings = base or {}, settings

    def environment(self):
        own = {"HIPCACHE_DIR": str(self.directory), "HIPCACHE_CONFIG": "/dev/null", "HIPCACHE_AUDIT": "0"}
        return {**self.base, **own, **self.settings}

    def start(self, argv, cwd):
        """A compile that runs."""
        return Running([self.command, *argv], self.environment(), cwd)

    def run(self, argv, cwd, variables=None):
        return run([self.command, *argv], {**self.environment(), **(variables or {})}, cwd)

    def control(self, *options, cwd="/"):
        return run([self.command, *options], self.environment(), cwd, CONTROL_SECONDS)

    def must(self, *options, cwd="/", variables=None):
        """What an option that has to work prints."""
        return must([self.command, *options], {**self.environment(), **(variables or {})}, cwd)

    def zero(self):
        self.must("--zero-stats")

    def stats(self):
        return json.loads(self.must("--show-stats", "--format", "json"))

    def id_of(self, argv, cwd, variables=None):
        """The id that hipcache gives the command's translation unit; empty if it gives none."""
        planned = self.must("--plan", "--format", "json", "--", *argv, cwd=cwd, variables=variables)
        return json.loads(planned).get("cuid") or ""

    def daemons(self):
        return processes.find("hipcached", str(self.directory))

    def remotes(self):
        """The daemon's process for shared caches."""
        return processes.find("hipcache-remote", str(self.directory))

    def stop(self):
        """Lets the daemon finish its writes and exit; True if it exited by itself."""
        self.control("--stop-server")
        if processes.wait_until(lambda: not self.daemons(), 15):
            return True
        self.kill()
        return False

    def kill(self):
        processes.end_all(self.daemons())
