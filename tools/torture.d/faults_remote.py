"""Shared caches: servers that fail, values that are damaged, hipcache-remote killed or stopped. For failing networks,
see network_case.py."""

import signal
import time

import processes
import servers
from table_of_faults import fault

PATIENT = "timeout=30s&connect_timeout=30s"
BRIEF = "timeout=1s&connect_timeout=1s"
MAKERS = {"redis": servers.redis, "http": servers.nginx, "grpc": servers.bazel_remote}
WHAT = "a shared cache was in trouble"


def _server(case):
    """A server of one of the kinds; Redis if that one is missing."""
    for one in (case.rng.choice(tuple(MAKERS)), "redis"):
        directory = case.directory / f"server-{one}-{len(case.at_end)}"
        directory.mkdir()
        made = MAKERS[one](directory)
        if made:
            case.note(f"a shared cache by {one}")
            case.at_end.append(made.stop)
            return made
    raise RuntimeError("tools/setup installs Redis")


def _machine(case, kind, url, options=PATIENT):
    return case.new_cache(f"{kind}{len(case.caches)}", url if url.startswith("file:") else f"{url}?{options}")


def _publish(case, commands, url):
    """A machine that reaches the cache compiles until everything is stored, and publishes it."""
    healthy = _machine(case, "publisher", url)
    for command in commands:
        if not case.hits_soon(command, cache=healthy):
            case.finding(f"no local hit beside a healthy shared cache: {command}")
    flushed = healthy.control("--flush")
    if flushed.code != 0:
        case.finding(f"--flush to a healthy shared cache: {flushed.told()}: {flushed.err.strip()}")
    healthy.stop()


def _suffer(case, commands, url, meanwhile=None):
    """A machine compiles during the fault: what others published, and what nobody has. Whatever waits to be written,
    its options answer in time."""
    suffering = _machine(case, "sufferer", url, BRIEF)
    if meanwhile:
        case.compile_all(commands, cache=suffering, meanwhile=lambda _: meanwhile(suffering))
    else:
        case.compile_each(*commands, cache=suffering)
    case.project.edit("shared.h")
    case.project.settle()
    case.compile_all(commands, cache=suffering)
    for option in ("--show-stats", "--flush", "--stop-server"):
        case.control(option, cache=suffering)


def _expect_shared(case, commands, url):
    """After the fault, a machine publishes again, and the next machine is served."""
    _publish(case, commands, url)
    reader = _machine(case, "reader", url)
    for command in commands:
        if not case.hits(command, cache=reader):
            case.finding(f"{WHAT}: what was published again is no hit on another machine: {command}")


@fault("shared cache", "server that stops, hangs or starts again", WHAT)
def server_dies(case):
    server = _server(case)
    commands = case.project.some(case.rng.randrange(1, 4))
    _publish(case, commands, server.url)
    what = case.rng.choice(("stops", "hangs", "starts again"))
    case.note(f"the server {what}")

    def act(_):
        time.sleep(case.rng.uniform(0, 0.5))
        if what == "hangs":
            server.pause()
        else:
            server.stop()
        if what == "starts again":
            server.start()

    _suffer(case, commands, server.url, act)
    if what == "hangs":
        server.go_on()
    elif what == "stops":
        server.start()
    _expect_shared(case, commands, server.url)


def _damaged(content, how, rng, others):
    content = bytearray(content)
    if how == "flipped" and content:
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    elif how == "cut" and content:
        del content[rng.randrange(len(content)) :]
    elif how == "longer":
        content += rng.randbytes(rng.randrange(1, 100))
    elif how == "empty":
        content.clear()
    elif how == "another":
        return rng.choice(others)
    return bytes(content)


@fault("shared cache", "values that are damaged, exchanged or gone", WHAT)
def values(case):
    shared = case.directory / "shared"
    url = f"file://{shared}"
    commands = case.project.some(case.rng.randrange(1, 4))
    _publish(case, commands, url)
    written = {path: path.read_bytes() for path in sorted(shared.rglob("*")) if path.is_file()}
    for path, content in written.items():
        how = case.rng.choice(("nothing", "flipped", "cut", "longer", "empty", "another", "gone"))
        case.note(f"{path.relative_to(shared)}: {how}")
        if how == "gone":
            path.unlink()
        else:
            path.write_bytes(_damaged(content, how, case.rng, list(written.values())))
    _suffer(case, commands, url)
    _expect_shared(case, commands, url)


@fault("shared cache", "hipcache-remote killed or stopped", WHAT)
def process(case):
    server = _server(case)
    commands = case.project.some(case.rng.randrange(1, 4))
    _publish(case, commands, server.url)
    number = case.rng.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGSTOP))
    case.note(f"hipcache-remote gets {number.name}")

    def act(suffering):
        for _ in range(case.rng.randrange(1, 4)):
            time.sleep(case.rng.uniform(0, 0.4))
            for pid in suffering.remotes():
                processes.send(pid, number)

    _suffer(case, commands, server.url, act)
    _expect_shared(case, commands, server.url)
