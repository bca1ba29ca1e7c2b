"""What wheel-try does within each root, by the Python that is there.

usage: wheel_try.py DIRECTORY without-compiler
       wheel_try.py DIRECTORY CLANG URLS
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

# Needs nothing but the compiler: no headers of HIP.
KERNEL = """__attribute__((device)) int twice(int value) { return value * 2; }
int main() { return 0; }
"""
ARCHS = ("gfx906", "gfx1030")
FIRST_HIT = 60  # seconds from nothing


class Try:
    def __init__(self, wheels, work):
        self.work = pathlib.Path(work)
        self.environment = dict(os.environ, HIPCACHE_CONFIG="/dev/null", HOME=work)
        python = self.work / "venv/bin/python"
        self.run([sys.executable, "-m", "venv", self.work / "venv"])
        (wheel,) = pathlib.Path(wheels).glob("*.whl")
        self.run([python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel])
        self.hipcache = self.work / "venv/bin/hipcache"

    def run(self, words, **settings):
        done = subprocess.run([str(word) for word in words], env={**self.environment, **settings}, cwd=self.work,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        if done.returncode != 0:
            sys.exit("{}: ends with {}\n{}".format(" ".join(map(str, words)), done.returncode, done.stdout))
        return done.stdout

    def compile(self, clang, cache, remote=""):
        """The object, by a cache of that name."""
        archs = ["--offload-arch=" + arch for arch in ARCHS]
        self.run([self.hipcache, clang, "-x", "hip", "-nogpuinc", "-nogpulib", *archs, "-O2", "-c", "twice.hip", "-o",
                  "twice.o"],
                 HIPCACHE_DIR=str(self.work / cache), HIPCACHE_REMOTE=remote)
        return (self.work / "twice.o").read_bytes()

    def option(self, cache, *words, **settings):
        return self.run([self.hipcache, *words], HIPCACHE_DIR=str(self.work / cache), **settings)

    def expect_hits(self, cache, hits, misses):
        counted = json.loads(self.option(cache, "--show-stats", "--format", "json"))["requests"]
        if (counted["hit"], counted["miss"], counted["passthrough"]) != (hits, misses, 0):
            sys.exit("{}: requests {}; wanted {} hits and {} misses".format(cache, counted, hits, misses))

    def stop(self, *caches):
        for cache in caches:
            self.option(cache, "--stop-server")


def without_compiler(tried):
    version = tried.option("cache", "--version").splitlines()[0]
    for program in ("hipcache-remote", "hipcached", "hipcache-client"):
        said = tried.run([tried.work / "venv/libexec/hipcache" / program, "--version"]).splitlines()[0]
        if said.split()[-1] != version.split()[-1]:
            sys.exit("{} is of another version: {}, {}".format(program, said, version))
    tried.option("cache", "--show-stats")
    if not (tried.work / "venv/share/man/man1/hipcache.1").exists():
        sys.exit("no man page")
    links = tried.run([tried.work / "venv/bin/update-hipcache-symlinks", tried.work / "links"])
    tried.stop("cache")
    print("without a compiler: {}; {}".format(version, links.strip()))


def with_compiler(tried, clang, urls, started):
    (tried.work / "twice.hip").write_text(KERNEL)
    cold = tried.compile(clang, "first")
    warm = tried.compile(clang, "first")
    seconds = time.monotonic() - started
    tried.expect_hits("first", hits=1, misses=1)
    if warm != cold or seconds > FIRST_HIT:
        sys.exit("the first hit came after {:.1f} s, and is {}".format(seconds,
                                                                       "equal" if warm == cold else "another object"))
    print("first hit {:.1f} s after nothing was installed".format(seconds))
    tried.option("first", "--doctor", "--", clang)
    tried.option("first", "--export", tried.work / "cache.tar.zst")
    tried.option("imported", "--import", tried.work / "cache.tar.zst")
    served = {"export and import": (tried.compile(clang, "imported"), "imported")}
    for kind, url in (line.split() for line in pathlib.Path(urls).read_text().splitlines()):
        filled, empty = kind + "-filled", kind + "-empty"
        tried.compile(clang, filled, url)
        tried.option(filled, "--flush", HIPCACHE_REMOTE=url)
        served[kind] = tried.compile(clang, empty, url), empty
        tried.stop(filled)
    for name, (made, cache) in served.items():
        tried.expect_hits(cache, hits=1, misses=0)
        if made != cold:
            sys.exit(name + ": another object")
        tried.stop(cache)
    tried.stop("first")
    print("served by " + ", ".join(served))


def main(wheels, *words):
    started = time.monotonic()
    work = tempfile.mkdtemp()
    tried = Try(wheels, work)
    if words[0] == "without-compiler":
        without_compiler(tried)
    else:
        with_compiler(tried, *words, started)
    shutil.rmtree(work)


if __name__ == "__main__":
    main(*sys.argv[1:])
