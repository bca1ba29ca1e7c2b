"""Tables in Markdown that can be read as text too, and numbers with units."""


def table(heads, rows):
    """Columns as wide as their widest cell; numbers to the right, but for the first column, which names the row."""
    cells = [[str(cell) for cell in row] for row in [heads, *rows]]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(heads))]
    lines = [_line([row[0].ljust(widths[0]), *map(_align, row[1:], widths[1:])]) for row in cells]
    return "\n".join([lines[0], _line(["-" * width for width in widths]), *lines[1:]])


def _line(cells):
    return f"| {' | '.join(cells)} |"


def _align(cell, width):
    return cell.rjust(width) if cell[:1].isdigit() else cell.ljust(width)


def seconds(value):
    return "-" if value is None else f"{value:.2f} s"


def milliseconds(value):
    return "-" if value is None else f"{value * 1000:.2f} ms"


def megabytes(value):
    return "-" if value is None else f"{value / 1e6:.1f} MB"


def ratio(value, base):
    return "-" if value is None or not base else f"{value / base:.2f}"


def kilobytes(value):
    return "-" if value is None else f"{value / 1e3:.0f} kB"
