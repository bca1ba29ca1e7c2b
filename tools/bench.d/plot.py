"""The picture of the builds: one chart of processor time as a multiple of the compiler's, by what was changed and
launcher.

It is drawn from the tables of docs/benchmarks.md, so that picture and figures agree. A bar is a sum over all projects
and compilers, divided by the same sum of the compiler alone. Text is never on a bar. The picture has a background of
its own,
and another one for dark screens, so that it can be read on any page; tests/checks/bench_tool.py computes the contrasts.
"""

import html
import re

# Of light screens, and of dark ones.
THEMES = {
    "light": {"back": "#ffffff", "ink": "#1c2430", "faint": "#59636f", "line": "#59636f", "hipcache": "#c2321f",
              "ccache": "#a87412", "sccache": "#3d7c99"},
    "dark": {"back": "#161b22", "ink": "#e6edf3", "faint": "#9aa7b4", "line": "#9aa7b4", "hipcache": "#ff8a73",
             "ccache": "#d9a441", "sccache": "#6fb3d2"},
}
LAUNCHERS = ("hipcache", "ccache", "sccache")
# What stands at the bars, the table, its phase, and the phase of the compiler alone.
ROWS = (
    ("first build", "Builds", "cold", "cold"),
    ("an architecture added", "Builds", "arch added", "arch added"),
    ("host code edited", "Builds", "host edit", "host edit"),
    ("a comment added", "Edits", "comment added, first", "comment added, first"),
    ("second build directory", "Builds", "second directory", "cold"),
    ("nothing changed", "Builds", "warm", "cold"),
)
WIDTH = 840  # of a README; the letters are as large as its text
SIZE, SMALL = 16, 14
MARGIN, LEFT, RIGHT = 20, 210, 70
HEAD, BAR, GAP = 100, 18, 16
BEGIN = "<!-- tools/bench begins -->"
FAMILY = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


def ratios(document):
    """{(name of the row, launcher): processor time, as a multiple of the compiler's}; what was not measured is left
    out."""
    tables = {title: _table(document, title) for title in ("Builds", "Edits")}
    found = {}
    for name, title, phase, of_plain in ROWS:
        for launcher in LAUNCHERS:
            pairs = []
            for (place, measured), times in tables[title].items():
                if measured == phase and launcher in times:
                    pairs.append((times[launcher], tables[title].get((place, of_plain), {}).get("plain")))
            if pairs and None not in (plain for _, plain in pairs):
                found[name, launcher] = sum(time for time, _ in pairs) / sum(plain for _, plain in pairs)
    return found


def svg(document):
    """The text of the picture; `document` is the text of docs/benchmarks.md."""
    found = ratios(document)
    rows = [row for row, *_ in ROWS if any((row, launcher) in found for launcher in LAUNCHERS)]
    group = len(LAUNCHERS) * BAR + GAP
    height = HEAD + len(rows) * group + MARGIN
    scale = (WIDTH - LEFT - RIGHT) / max([*found.values(), 1])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>{html.escape(_summary(found))}</title>",
        f"<style>{_style()}</style>",
        f'<rect class="back" width="{WIDTH}" height="{height}" rx="8"/>',
        _text(MARGIN, 32, "Processor time of a build, as a multiple of the compiler's", "ink", SIZE, weight="bold"),
        *_legend(),
        *_limit(LEFT + scale, height),
    ]
    for number, row in enumerate(rows):
        top = HEAD + number * group
        parts.append(_text(LEFT - 12, top + group / 2 - GAP / 2 + SIZE / 3, row, "ink", SIZE, anchor="end"))
        for place, launcher in enumerate(LAUNCHERS):
            if (row, launcher) not in found:
                continue
            value, y = found[row, launcher], top + place * BAR
            parts.append(f'<rect class="{launcher}" x="{LEFT}" y="{y}" width="{max(value * scale, 2):.1f}" height="{BAR - 3}" rx="2"/>')
            said = f"{value:.2f}" if value >= 0.005 else "less than 0.01"
            parts.append(_text(LEFT + max(value * scale, 2) + 7, y + BAR - 5, said, "ink", SMALL))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _table(document, title):
    """{(project and compiler, phase): {launcher: processor time in seconds}} of the table below that title."""
    part = document.partition(BEGIN)[2].partition(f"\n### {title}\n")[2]
    table = "\n|" + part.partition("\n|")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()
            if line.startswith("| ")]
    names, measured = rows[0] if rows else [], {}
    for row in rows[1:]:
        if row[0].startswith("-"):
            continue
        cells = {name: cell for name, cell in zip(names, row) if name in ("plain", *LAUNCHERS)}
        times = {name: re.search(r"\(([\d.]+)\)", cell) for name, cell in cells.items()}
        measured[(row[0], row[1]), row[2]] = {name: float(time[1]) for name, time in times.items() if time}
    return measured


def _summary(found):
    said = [f"{row}: " + ", ".join(f"{launcher} {found[row, launcher]:.2f}" for launcher in LAUNCHERS
                                   if (row, launcher) in found) for row, *_ in ROWS]
    return "Processor time as a multiple of the compiler's. " + "; ".join(said)


def _style():
    def rules(theme):
        colours = THEMES[theme]
        each = [f".{name} {{ {'stroke' if name == 'line' else 'fill'}: {colour}; }}"
                for name, colour in colours.items()]
        return " ".join([*each, f"text {{ stroke: {colours['back']}; stroke-width: 4px; paint-order: stroke; }}"])  # over the line

    return f"{rules('light')} @media (prefers-color-scheme: dark) {{ {rules('dark')} }}"


def _limit(x, height):
    yield f'<line class="line" x1="{x:.1f}" y1="{HEAD - 8}" x2="{x:.1f}" y2="{height - MARGIN}" stroke-dasharray="4 4"/>'
    yield _text(x, HEAD - 14, "the compiler alone", "faint", SMALL, anchor="middle")


def _legend():
    x = MARGIN
    for launcher in LAUNCHERS:
        yield f'<rect class="{launcher}" x="{x}" y="47" width="14" height="14" rx="2"/>'
        yield _text(x + 21, 59, launcher, "ink", SMALL)
        x += 105


def _text(x, y, text, colour, size, weight="normal", anchor="start"):
    return (
        f'<text class="{colour}" x="{x:.1f}" y="{y:.1f}" font-family="{FAMILY}" font-size="{size}" font-weight="{weight}" '
        f'text-anchor="{anchor}">{html.escape(text)}</text>'
    )
