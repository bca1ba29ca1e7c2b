"""Processes that are killed at random moments."""

import dataclasses
import re
import signal
import time

import patience
import processes
import tree
from oracle import file_differences
from table_of_faults import fault

SIGNALS = ("TERM", "INT", "HUP", "QUIT", "XFSZ", "KILL", "TERM", "KILL")
# clang's name for an output that is not complete. It leaves the file if SIGKILL ends it, with hipcache and without.
INCOMPLETE = re.compile(r".*-[0-9a-f]{8}\.[^/]*\.tmp")
CRASH_REPORT = re.compile(r"^ *(Stack dump:|#0 0x)", re.MULTILINE)
TO_THE_DAEMON = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGABRT)


@fault("no fault", "nothing happens", "nothing happened")
def nothing(case):
    commands = case.project.some(case.rng.randrange(1, 4))
    case.compile_all(commands)
    case.warm(*commands, case.project.any())
    if case.rng.random() < 0.5:
        case.cache.stop()


def some_state(case, command):
    """Puts the cache into some state: cold, warm for the command, or filled with others, with a daemon or without."""
    state = case.rng.choice(("cold", "started", "warm", "filled", "stopped"))
    case.note(f"state of the cache: {state}")
    if state == "started":
        case.cache.serve()
    if state in ("filled", "stopped"):
        case.warm(case.project.clang_cpp("other.o"), case.project.kernel("other.kernel.o"))
    if state == "warm":
        case.warm(command)
    if state == "stopped":
        case.cache.stop()


def moment(case, expected):
    """Waits for some time within a compile, more often in the middle than before and after."""
    most = 1.3 * expected.seconds + 0.05 if case.rng.random() < 0.8 else 0.03
    time.sleep(case.rng.uniform(0, most))


def signal_daemon(case, number):
    case.note(f"{number.name} to the daemon")
    case.cache.signal(number)


def others(case, command):
    """Commands that write other files than this one."""
    return [one for one in case.project.some(2) if one.argv[-1] != command.argv[-1]]


def _judge_succeeded(case, command, ended, expected, before):
    """clang prints a crash report for a signal like SIGQUIT, and may go on and succeed. The compile that got the signal
    may print that report before the compiler's messages; no later one may."""
    if CRASH_REPORT.search(ended.err) and ended.err.endswith(expected.err):
        case.note("the compiler printed a crash report and went on")
        ended = dataclasses.replace(ended, err=expected.err)
    case.judge([command], [ended], [expected], before)


def _remove_incomplete(case, before):
    for name in tree.changes(before, tree.files_in(case.project.directory)):
        if INCOMPLETE.fullmatch(name):
            case.note(f"the killed compiler left {name}")
            (case.project.directory / name).unlink(missing_ok=True)


def _judge_killed(case, command, running, before, number):
    """A compile that was killed leaves complete outputs or none, and no process."""
    ended = running.wait(patience.GRACE)
    case.note(ended.told())
    if ended.late:
        case.finding(f"{ended.told()} after {number.name}: {command}")
    if not running.leaves_no_process(10):
        left = [processes.named(pid) for pid in running.tree()]
        case.finding(f"processes are left 10 s after {number.name}: {left}: {command}")
        processes.end_all(running.tree())
    expected = case.expected_quietly(command)
    if ended.code == 0:
        _judge_succeeded(case, command, ended, expected, before)
        return
    mine = tree.changes(before, tree.files_in(case.project.directory))
    if number != signal.SIGKILL:
        for name in sorted(mine.keys() - expected.files.keys()):
            case.finding(f"{name} is left after {number.name}: {command}", hipcache=mine)
    objects = {name: one for name, one in mine.items() if name in expected.files and name.endswith(".o")}
    typed = case.expected_quietly(command, as_typed=True)
    reals = [{name: wanted.files.get(name) for name in objects} for wanted in (expected, typed)]
    alike = any(not list(file_differences(objects, real)) for real in reals)
    if objects and not alike and not command.argv[0].endswith(("gcc", "g++")):  # gcc's assembler writes in place
        case.finding(f"an object that is not the compiler's is left after {number.name}: {command}", hipcache=mine)


@fault("kills", "client killed, alone, with its children, or one child", "a client was killed", harmless=True)
def client(case):
    command = case.project.slow()
    some_state(case, command)
    for _ in range(case.rng.randrange(1, 4)):
        running, expected, before = case.begin(command)
        moment(case, expected)
        number = getattr(signal, f"SIG{case.rng.choice(SIGNALS)}")
        whom = case.rng.choice(("client", "group", "child"))
        case.note(f"{number.name} to {whom}")
        if whom == "child":
            children = running.children()
            processes.send(case.rng.choice(children) if children else running.pid, number)
            ended = case.end(running, command, patience.bound(patience.FAULT, expected))
            if number == signal.SIGKILL:
                _remove_incomplete(case, before)
            if ended.code == 0:
                _judge_succeeded(case, command, ended, expected, before)
        else:
            running.signal(number, whole=whom == "group")
            _judge_killed(case, command, running, before, number)
        if whom == "client" and number != signal.SIGKILL:
            case.compile(command, clean=False)
    case.compile(command, clean=False)  # the next run removes what SIGKILL left
    return [command]


@fault("kills", "daemon killed during compiles", "the daemon was killed", harmless=True)
def daemon(case):
    first = case.project.slow()
    some_state(case, first)

    def kill(_):
        for _ in range(case.rng.randrange(1, 4)):
            moment(case, case.expected_known(first))
            signal_daemon(case, case.rng.choice(TO_THE_DAEMON))

    case.compile_all([first, *others(case, first)], meanwhile=kill)
    return [first]


@fault("kills", "all killed at once", "all were killed", harmless=True)
def everything(case):
    command = case.project.slow()
    some_state(case, command)
    running, expected, before = case.begin(command)
    moment(case, expected)
    case.note("SIGKILL to all")
    case.cache.signal(signal.SIGKILL)
    running.signal(signal.SIGKILL, whole=True)
    _judge_killed(case, command, running, before, signal.SIGKILL)
    case.compile(command, clean=False)
    return [command]


@fault("kills", "daemon told to stop during compiles", "the daemon was told to stop", harmless=True)
def told(case):
    command = case.project.slow()
    some_state(case, command)

    def stop(_):
        moment(case, case.expected_known(command))
        case.control("--stop-server")

    case.compile_all([command], meanwhile=stop)
    return [command]


@fault("kills", "storm: daemon and other clients killed again and again", "a storm of kills", harmless=True)
def storm(case):
    keep = case.project.some(3)
    case.warm(keep[0])
    victims = [case.project.kernel("victim.o"), case.project.clang_cpp("victim.cpp.o")]
    for one in victims:
        case.expected(one)

    def rage(_):
        attackers = [case.start(one) for one in victims]
        for _ in range(case.rng.randrange(3, 8)):
            time.sleep(case.rng.uniform(0, 0.2))
            if case.rng.random() < 0.4:
                signal_daemon(case, signal.SIGKILL)
            else:
                number = case.rng.choice((signal.SIGKILL, signal.SIGTERM))
                case.rng.choice(attackers).signal(number, whole=case.rng.random() < 0.5)
        for one in attackers:
            processes.end_all(one.tree())
            one.wait(10)

    case.compile_all(keep, meanwhile=rage, ignored=("victim",))
    case.compile_all(victims)
    return [keep[1]]
