"""The shared caches that the bench asks: real servers on loopback, as far as they are installed, and a directory."""

import pathlib

import servers

REDIS, DIRECTORY = "redis", "directory"
MAKERS = {REDIS: servers.redis, "http (nginx)": servers.nginx, "grpc (bazel-remote)": servers.bazel_remote}


class Tier:
    """`url`: what HIPCACHE_REMOTE names. `port`: of the server; None for a directory."""

    def __init__(self, name, url, server=None):
        self.name, self.url, self.server = name, url, server
        self.port = server.port if server else None

    @property
    def patient_url(self):
        """For a machine that fills the cache: a busy machine must not lose a write. Limits change no byte."""
        return f"{self.url}?timeout=30s&connect_timeout=30s" if self.server else self.url

    def url_by(self, port):
        """The same server behind a proxy on that port."""
        return self.url.replace(f":{self.port}", f":{port}", 1)


class Tiers:
    """Starts every server that is installed, each with an empty directory below the given one."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.found, self.missing = [], []

    def __enter__(self):
        started, self.missing = servers.started(MAKERS, self.directory)
        self.found = [Tier(name, server.url, server) for name, server in started.items()]
        place = self.directory / "tier-directory"
        place.mkdir()
        self.found.append(Tier(DIRECTORY, f"file://{place}"))
        return self

    def __exit__(self, *_):
        for tier in self.found:
            if tier.server:
                tier.server.stop()

    def named(self, name):
        """The tier of that name, or None."""
        return next((tier for tier in self.found if tier.name == name), None)
