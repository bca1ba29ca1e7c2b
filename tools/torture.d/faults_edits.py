"""Edits during compiles. Edits between compiles are tools/soak's."""

import threading
import time

import patience
from table_of_faults import fault

PLACES = ("source", "shared.h", "device.h")


def _edit(case, command, **how):
    place = case.rng.choice(PLACES)
    sources = [word for word in command.argv if word.endswith((".hip", ".cpp", ".c"))]
    for name in sources if place == "source" else [place]:
        case.note(f"edit: {name} {how}")
        case.project.edit(name, **how)
    case.project.settle()


@fault("edits", "during compiles", "edits raced with compiles")
def racing(case):
    """The racing compile may see either text. What it stores must not serve the new one."""
    command = case.project.slow()
    for _ in range(case.rng.randrange(2, 5)):
        running, wanted, _ = case.begin(command)
        time.sleep(case.rng.uniform(0, 0.8 * wanted.seconds + 0.02))
        for _ in range(case.rng.randrange(1, 3)):
            _edit(case, command, in_place=case.rng.random() < 0.5, keep_time=case.rng.random() < 0.3)
        # The compile may read a half-written file if the edit is in place; an edit by rename is always complete.
        case.end(running, command, patience.bound(patience.HEALTHY, wanted))
        case.compile(command, patience.HEALTHY)
    return [command]


@fault("edits", "again and again while several compile", "edits raced with compiles")
def storm(case):
    commands = case.project.some(2)
    done = threading.Event()

    def edit():
        while not done.is_set():
            case.project.edit(case.rng.choice(("shared.h", "device.h")))
            time.sleep(0.03)

    for command in commands:
        case.expected(command)
    case.project.clean()
    thread = threading.Thread(target=edit)
    running = [case.start(command) for command in (*commands, *commands)]
    thread.start()
    for one in running:
        one.wait(patience.FAULT + patience.GRACE)
    done.set()
    thread.join()
    case.project.settle()
    case.compile_each(*commands, seconds=patience.HEALTHY)
    return commands
