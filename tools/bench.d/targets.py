"""The figures that hipcache must reach, beside what was measured. A table, not a test: the reader judges."""

from table import table


def _row(name, limit, value, unit=""):
    if value is None:
        return {"target": name, "limit": f"<= {limit}{unit}", "measured": "-", "reached": "not measured"}
    reached = "yes" if value <= limit else "no"
    return {"target": name, "limit": f"<= {limit}{unit}", "measured": f"{value:.2f}{unit}", "reached": reached}


def rows(builds, latency, scaling):
    hit, other = latency.of("hipcache"), latency.of("ccache")
    plain = builds.total("cold", "plain")
    memory = [value for value in builds.daemon_memory if value is not None]
    client = latency.client_memory
    return [
        _row("hit of a 2-arch unit, of ccache's direct hit", 0.5, hit / other if hit and other else None),
        _row(f"cold build with {len(builds.archs)} archs, of plain", 1.05, builds.total("cold", "hipcache") / plain),
        _row("one unit with 8 archs, of plain", 0.65, scaling.ratio_of("eight", "plain")),
        _row("ninth arch, of that arch alone and the host", 1.2, scaling.ratio_of("ninth", "alone")),
        _row("client's memory", 10, client / 1e6 if client else None, " MB"),
        _row("daemon's memory after the builds", 150, max(memory) / 1e6 if memory else None, " MB"),
    ]


def text_of(found):
    heads = ("target", "limit", "measured", "reached")
    return table(heads, [tuple(row[head] for head in heads) for row in found])
