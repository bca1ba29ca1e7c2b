"""Limits of the client, which a daemon that it starts inherits."""

import shutil

from faults_kills import some_state
from process import run
from table_of_faults import fault

USER = 61_234  # limits on processes do not apply to root
MEBI = 1 << 20


def _descriptors(rng):
    soft = rng.randrange(12, 65)
    return {"NOFILE": (soft, None if rng.random() < 0.5 else soft)}


# Title, what was allowed, and the limits of a case.
LIMITS = (
    ("few descriptors", "few descriptors were allowed", _descriptors),
    ("little address space", "little address space was allowed",
     lambda rng: {"AS": rng.choice((200, 300, 400, 600, 800, 1200, 2000)) * MEBI}),
    ("small files", "small files were allowed", lambda rng: {"FSIZE": rng.choice((16, 32, 64, 128, 256, 1024)) << 10}),
    ("small stack, no core, little locked memory", "a small stack was allowed",
     lambda rng: {"CORE": 0, "STACK": rng.choice((1, 2, 8)) * MEBI, "MEMLOCK": 0}),
    ("few processes", "few processes were allowed", lambda rng: {"NPROC": rng.randrange(4, 60)}),
)


def _add(title, what, limits_of):
    user = USER if title == "few processes" else None

    @fault("limits", title, what, needs_mounts=user is not None, needs_users=user is not None)
    def strike(case):
        """Compiles under limits, with a daemon that has them too, then without limits. A command that fails under the
        limits with the compiler alone is no finding."""
        commands = case.project.some(3)
        for _ in range(case.rng.randrange(4)):  # each end of a daemon makes more tables
            case.warm(commands[0], case.project.any())
            case.rng.choice((case.cache.stop, case.cache.stop, case.cache.kill, lambda: None))()
        if user:
            _give(case, user)
        limits = limits_of(case.rng)
        case.note(f"limits: {limits}")
        for command in (*commands, commands[0]):
            if _alone(case, command, limits, user).code == case.expected(command).code:
                _compile(case, command, limits, user)
        case.control("--show-stats")
        if case.rng.random() < 0.5:
            case.control("--stop-server")
        if user:
            case.cache.stop()
            _give(case, 0)
        return commands[1:]


def _alone(case, command, limits, user):
    case.expected(command)  # makes what the command needs
    case.project.clean()
    ended = run(command.argv, case.environment, case.project.directory, limits=limits, user=user)
    case.project.clean()
    return ended


def _compile(case, command, limits, user):
    """With daemons running, the compiler may fail under the limits too; that is not hipcache's fault."""
    found = len(case.findings)
    ended = case.compile(command, limits=limits, user=user)
    if ended.code != 0 and user and len(case.findings) > found and _alone(case, command, limits, user).code != 0:
        case.note("the compiler alone fails as well: not counted")
        del case.findings[found:]


def _give(case, user):
    for place in (case.directory, *case.directory.rglob("*")):
        if place.exists():
            shutil.chown(place, user, user)


for _row in LIMITS:
    _add(*_row)


@fault("limits", "short processor time", "the processor time was limited")
def processor(case):
    """A daemon that was started with a limit of processor time is ended by it sooner or later."""
    command = case.project.slow()
    some_state(case, command)
    case.cache.stop()
    case.compile_each(command, command, command, limits={"CPU": 20})
    return [command]
