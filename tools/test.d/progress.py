"""Runs a long command and shows how far it is: on a terminal in one line, in a log as a line now and then.

The output of ninja and ctest is mostly one line for each thing that went well. Those lines become the progress; every
other line is shown as it is.
"""

import re
import subprocess
import sys
import time

PAUSE = 30  # seconds between two lines of a log
BUILT = re.compile(r"^\[(\d+)/(\d+)\] ")
TESTED = re.compile(r"^ *(\d+)/(\d+) Test +#\d+: (.+?) \.{2,}(.*?) +(\d+\.\d+) sec")
STARTED = re.compile(r"^ +Start +\d+: ")
SUMMARY = re.compile(r"^\d+% tests passed")


def span(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


class Meter:
    """The line that says how far a stage is."""

    def __init__(self, what):
        self.what, self.begun = what, time.monotonic()
        self.last = self.begun
        self.on_terminal = sys.stdout.isatty()

    def at(self, done, of, note=""):
        now = time.monotonic()
        line = f"   {self.what}: {done} of {of}, {span(now - self.begun)}{note}"
        if self.on_terminal:
            print(f"\r{line}\033[K", end="", flush=True)
        elif now - self.last >= PAUSE:
            self.last = now
            print(line, flush=True)

    def say(self, line):
        if self.on_terminal:
            print("\r\033[K", end="")
        print(line, flush=True)

    def end(self):
        if self.on_terminal:
            print("\r\033[K", end="", flush=True)


def lines_of(command, **more):
    """The command's lines of output as they come, then its exit code."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          **more) as running:
        for line in running.stdout:
            yield line.rstrip("\n")
        yield running.wait()


def build(command):
    """Runs a build; true if it succeeds."""
    meter = Meter("build")
    for line in lines_of(command):
        if isinstance(line, int):
            meter.end()
            return line == 0
        if match := BUILT.match(line):
            meter.at(*match.groups())
        elif line != "ninja: no work to do.":
            meter.say(line)


class Tested:
    """What a run of ctest said: whether all passed, how long each test took, and the summary's lines."""

    def __init__(self):
        self.good, self.seconds, self.failed, self.skipped, self.summary = False, {}, [], [], []

    def note(self):
        counts = ((len(self.failed), "failed"), (len(self.skipped), "skipped"))
        return "".join(f", {count} {what}" for count, what in counts if count)


def test(command):
    """Runs ctest; holds its summary back."""
    meter, result = Meter("tests"), Tested()
    for line in lines_of(command):
        if isinstance(line, int):
            result.good = line == 0
        elif result.summary or SUMMARY.match(line):
            result.summary.append(line)
        elif match := TESTED.match(line):
            done, of, name, verdict, seconds = match.groups()
            result.seconds[name] = float(seconds)
            if "Skipped" in verdict:
                result.skipped.append(name)
            elif "Passed" not in verdict:
                result.failed.append(name)
                meter.say(line)
            meter.at(done, of, result.note())
        elif not STARTED.match(line) and line and not line.startswith(("Test project", "Internal ctest changing")):
            meter.say(line)
    meter.end()
    return result
