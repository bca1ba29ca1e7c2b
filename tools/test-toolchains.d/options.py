"""Every option that a compiler's `--help-hidden` prints, beside a HIP compile for two architectures: whether hipcache
splits the compile, and if not, why. Some of those that are split are drawn for the oracle."""

import concurrent.futures
import dataclasses
import json
import pathlib
import random
import re

import command_lines
import tree
from cache import Cache, alone, workers
from small_hip import RUNTIME

ARCHS = ("--offload-arch=gfx906", "--offload-arch=gfx1030")
SOURCE = """#include "runtime.h"
struct pair { int a, b; virtual int sum() const { return a + b; } };
__global__ void add(float* out, const float* in, int n) { for (int i = 0; i < n; ++i) out[i] += in[i] * 2.5f; }
int host(int n) { pair p; p.a = n; p.b = n / 3; return p.sum(); }
"""
# In the order of the report.
SPLIT, OPAQUE, PASSED = "split", "opaque", "passed through"


@dataclasses.dataclass(frozen=True)
class Option:
    name: str  # as the help prints it
    words: tuple


def _value(holder, help_text):
    """A value for `<holder>`: one that the help names, else one of the kind that the holder names."""
    for pattern in (r"\(([\w+-]+)\|", r"'([\w+-]+)'(?:,| or| \()", r"values?(?: are|:) ([\w+-]+)(?:,| and|\.)"):
        named = re.search(pattern, help_text)
        if named:
            return named.group(1)
    if re.search(r"path|file|dir", holder):
        return "given.txt"
    return "1"


def _words(spelling, help_text):
    """The words of `-foo=<value>`, `-foo <a> <b>` and `-foo<value>`."""
    return tuple(re.sub(r"<([^>]*)>", lambda holder: _value(holder.group(1), help_text), word)
                 for word in spelling.split())


def in_help(text):
    """The options that the help prints."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        found = re.match(r"  (-\S(?:\S| (?=<))*)(.*)", line)
        if found:
            told = found.group(2) + " ".join(following for following in lines[number + 1:number + 3]
                                             if following.startswith("     "))
            yield Option(found.group(1), _words(found.group(1), told))


class Options:
    """The options of one compiler and driver, in one directory with one cache."""

    def __init__(self, program, directory, toolchain):
        self.program, self.directory, self.toolchain = program, directory, toolchain
        self.project = directory / "options"

    def _command(self, option, *more):
        return [*self.toolchain.hip(), *ARCHS, *option.words, *more, "-c", "a.hip", "-o", "a.o"]

    def _is_accepted(self, option):
        """Whether the compiler plans jobs. It may do otherwise for good: print, or check the source. With -### some
        versions of hipcc end well although the driver does not."""
        told = alone(self._command(option, "-###"), self.project)
        return told.code == 0 and ": error: " not in told.err and '"-cc1"' in told.err and '"-o" "a.o"' in told.err

    def _planned(self, option, cache):
        plan = json.loads(cache.must("--plan", "--format", "json", "--", *self._command(option), cwd=self.project))
        if not plan["reason"]:
            return SPLIT, ""
        why = f"{plan['reason']}: {plan['detail']}" if plan["detail"] else plan["reason"]
        return (OPAQUE if plan["steps"] else PASSED), why.replace(str(self.project), "")

    def plans(self):
        """What each accepted option comes to, and why."""
        tree.fresh(self.project)
        for name, text in {"a.hip": SOURCE, "runtime.h": RUNTIME, "given.txt": ""}.items():
            (self.project / name).write_text(text)
        options = {option.name: option for option in in_help(alone([self.toolchain.program, "--help-hidden"]).out)}
        with concurrent.futures.ThreadPoolExecutor(workers()) as pool:
            accepted = [option for option, good in zip(options.values(), pool.map(self._is_accepted, options.values()))
                        if good]
            with Cache(self.program, self.directory / "options-cache") as cache:
                came_to = list(pool.map(lambda option: self._planned(option, cache), accepted))
        return len(options), dict(zip(accepted, came_to))

    def check(self, plans, count, seed, driver):
        """The oracle's outcomes for `count` of the options that are split. With -fuse-cuid=hash the id is another one
        than the compiler's alone (docs/internals/cuid.md)."""
        split = [option for option, (came_to, _) in plans.items()
                 if came_to == SPLIT and not option.name.startswith("-fuse-cuid")]
        drawn = random.Random(seed).sample(split, min(count, len(split)))
        files = {"a.hip": SOURCE, "given.txt": ""}
        lines = [
            command_lines.Line("options", files, " ".join(("hip", *ARCHS, *option.words, "-c", "a.hip", "-o", "a.o")),
                               (), {}, True, ())
            for option in drawn
        ]
        return command_lines.check_all(lines, self.program, self.directory / "drawn", self.toolchain, driver)


def row(program, directory, toolchain, driver, count, seed):
    """What the report says of one compiler."""
    options = Options(program, pathlib.Path(directory), toolchain)
    printed, plans = options.plans()
    checked = options.check(plans, count, seed, driver)
    return {
        "printed": printed, "accepted": len(plans),
        "counted": {kind: sum(came_to == kind for came_to, _ in plans.values()) for kind in (SPLIT, OPAQUE, PASSED)},
        "not_split": {option.name: f"{came_to}, {why}" for option, (came_to, why) in plans.items() if came_to != SPLIT},
        "checked": len(checked), "checked_split": sum(one.came_to == command_lines.SPLIT for one in checked),
        "not_equal": [[one.line.run, list(one.differences)] for one in checked if one.differences],
    }  # fmt: skip
