"""Servers of shared caches for tarball-try and wheel-try: prints one line when all run, and ends them with its input.

usage: try_servers.py DIRECTORY       which gets a file "urls": kind and URL in each line
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared.d"))
import servers  # noqa: E402

KINDS = {"redis-tls": servers.redis_with_tls, "http": servers.nginx, "bazel-remote": servers.bazel_remote}


def main(directory):
    started, missing = servers.started(KINDS, directory)
    for kind in missing:
        print(f"{kind} is not installed, and not tried (tools/setup, tools/test-servers)", file=sys.stderr)
    (directory / "urls").write_text("".join(f"{kind} {server.url}\n" for kind, server in started.items()))
    print("ready", flush=True)
    sys.stdin.read()
    for server in started.values():
        server.stop()


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
