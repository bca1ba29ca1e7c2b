"""Limits of the client, which a daemon that it starts inherits."""

import shutil

import patience
from faults_kills import some_state
from running import run
from table_of_faults import fault

USER = 61_234  # limits on processes do not apply to root
MEBI = 1 << 20


def _limited(case, limits, what, user=None):
    """Compiles under limits, with a daemon that has them too, then without limits. A command that fails under the
    limits with the compiler alone is no finding."""
    commands = case.project.some(3)
    for _ in range(case.rng.randrange(4)):  # each end of a daemon makes more tables
        case.warm(commands[0])
        case.warm(case.project.any())
        case.rng.choice((case.cache.stop, case.cache.stop, case.cache.kill, lambda: None))()
    if user:
        _give(case, user)
    case.note(f"limits: {limits}")
    for command in (*commands, commands[0]):
        expected = case.expected(command)
        if _alone(case, command, limits, user).code == expected.code:
            _compile(case, command, limits, user)
    case.control("--show-stats")
    if case.rng.random() < 0.5:
        case.control("--stop-server")
    if user:
        case.cache.stop()
        _give(case, 0)
    case.expect_recovery(what, *commands[1:])
    case.expect_owed(what)


def _alone(case, command, limits, user):
    case.project.clean()
    ended = run(command.argv, case.project.directory, case.environment, limits=limits, user=user)
    case.project.clean()
    return ended


def _compile(case, command, limits, user):
    """With daemons running, the compiler may fail under the limits too; that is not hipcache's fault."""
    case.expected(command)
    found = len(case.findings)
    ended = case.compile(command, limits=limits, user=user)
    if ended.code != 0 and user and len(case.findings) > found:
        alone = _alone(case, command, limits, user)
        if alone.code != 0:
            case.note("the compiler alone fails as well: not counted")
            del case.findings[found:]


def _give(case, user):
    for place in (case.directory, *case.directory.rglob("*")):
        if place.exists():
            shutil.chown(place, user, user)


@fault("limits", "few descriptors")
def descriptors(case):
    soft = case.rng.randrange(12, 65)
    _limited(case, {"NOFILE": (soft, None if case.rng.random() < 0.5 else soft)}, f"{soft} descriptors were allowed")


@fault("limits", "few processes", needs_mounts=True, needs_users=True)
def processes(case):
    count = case.rng.randrange(4, 60)
    _limited(case, {"NPROC": count}, f"{count} processes were allowed", USER)


@fault("limits", "little address space")
def memory(case):
    size = case.rng.choice((200, 300, 400, 600, 800, 1200, 2000))
    _limited(case, {"AS": size * MEBI}, f"{size} MiB of address space were allowed")


@fault("limits", "small files")
def files(case):
    size = case.rng.choice((16, 32, 64, 128, 256, 1024))
    _limited(case, {"FSIZE": size << 10}, f"files of {size} KiB were allowed")


@fault("limits", "small stack, no core, little locked memory")
def others(case):
    _limited(case, {"CORE": 0, "STACK": case.rng.choice((1, 2, 8)) * MEBI, "MEMLOCK": 0}, "a small stack was allowed")


@fault("limits", "short processor time")
def processor(case):
    """A daemon that was started with a limit of processor time is ended by it sooner or later."""
    command = case.project.slow()
    some_state(case, command)
    case.cache.stop()
    for _ in range(3):
        case.compile(command, limits={"CPU": 20}, seconds=patience.FAULT)
    case.expect_recovery("the processor time was limited", command)
    case.expect_owed("the processor time was limited")
