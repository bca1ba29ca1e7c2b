"""The shared caches that the bench asks: real servers on loopback, as far as they are installed, and a directory."""

import contextlib
import pathlib

import servers

REDIS, DIRECTORY = "redis", "directory"
MAKERS = {REDIS: servers.redis, "http (nginx)": servers.nginx, "grpc (bazel-remote)": servers.bazel_remote}


class Directory:
    """What is asked of a server: it has no port, and needs no options."""

    port = None

    def __init__(self, place):
        place.mkdir(parents=True)
        self.url = f"file://{place}"

    def url_with(self, _options):
        return self.url


@contextlib.contextmanager
def shared_caches(directory):
    """All of them by name, each with an empty directory below the given one, and the names of those that are
    missing."""
    found, missing = servers.started(MAKERS, directory)
    try:
        yield {**found, DIRECTORY: Directory(pathlib.Path(directory) / "tier-directory")}, missing
    finally:
        for server in found.values():
            server.stop()
