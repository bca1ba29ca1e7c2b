"""The builds as bars, in an SVG of one panel for each project and compiler: seconds by phase and launcher."""

import html

COLOURS = {"plain": "#8c8c8c", "ccache": "#d9a441", "sccache": "#6a9fb5", "hipcache": "#b5483a"}
PANEL_WIDTH, PANEL_HEIGHT = 720, 250
LEFT, TOP, BOTTOM = 48, 84, 34
GAP = 24
COLUMNS = 2
FONT = 'font-family="sans-serif"'


def svg(figures):
    """The text of the picture; `figures` is what --json writes."""
    panels = {}
    for row in figures["builds"]:
        panels.setdefault((row["project"], row["compiler"]), []).append(row)
    lines = -(-len(panels) // COLUMNS)
    width = min(len(panels), COLUMNS) * (PANEL_WIDTH + GAP) + GAP
    height = TOP + lines * (PANEL_HEIGHT + BOTTOM + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        *_head(figures),
    ]
    for number, (name, rows) in enumerate(panels.items()):
        x = GAP + number % COLUMNS * (PANEL_WIDTH + GAP)
        y = TOP + number // COLUMNS * (PANEL_HEIGHT + BOTTOM + GAP)
        parts += _panel(x, y, ", ".join(name), rows)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _head(figures):
    yield _text(GAP, 24, "Seconds of a build, next to the compiler alone", size=16, weight="bold")
    yield _text(GAP, 44, _machine(figures["machine"]), size=11)
    x = GAP
    for name in _launchers(figures["builds"]):
        yield f'<rect x="{x}" y="54" width="12" height="12" fill="{COLOURS[name]}"/>'
        yield _text(x + 16, 64, name, size=12)
        x += 90


def _machine(machine):
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return f'{machine["date"]}; {machine["processors"]} processors, {machine["model"]}; {versions}'


def _launchers(rows):
    return [name for name in COLOURS if any(row["launcher"] == name for row in rows)]


def _panel(x, y, title, rows):
    phases = list(dict.fromkeys(row["phase"] for row in rows))
    launchers = _launchers(rows)
    seconds = {(row["phase"], row["launcher"]): row["seconds"] for row in rows}
    scale = (PANEL_HEIGHT - 30) / max(seconds.values())
    group = (PANEL_WIDTH - LEFT) / len(phases)
    bar = group * 0.8 / len(launchers)
    base = y + PANEL_HEIGHT
    yield _text(x, y + 12, title, size=13, weight="bold")
    yield f'<line x1="{x + LEFT}" y1="{base}" x2="{x + PANEL_WIDTH}" y2="{base}" stroke="black"/>'
    for column, phase in enumerate(phases):
        left = x + LEFT + column * group + group * 0.1
        yield _text(left + group * 0.4, base + 18, phase, size=12, anchor="middle")
        for place, name in enumerate(launchers):
            value = seconds.get((phase, name))
            if value is None:
                continue
            high = value * scale
            at = left + place * bar
            yield f'<rect x="{at:.1f}" y="{base - high:.1f}" width="{bar - 2:.1f}" height="{high:.1f}" fill="{COLOURS[name]}"/>'
            yield _text(at + bar / 2 - 1, base - high - 3, f"{value:.1f}", size=9, anchor="middle")


def _text(x, y, text, size, weight="normal", anchor="start"):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" {FONT} font-size="{size}" font-weight="{weight}" '
        f'text-anchor="{anchor}">{html.escape(text)}</text>'
    )
