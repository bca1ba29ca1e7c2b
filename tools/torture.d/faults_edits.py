"""Edits during compiles, and outputs in the way. Edits between compiles are tools/soak's."""

import threading
import time

import patience
import tree
from oracle import with_id
from process import run
from table_of_faults import fault

PLACES = ("source", "shared.h", "device.h")
# What lies where the output goes.
IN_THE_WAY = {
    "file": lambda path: path.write_text("old\n"),
    "empty": lambda path: path.write_text(""),
    "read-only": lambda path: (path.write_text("old\n"), path.chmod(0o444)),
    "link": lambda path: (path.with_name("target").write_text("target\n"), path.symlink_to("target")),
    "dangling link": lambda path: path.symlink_to("target"),
    "directory": lambda path: path.mkdir(),
}


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


@fault("edits", "outputs and directories in the way", "an output was in the way")
def in_the_way(case):
    """hipcache does what the compiler does, with the id that it chooses or, for a bypass, with the compiler's own."""
    command = case.rng.choice((case.project.clang_cpp(), case.project.gcc_c(), case.project.kernel()))
    case.warm(command)
    path = case.project.directory / command.argv[-1]
    how = case.rng.choice(list(IN_THE_WAY))
    case.note(f"{path.name} is there: {how}")
    id_ = case.cache.id_of(command.argv, case.project.directory)

    def result(argv, environment):
        case.project.clean()
        IN_THE_WAY[how](path)
        ended = run(argv, environment, case.project.directory, patience.FAULT)
        found = ended.code, tree.files_in(case.project.directory)
        tree.remove(path)
        return found

    mine = result([case.cache.program, *command.argv], case.cache.environment())
    real = [result(with_id(command.argv, one), case.environment) for one in (id_, "")]
    if mine not in real:
        names = [name for name in mine[1].keys() | real[0][1].keys() if mine[1].get(name) != real[0][1].get(name)]
        codes = f"exit code {mine[0]}, the compiler's {real[0][0]}"
        case.finding(f"{path.name} was there ({how}): {codes}; {names}: {command}", hipcache=mine[1],
                     compiler=real[0][1])
    case.project.clean()
