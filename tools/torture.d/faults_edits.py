"""Edits between compiles and during them."""

import shutil
import threading
import time

import patience
import tree
from project import Command
from table_of_faults import fault

PLACES = ("source", "shared.h", "device.h")
MORE = ("-g", "-DMORE=1", "-fPIC", "-fno-inline", "-S", "-ffunction-sections")


def _sources(command):
    return [word for word in command.argv if word.endswith((".hip", ".cpp", ".c"))]


def _edit(case, command, **how):
    place = case.rng.choice(PLACES)
    names = _sources(command) if place == "source" else [place]
    for name in names:
        case.note(f"edit: {name} {how}")
        case.project.edit(name, **how)
    case.project.settle()


@fault("edits", "sources and headers edited between compiles")
def between(case):
    commands = case.project.some(2)
    case.warm(*commands)
    for _ in range(case.rng.randrange(2, 5)):
        command = case.rng.choice(commands)
        _edit(case, command, in_place=case.rng.random() < 0.5)
        case.compile_all(commands, patience.HEALTHY)
        case.compile(command, patience.HEALTHY)


@fault("edits", "size and time kept")
def unseen(case):
    commands = case.project.some(2)
    case.warm(*commands)
    for _ in range(3):
        command = case.rng.choice(commands)
        _edit(case, command, in_place=case.rng.random() < 0.7, keep_time=True)
        case.compile(command, patience.HEALTHY)


@fault("edits", "undone: what was stored hits again")
def undone(case):
    command = case.rng.choice((case.project.kernel(), case.project.clang_cpp(), case.project.gcc_c()))
    case.warm(command)
    saved, numbers = dict(case.project.inputs), dict(case.project.numbers)
    _edit(case, command)
    case.compile(command, patience.HEALTHY)
    for name, content in saved.items():
        if case.project.inputs.get(name) != content:
            case.project.write(name, content.decode())
    case.project.numbers = numbers
    case.project.settle()
    case.expect_owed("an edit was undone")


@fault("edits", "other commands over the same sources")
def flags(case):
    """Different outputs and options: no step of one may serve another."""
    for _ in range(6):
        command = case.rng.choice((case.project.any, case.project.device_only, case.project.kernel))()
        if command.title.startswith(("C", "HIP")) and case.rng.random() < 0.4:
            command = command.adding(case.rng.choice(MORE))
        case.compile(command, patience.HEALTHY)
        case.compile(command, patience.HEALTHY)


@fault("edits", "compiler's wrapper edited")
def wrapper(case):
    name = f"bin/clang++-{case.project.clang}"
    plain = case.project.clang_cpp()

    def write(setting):
        lines = f'#!/bin/sh\nexec {plain.argv[0]} "$@" -DWRAPPED={setting} -fident\n'
        case.project.write(name, lines).chmod(0o755)
        case.project.settle()

    write(1)
    case.project.write("wrapped.cpp", "int wrapped() { return WRAPPED; }\n")
    case.project.settle()
    words = ("-O1", "-MMD", "-MF", "wrapped.d", "-c", "wrapped.cpp", "-o", "wrapped.o")
    command = Command("C++ behind a script", (str(case.project.directory / name), *words))
    for setting in (1, 2, 1):
        write(setting)
        case.compile(command, patience.HEALTHY)
        case.compile(command, patience.HEALTHY)
    link = case.project.directory / "compiler"
    for target in (15, 19):
        link.unlink(missing_ok=True)
        link.symlink_to(f"/usr/bin/clang++-{target}")
        case.project.inputs["compiler"] = str(target).encode()
        case.project.settle()
        case.compile(Command("C++ behind a link", (str(link), *words, "-DWRAPPED=3")), patience.HEALTHY)


@fault("edits", "during compiles")
def racing(case):
    """The racing compile may see either text. What it stores must not serve the new one."""
    command = case.project.slow()
    wanted = case.expected(command)
    for _ in range(case.rng.randrange(2, 5)):
        case.project.clean()
        running = case.start(command)
        time.sleep(case.rng.uniform(0, 0.8 * wanted.seconds + 0.02))
        for _ in range(case.rng.randrange(1, 3)):
            _edit(case, command, in_place=case.rng.random() < 0.5, keep_time=case.rng.random() < 0.3)
        ended = case.end(running, command, patience.bound(patience.HEALTHY, wanted))
        # The compile may read a half-written file if the edit is in place; an edit by rename is always complete.
        case.note(f"the racing compile: {ended.told()}")
        case.compile(command, patience.HEALTHY)
    case.expect_recovery("edits raced with compiles", command)


@fault("edits", "again and again while several compile")
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
    for command in commands:
        case.compile(command, patience.HEALTHY)
    case.expect_recovery("edits raced with compiles", *commands)


@fault("edits", "outputs and directories in the way")
def in_the_way(case):
    """Outputs that exist, read-only, as links or as directories: hipcache does what the compiler does."""
    command = case.rng.choice((case.project.clang_cpp(), case.project.gcc_c(), case.project.kernel()))
    case.warm(command)
    output = command.argv[-1]
    how = case.rng.choice(("file", "read-only", "link", "dangling link", "directory", "empty"))
    case.note(f"{output} is there: {how}")
    case.compile(command.adding())
    results = []
    # A compile whose output is a link is a bypass, so the compiler chooses the id.
    for cached, as_typed in ((True, False), (False, False), (False, True)):
        case.project.clean()
        path = case.project.directory / output
        target = case.project.directory / "target"
        if how == "directory":
            path.mkdir()
        elif how in ("link", "dangling link"):
            if how == "link":
                target.write_text("target\n")
            path.symlink_to("target")
        else:
            path.write_text("" if how == "empty" else "old\n")
            path.chmod(0o444 if how == "read-only" else 0o640)
        if cached:
            ended = case.start(command).wait(patience.FAULT)
        else:
            ended = case.yardstick.alone(command, as_typed)
        results.append((ended.code, tree.files_in(case.project.directory)))
        if how == "directory":
            shutil.rmtree(path, ignore_errors=True)
            target.unlink(missing_ok=True)
    if results[0] not in results[1:]:
        mine, real = results[0][1], results[1][1]
        names = [name for name in mine.keys() | real.keys() if mine.get(name) != real.get(name)]
        told = [(name, *((one.get(name) or ("none",))[0] for one in (mine, real))) for name in names]
        codes = f"{results[0][0]}, the compiler {results[1][0]}"
        case.finding(f"{output} was there ({how}): {codes}; {told}: {command}", hipcache=mine, compiler=real)
    case.project.clean()
    case.expect_owed("an output was in the way")
