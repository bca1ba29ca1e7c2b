"""The table of cases. A case is a generator over a project: it writes files, and yields what to compile then."""

import dataclasses
from collections.abc import Callable

GROUPS = ("sources and headers", "arguments and environment", "device libraries and tools", "outputs and settings", "hits that are owed")
TABLE = []


@dataclasses.dataclass(frozen=True)
class Case:
    title: str
    group: str
    steps: Callable
    clangs: tuple


def case(title, group, clangs=("15", "19")):
    def add(steps):
        TABLE.append(Case(title, group, steps, clangs))
        return steps

    return add
