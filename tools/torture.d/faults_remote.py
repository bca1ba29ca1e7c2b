"""Shared caches: networks and servers that fail, values that are damaged, hipcache-remote killed or stopped."""

import signal
import time

import machine
import patience
import project  # noqa: F401  (brings tools/shared.d, where the next two are)
from table_of_faults import fault

import fault_proxy
import servers

PATIENT = "timeout=30s&connect_timeout=30s"
BRIEF = "timeout=1s&connect_timeout=1s"
MAKERS = {"redis": servers.redis, "http": servers.nginx, "grpc": servers.bazel_remote}


def _server(case, *kinds):
    """A server of one of the kinds; bazel-remote may be missing."""
    kind = case.rng.choice(kinds or tuple(MAKERS))
    for one in (kind, "redis"):
        directory = case.directory / f"server-{one}-{len(case.at_end)}"
        directory.mkdir()
        made = MAKERS[one](directory)
        if made:
            case.note(f"a shared cache by {one}")
            case.at_end.append(made.stop)
            return made
    raise RuntimeError("tools/setup installs Redis")


def _machine(case, name, url, options):
    made = case.new_cache(name)
    made.remote = url if url.startswith("file:") else f"{url}?{options}"
    return made


def _publish(case, commands, url):
    """A machine that reaches the cache compiles until everything is stored, and publishes it."""
    healthy = _machine(case, f"publisher{len(case.caches)}", url, PATIENT)
    for command in commands:
        if not any(case.hits(command, cache=healthy) for _ in range(patience.COMPILES_UNTIL_A_HIT)):
            case.finding(f"no local hit beside a healthy shared cache: {command}")
    flushed = healthy.control("--flush")
    if flushed.code != 0:
        case.finding(f"--flush to a healthy shared cache: {flushed.told()}: {flushed.err.strip()}")
    healthy.stop()


def _expect_shared(case, what, commands, url):
    """After the fault, a machine publishes again, and the next machine is served."""
    _publish(case, commands, url)
    reader = _machine(case, f"reader{len(case.caches)}", url, PATIENT)
    for command in commands:
        if not case.hits(command, cache=reader):
            case.finding(f"{what}: what was published again is no hit on another machine: {command}")


def _sufferer(case, commands, url, meanwhile=None):
    """A machine that compiles during the fault: what others published, and what nobody has."""
    suffering = _machine(case, f"sufferer{len(case.caches)}", url, BRIEF)
    if meanwhile:
        case.compile_all(commands, cache=suffering, meanwhile=lambda _: meanwhile(suffering))
    else:
        for command in commands:
            case.compile(command, cache=suffering)
    case.project.edit("shared.h")
    case.project.settle()
    case.compile_all(commands, cache=suffering)
    return suffering


def _end_of(case, suffering):
    """Whatever waits to be written, the machine's options answer in time."""
    for options in (("--show-stats",), ("--flush",), ("--stop-server",)):
        ended = suffering.control(*options)
        if ended.late:
            case.finding(f"hipcache {' '.join(options)} {ended.told()} beside a shared cache in trouble")


@fault("shared cache", "network that stalls, cuts, resets, corrupts or delays")
def network(case):
    server = _server(case)
    commands = case.project.some(case.rng.randrange(1, 4))
    _publish(case, commands, server.url)
    speaks = server.url.partition(":")[0]
    proxy = fault_proxy.FaultProxy(server.port, case.rng.randrange(1 << 30), speaks=speaks)
    case.at_end.append(proxy.stop)
    suffering = _sufferer(case, commands, server.url.replace(str(server.port), str(proxy.port)))
    _end_of(case, suffering)
    case.note(f"faults of connections: {dict(proxy.counts)}")
    _expect_shared(case, "the network failed", commands, server.url)


@fault("shared cache", "server that stops, hangs or starts again")
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

    suffering = _sufferer(case, commands, server.url, act)
    _end_of(case, suffering)
    if what == "hangs":
        server.go_on()
    elif what == "stops":
        server.start()
    _expect_shared(case, "the server was in trouble", commands, server.url)


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


@fault("shared cache", "values that are damaged, exchanged or gone")
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
    suffering = _sufferer(case, commands, url)
    _end_of(case, suffering)
    _expect_shared(case, "values were damaged", commands, url)


@fault("shared cache", "hipcache-remote killed or stopped")
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
                machine.send(pid, number)

    suffering = _sufferer(case, commands, server.url, act)
    _end_of(case, suffering)
    _expect_shared(case, "hipcache-remote was in trouble", commands, server.url)
