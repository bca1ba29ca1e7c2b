"""The faults. Each module adds its own with the decorator."""

import dataclasses
import typing

KINDS = ("no fault", "kills", "stopped peers", "disk", "corruption", "edits", "setups")
TABLE = []


@dataclasses.dataclass(frozen=True)
class Fault:
    kind: str
    title: str
    strike: typing.Callable  # returns the commands that must hit again when the fault is over
    what: str  # the fault as a finding tells it
    harmless: bool  # what hit before hits before anything is compiled again
    needs_mounts: bool

    def run(self, case):
        """Whatever the fault did, a healthy cache must be had afterwards. Nothing that is still owed may be lost."""
        case.note(f"{self.kind}: {self.title}")
        commands = self.strike(case) or ()
        if self.harmless:
            case.expect_owed(self.what)
        if commands:
            case.expect_recovery(self.what, *commands)
        if not self.harmless:
            case.expect_owed(self.what)


def fault(kind, title, what, harmless=False, needs_mounts=False):
    assert kind in KINDS

    def add(function):
        TABLE.append(Fault(kind, title, function, what, harmless, needs_mounts))
        return function

    return add
