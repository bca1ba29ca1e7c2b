"""Peers that are stopped: they exist, but do not answer."""

import signal
import time

import patience
import processes
from faults_kills import moment, others, signal_daemon, some_state
from table_of_faults import fault


@fault("stopped peers", "daemon stopped during compiles", "the daemon was stopped during compiles")
def daemon_during(case):
    first = case.project.slow()
    some_state(case, first)

    def stop(_):
        moment(case, case.expected_known(first))
        signal_daemon(case, signal.SIGSTOP)
        if case.rng.random() < 0.6:
            time.sleep(case.rng.uniform(0, 3))
            signal_daemon(case, case.rng.choice((signal.SIGCONT, signal.SIGCONT, signal.SIGKILL)))

    case.compile_all([first, *others(case, first)], patience.SILENT, meanwhile=stop)
    case.cache.signal(signal.SIGCONT)
    return [first]


@fault("stopped peers", "client and its children stopped while another compiles the same", "a client was stopped")
def client(case):
    command = case.rng.choice((case.project.kernel(), case.project.clang_cpp(), case.project.gcc_c()))
    case.cache.serve()
    stopped, wanted, before = case.begin(command)
    moment(case, wanted)
    case.note("SIGSTOP to the client and its children")
    stopped.signal(signal.SIGSTOP, whole=True)
    # When the second of these comes, the daemon knows about the stopped one.
    ended = [
        case.end(case.start(command), command, patience.bound(patience.TAKEN_STEP, wanted)) for _ in range(2)
    ]
    if case.rng.random() < 0.5:
        case.note("SIGCONT to the client and its children")
        stopped.signal(signal.SIGCONT, whole=True)
        late = case.end(stopped, command, 3600)
        if late.code != wanted.code:
            case.finding(f"a client that was stopped for a while: {late.told()}: {late.err[-300:]}: {command}")
    else:
        processes.end_all(stopped.tree())
        stopped.wait(5)
    # A killed compiler leaves temporary files beside its outputs.
    temporaries = [name.rsplit(".", 1)[0] + "-" for name in wanted.files]
    case.judge([command, command], ended, [wanted, wanted], before, ignored=temporaries)
    return [command]


@fault("stopped peers", "compiler stopped for a while", "a compiler was stopped for a while")
def compiler(case):
    command = case.project.slow()
    some_state(case, command)

    def stop(running):
        moment(case, case.expected_known(command))
        children = running[0].children()
        case.note(f"SIGSTOP to {len(children)} children")
        for pid in children:
            processes.send(pid, signal.SIGSTOP)
        time.sleep(case.rng.uniform(0, 3))
        for pid in children:
            processes.send(pid, signal.SIGCONT)

    case.compile_all([command], meanwhile=stop)
    return [command]


@fault("stopped peers", "starting daemon stopped", "a daemon was stopped while it started")
def starting(case):
    commands = case.project.some(2)
    case.warm(commands[0])
    case.cache.stop()

    def stop(_):
        processes.wait_until(case.cache.daemons, 2)
        time.sleep(case.rng.uniform(0, 0.02))
        signal_daemon(case, signal.SIGSTOP)

    case.compile_all(commands, patience.SILENT, meanwhile=stop)
    case.compile(commands[1], patience.FIRST_STOPPED)
    case.cache.signal(case.rng.choice((signal.SIGCONT, signal.SIGKILL)))
    # The first compile may still bypass a daemon that was found stopped a moment ago.
    return [commands[1]]
