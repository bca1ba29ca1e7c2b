"""What a project goes through with one compiler and driver: builds and edits in order, with the steps that each may
run.

Two units, two architectures. A cell of the table reads `2F 1B 1H`: two device front ends, one back end, one host
compile; `L` is a host link."""

import dataclasses

from suites import NEW

BASE = ("gfx906", "gfx1030")
MORE = (*BASE, "gfx90a")


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    title: str
    archs: tuple = BASE
    edit: str = ""


CASES = (
    Case("cold", "cold"),
    Case("warm", "warm"),
    Case("more", "one architecture more", MORE),
    Case("reordered", "reordered", tuple(reversed(MORE))),
    Case("removed", "one removed", (BASE[0], MORE[-1])),
    Case("comment", "comment edited", edit="comment"),
    Case("host", "host code edited", edit="host"),
    Case("one_arch", "one architecture's code edited", edit="one_arch"),
    Case("kernel", "a kernel edited", edit="kernel"),
    Case("library", "a device library replaced", edit="library"),
)


@dataclasses.dataclass(frozen=True)
class Steps:
    """How many steps of each kind run."""

    front: int = 0
    back: int = 0
    host: int = 0
    link: int = 0

    def __str__(self):
        told = [f"{count}{letter}" for letter, count in zip("FBHL", dataclasses.astuple(self)) if count]
        return " ".join(told) or "0"


@dataclasses.dataclass(frozen=True)
class Ran:
    """The steps of the compiles, and of the link if there is one."""

    compiles: Steps
    link: Steps | None = None
    trouble: str = ""  # bypasses, and the cache's own errors

    @staticmethod
    def of(built, toolchain, driver, rdc):
        counted = (built.compiles, built.link) if rdc else (built.compiles,)
        troubles = [(sum(counts.passed for counts in counted), "passed through"),
                    (sum(counts.errors for counts in counted), "errors")]
        told = [f"{count} {what}" for count, what in troubles if count]
        told += [f"not stored: {reason}" for counts in counted for reason in counts.not_stored]
        compiles = _steps_of(built.compiles, rdc, driver == NEW and toolchain.wraps_devices)
        # A link has no front end, so its device steps are back ends.
        link = Steps(back=built.link.device, host=built.link.host, link=built.link.link) if rdc else None
        return Ran(compiles, link, ", ".join(told))

    def __str__(self):
        told = str(self.compiles) if self.link is None else f"{self.compiles}, link {self.link}"
        return f"{told} ({self.trouble})" if self.trouble else told


def _steps_of(counts, rdc, wrapped):
    """A device step is a front end and a back end; the back end may be spared. With relocatable code it is a front end
    alone. If the linker wrapper makes the code, it is the back end, and the front end is counted separately."""
    if rdc:
        return Steps(front=counts.device, host=counts.host)
    if wrapped:
        return Steps(counts.front, counts.device, counts.host)
    return Steps(counts.device, counts.device - counts.spared, counts.host)


_SPLIT = {
    "cold": Steps(4, 4, 2),
    "warm": Steps(),
    "more": Steps(2, 2, 0),
    "reordered": Steps(),
    "removed": Steps(),
    "comment": Steps(),
    "host": Steps(2, 0, 1),
    "one_arch": Steps(2, 1, 1),
    "kernel": Steps(2, 2, 1),
    "library": Steps(4, 4, 0),
}
_UNITS = {"cold": 2, "warm": 0, "more": 2, "reordered": 2, "removed": 2, "comment": 0, "library": 2}
# Each unit is one host step.
_OPAQUE = {name: Steps(host=_UNITS.get(name, 1)) for name in _SPLIT}
_RDC = {name: dataclasses.replace(steps, back=0) for name, steps in _SPLIT.items()}
# Their host compile reads the devices' bitcode.
_RDC_NEW = {
    name: dataclasses.replace(steps, host=0 if name == "reordered" else _UNITS.get(name, 1))
    for name, steps in _RDC.items()
}
_LINK = {
    "cold": Steps(back=2, link=1),
    "warm": Steps(),
    "more": Steps(back=1, link=1),
    "reordered": Steps(),
    "removed": Steps(link=1),
    "comment": Steps(),
    "host": Steps(link=1),
    "one_arch": Steps(back=1, link=1),
    "kernel": Steps(back=2, link=1),
    "library": Steps(back=2, link=1),
}
_OPAQUE_LINK = {name: Steps(link=1 if steps.link else 0) for name, steps in _LINK.items()}


def expected(toolchain, driver, rdc, name):
    """The steps that a case may run."""
    if rdc:
        new = driver == NEW
        opaque_link = new and not toolchain.links_by_arch
        if new and name == "reordered" and toolchain.bundles_as_asked:
            return Ran(Steps(host=2), Steps(link=1))
        return Ran((_RDC_NEW if new else _RDC)[name], (_OPAQUE_LINK if opaque_link else _LINK)[name])
    if toolchain.splits(driver):
        return Ran(_SPLIT[name])
    if name == "comment" and toolchain.program == "hipcc":
        return Ran(Steps(host=1))  # hipcc adds options to the command, which nobody has seen
    return Ran(_OPAQUE[name])
