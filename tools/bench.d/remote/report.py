"""The part's tables."""

from remote.samples import NEW, WARM
from remote.scene import CCACHE, FAR_JOBS, FILLING, FILLING_BY_CCACHE, LOCAL, PLAIN, PLAIN_FAR, ROUND_TRIP, far
from reporting import kilobytes, ratio, seconds, table

HEADS = ("project", "compiler")


def text_of(part):
    parts = [
        "All compiles from a shared cache, by a machine with an empty store; links left out:",
        _served(part),
        f"The first build anywhere, which fills {', '.join(part.names)} at once:",
        _filled(part),
        "Bytes of one build:",
        _bytes(part),
        f"The whole build with `-j{FAR_JOBS}`, servers behind a round trip of {1000 * ROUND_TRIP:.0f} ms:",
        _far(part),
    ]
    if part.missing:
        parts.insert(0, f"Not installed, so not measured: {', '.join(part.missing)}.")
    return "\n\n".join(parts)


def _pair(samples, row, source, state):
    """Wall (processor)."""
    wall = samples.of(row, source, state)
    return "-" if wall is None else f"{seconds(wall)} ({samples.of(row, source, state, 'processor'):.2f})"


def _ratios(samples, row, one, other):
    """The same of a ratio."""
    wall = samples.ratio(row, one, other)
    return "-" if wall is None else f"{wall:.2f} ({samples.ratio(row, one, other, 'processor'):.2f})"


def _ran(samples, row, source):
    found = [samples.ran(row, source, state) for state in (WARM, NEW)]
    return max((number for number in found if number is not None), default="-")


def _served(part):
    samples = part.samples
    heads = ("compiles", "of local hits", "of plain", "of ccache's", "by a new daemon", "of local hits by one",
             "of plain by one", "run")
    cells = []
    for row in part.subjects():
        cells.append((*row, PLAIN, _pair(samples, row, PLAIN, WARM), *["-"] * 6, "all"))
        for source in (LOCAL, *part.names, CCACHE):
            if samples.of(row, source, WARM) is None:
                continue
            warm, new = (source, WARM), (source, NEW)
            by_warm = [_ratios(samples, row, warm, (base, WARM)) for base in (LOCAL, PLAIN, CCACHE)]
            by_new = [_ratios(samples, row, new, base) for base in ((LOCAL, NEW), (PLAIN, WARM))]
            cells.append((*row, source, _pair(samples, row, *warm), *by_warm, _pair(samples, row, *new), *by_new,
                          _ran(samples, row, source)))
    return table((*HEADS, "from", *heads), cells)


def _filled(part):
    cells = []
    for row in part.subjects():
        mine, its = ((_pair(part.samples, row, source, NEW), _ratios(part.samples, row, (source, NEW), (PLAIN, WARM)))
                     for source in (FILLING, FILLING_BY_CCACHE))
        cells.append((*row, *mine, seconds(part.samples.of(row, FILLING, NEW, "flushed")), *its))
    return table((*HEADS, "compiles", "of plain", "wait of --flush", "compiles by ccache", "of plain"), cells)


def _bytes(part):
    names = ("written", "read", "filling", "reading")
    cells = [(*row, name, *(kilobytes(getattr(found, what)) for what in names))
             for (row, name), found in sorted(part.traffic.items())]
    heads = ("cache", "values written", "values read", "over the wire, filling", "over the wire, reading")
    return table((*HEADS, *heads), cells)


def _far(part):
    samples = part.samples
    cells = []
    for row in part.subjects():
        plain = samples.of(row, PLAIN_FAR, WARM, "build")
        for name in part.names:
            found = [samples.of(row, far(name), state, "build") for state in (WARM, NEW)]
            if found[0] is not None:
                times = [cell for value in found for cell in (seconds(value), ratio(value, plain))]
                cells.append((*row, name, seconds(plain), *times, _ran(samples, row, far(name))))
    heads = ("server", "plain", "from the server", "of plain", "by a new daemon", "of plain", "run")
    return table((*HEADS, *heads), cells)
