"""The figures that hipcache must reach, beside what was measured. A table, not a test: the reader judges."""

from table import table


def _row(name, limit, value, unit=""):
    if value is None:
        return {"target": name, "limit": f"<= {limit}{unit}", "measured": "-", "reached": "not measured"}
    reached = "yes" if value <= limit else "no"
    return {"target": name, "limit": f"<= {limit}{unit}", "measured": f"{value:.2f}{unit}", "reached": reached}


def _of(total, phase, name, other):
    base = total(phase, other)
    return total(phase, name) / base if base else None


def rows(builds, latency, crowd, large_store, scaling):
    hit, other = latency.of("hipcache"), latency.of("ccache")
    plain = builds.total("cold", "plain")
    memory = [value for value in builds.daemon_memory if value is not None]
    client = latency.client_memory
    floor = latency.of("floor")
    large = large_store.rows().get("a million", {})
    return [
        _row("hit of a 2-arch unit, of ccache's direct hit", 0.3, hit / other if hit and other else None),
        _row("hit of a 2-arch unit, of the floor", 2, hit / floor if hit else None),
        _row("processor time of a hit, client and daemon", 1.5, latency.cpu * 1000 if latency.cpu else None, " ms"),
        _row("processor time idle with 64 clients at once", 0.3, 1 - crowd.rows()["of_processors"]),
        _row("slowest 1 % of 64 clients at once, of the median", 10, crowd.rows()["p99_of_median"]),
        _row("hit beside misses, of that beside plain compiles", 2, crowd.rows()["misses_of_plain"]),
        _row("hit with a million actions, of that with a hundred", 1.2, large_store.ratio()),
        _row("start and first hit with a million actions", 300, large["start"] * 1000 if large else None, " ms"),
        _row(f"cold build with {len(builds.archs)} archs, of plain", 1.05, builds.total("cold", "hipcache") / plain),
        _row("processor time of a cold build, of plain", 1.02, _of(builds.processor_total, "cold", "hipcache", "plain")),
        _row("full-hit build, of ccache's", 0.35, _of(builds.total, "warm", "hipcache", "ccache")),
        _row("stored by a cold build, of ccache's", 0.6, builds.stored_ratio("cold", "hipcache", "ccache")),
        _row("one unit with 8 archs, of plain", 0.65, scaling.ratio_of("eight", "plain")),
        _row("ninth arch, of that arch alone and the host", 1.2, scaling.ratio_of("ninth", "alone")),
        _row("client's memory", 10, client / 1e6 if client else None, " MB"),
        _row("daemon's memory after the builds", 150, max(memory) / 1e6 if memory else None, " MB"),
    ]


def text_of(found):
    heads = ("target", "limit", "measured", "reached")
    return table(heads, [tuple(row[head] for head in heads) for row in found])
