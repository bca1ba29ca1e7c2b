"""Peers that are stopped: they exist, but do not answer."""

import signal
import time

import machine
import patience
import tree
from faults_kills import moment, some_state
from table_of_faults import fault


@fault("stopped peers", "daemon stopped before compiles")
def daemon_before(case):
    commands = case.project.some(3)
    case.warm(commands[0])
    case.cache.signal(signal.SIGSTOP)
    case.note("SIGSTOP to the daemon")
    case.compile(commands[0], patience.FIRST_STOPPED)
    for command in commands[1:]:
        case.compile(command, patience.NEXT_STOPPED)
    if case.rng.random() < 0.4:
        case.control("--show-stats")
    if case.rng.random() < 0.7:
        case.note("SIGCONT to the daemon")
        case.cache.signal(signal.SIGCONT)
    else:
        case.note("SIGKILL to the daemon")
        case.cache.kill()
    case.expect_recovery("the daemon was stopped for a while", *commands)
    case.expect_owed("the daemon was stopped for a while")


@fault("stopped peers", "daemon stopped during compiles")
def daemon_during(case):
    first = case.project.slow()
    some_state(case, first)
    others = [one for one in case.project.some(2) if one.argv[-1] != first.argv[-1]]

    def stop(_):
        moment(case, case.expected_known(first))
        case.note("SIGSTOP to the daemon")
        case.cache.signal(signal.SIGSTOP)
        if case.rng.random() < 0.6:
            time.sleep(case.rng.uniform(0, 3))
            number = case.rng.choice((signal.SIGCONT, signal.SIGCONT, signal.SIGKILL))
            case.note(f"{number.name} to the daemon")
            case.cache.signal(number)

    case.compile_all([first, *others], patience.SILENT, meanwhile=stop)
    case.cache.signal(signal.SIGCONT)
    case.expect_recovery("the daemon was stopped during compiles", first)
    case.expect_owed("the daemon was stopped during compiles")


@fault("stopped peers", "client and its children stopped while another compiles the same")
def client(case):
    first = case.rng.choice((case.project.kernel(), case.project.clang_cpp(), case.project.gcc_c()))
    second = first
    case.cache.serve()
    wanted = case.expected(first)
    case.project.clean()
    before = tree.files_in(case.project.directory)
    stopped = case.start(first)
    moment(case, wanted)
    case.note("SIGSTOP to the client and its children")
    stopped.signal(signal.SIGSTOP, whole=True)
    other = case.start(second)
    one = case.end(other, second, patience.bound(patience.TAKEN_STEP, wanted))
    # A third client; the daemon knows about the stopped one by now.
    third = case.start(second)
    two = case.end(third, second, patience.bound(patience.TAKEN_STEP, wanted))
    if case.rng.random() < 0.5:
        case.note("SIGCONT to the client and its children")
        stopped.signal(signal.SIGCONT, whole=True)
        ended = case.end(stopped, first, 3600)
        if ended.code != wanted.code:
            case.finding(f"a client that was stopped for a while: {ended.told()}: {ended.err[-300:]}: {first}")
    else:
        machine.end_all(stopped.tree())
        stopped.wait(5)
    case.judge([second, second], [one, two], [wanted, wanted], before, ignored=_temporaries(wanted))
    case.expect_recovery("a client was stopped", first, second)


def _temporaries(wanted):
    """Prefixes of the temporary files that a killed compiler leaves beside its outputs."""
    return tuple(name.rsplit(".", 1)[0] + "-" for name in wanted.files)


@fault("stopped peers", "compiler stopped for a while")
def compiler(case):
    command = case.project.slow()
    some_state(case, command)

    def stop(running):
        moment(case, case.expected_known(command))
        children = running[0].children()
        case.note(f"SIGSTOP to {len(children)} children")
        for pid in children:
            machine.send(pid, signal.SIGSTOP)
        time.sleep(case.rng.uniform(0, 3))
        for pid in children:
            machine.send(pid, signal.SIGCONT)

    case.compile_all([command], meanwhile=stop)
    case.expect_recovery("a compiler was stopped for a while", command)
    case.expect_owed("a compiler was stopped for a while")


@fault("stopped peers", "starting daemon stopped")
def starting(case):
    commands = case.project.some(2)
    case.warm(commands[0])
    case.cache.stop()

    def stop(_):
        machine.wait_until(case.cache.daemons, 2)
        time.sleep(case.rng.uniform(0, 0.02))
        case.note("SIGSTOP to the daemon that starts")
        case.cache.signal(signal.SIGSTOP)

    case.compile_all(commands, patience.SILENT, meanwhile=stop)
    case.compile(commands[1], patience.FIRST_STOPPED)
    case.cache.signal(case.rng.choice((signal.SIGCONT, signal.SIGKILL)))
    # The first compile may still bypass a daemon that was found stopped a moment ago.
    case.expect_recovery("a daemon was stopped while it started", commands[1])
    case.expect_owed("a daemon was stopped while it started")
