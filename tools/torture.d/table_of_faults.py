"""The faults. Each module adds its own with the decorator."""

import dataclasses
import typing

KINDS = ("no fault", "kills", "stopped peers", "disk", "limits", "corruption", "edits", "socket", "shared cache")
TABLE = []


@dataclasses.dataclass(frozen=True)
class Fault:
    kind: str
    title: str
    run: typing.Callable
    needs_mounts: bool
    needs_users: bool  # other users than root, who run hipcache


def fault(kind, title, needs_mounts=False, needs_users=False):
    assert kind in KINDS

    def add(function):
        TABLE.append(Fault(kind, title, function, needs_mounts, needs_users))
        return function

    return add
