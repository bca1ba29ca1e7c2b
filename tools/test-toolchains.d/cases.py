"""What a project goes through with one compiler and driver: builds and edits in order, with the steps that each may run.

Two units, two architectures. A cell of the table reads `2F 1B 1H`: two front ends of devices, one back end, one host compile;
`L` is a host's link."""

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
    """How many of each kind run."""

    front: int = 0
    back: int = 0
    host: int = 0
    link: int = 0

    def __str__(self):
        told = [f"{count}{letter}" for letter, count in zip("FBHL", dataclasses.astuple(self)) if count]
        return " ".join(told) or "0"


@dataclasses.dataclass(frozen=True)
class Ran:
    """Of the compiles, and of the link where there is one."""

    compiles: Steps
    link: Steps | None = None
    trouble: str = ""  # what was passed through, and the cache's own errors

    @staticmethod
    def of(built, rdc):
        counted = (built.compiles, built.link) if rdc else (built.compiles,)
        passed, errors = sum(counts.passed for counts in counted), sum(counts.errors for counts in counted)
        trouble = ", ".join(f"{count} {what}" for count, what in ((passed, "passed through"), (errors, "errors")) if count)
        steps = [Steps(counts.front, counts.back, counts.host, counts.link) for counts in counted]
        if rdc:  # compiles into bitcode have no back end; a link has no front end
            steps = [dataclasses.replace(steps[0], back=0), dataclasses.replace(steps[1], front=0)]
        return Ran(*steps, trouble=trouble)

    def __str__(self):
        told = str(self.compiles) if self.link is None else f"{self.compiles}, link {self.link}"
        return f"{told} ({self.trouble})" if self.trouble else told


_APART = {
    "cold": Steps(4, 4, 2),
    "warm": Steps(),
    "more": Steps(2, 2, 0),
    "reordered": Steps(),
    "removed": Steps(),
    "comment": Steps(2, 0, 1),
    "host": Steps(2, 0, 1),
    "one_arch": Steps(2, 1, 1),
    "kernel": Steps(2, 2, 1),
    "library": Steps(4, 4, 0),
}
_UNITS = {"cold": 2, "warm": 0, "more": 2, "reordered": 2, "removed": 2, "library": 2}
# Each unit is one step, the host's.
_WHOLE = {name: Steps(host=_UNITS.get(name, 1)) for name in _APART}
_RDC = {name: dataclasses.replace(steps, back=0) for name, steps in _APART.items()}
# Their host's compile takes in the devices' bitcode.
_RDC_NEW = {
    name: dataclasses.replace(steps, host=0 if name == "reordered" else _UNITS.get(name, 1)) for name, steps in _RDC.items()
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
_WHOLE_LINK = {name: Steps(link=1 if steps.link else 0) for name, steps in _LINK.items()}


def expected(toolchain, driver, rdc, name):
    """What runs in a case."""
    if rdc:
        new = driver == NEW
        return Ran((_RDC_NEW if new else _RDC)[name], (_WHOLE_LINK if new else _LINK)[name])
    return Ran((_APART if toolchain.takes_apart(driver) else _WHOLE)[name])
