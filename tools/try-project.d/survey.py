"""Which units of a project the compiler alone compiles here. A project's sources may want a newer HIP than the machine
has."""

import re

from process import Failed
from reporting import seconds, table

FAILED = re.compile(r"^FAILED: (?:\[code=\d+\] )?objects/(.*)\.o\s*$")
ERROR = re.compile(r"(?:^|: )(?:fatal )?error: (.*)")


def survey(build, launcher):
    """Builds everything once, untimed. Returns the seconds of each unit that compiles, and the first error of each that
    does not."""
    build.configure(launcher)
    build.clean()
    printed = build.run_as_far_as_possible(launcher)
    errors = first_errors(printed)
    compiled = {unit for unit, (made, _) in build.digests().items() if made}
    if not compiled:
        raise Failed(f"no unit compiles:\n{printed[-3000:]}")
    took = {unit: value for unit, value in build.seconds().items() if unit in compiled}
    left_out = {unit: errors.get(str(unit), "no object") for unit in build.project.units if unit not in compiled}
    return took, left_out


def first_errors(printed):
    """The first error of each unit that ninja says has failed."""
    errors, unit = {}, None
    for line in printed.splitlines():
        failed = FAILED.match(line)
        if failed:
            unit = failed.group(1)
        elif line.startswith("["):
            unit = None
        found = ERROR.search(line)
        if unit and found:
            errors.setdefault(unit, found.group(1))
    return errors


def text(took, left_out):
    """What compiles and how long each takes, with all of the architectures; then what does not."""
    rows = [(unit, seconds(value)) for unit, value in sorted(took.items(), key=lambda item: -(item[1] or 0))]
    return "\n".join([table(("unit", "the compiler alone"), rows), *left_out_lines(left_out)])


def left_out_lines(left_out):
    if left_out:
        yield ""
        yield "Left out, as the compiler alone does not compile them here:"
        yield ""
        yield from (f"- {unit}: {error}" for unit, error in left_out.items())
