"""What a tool tells: tables that read as text and as Markdown, numbers with units, documents with the last run."""

import pathlib


def table(heads, rows):
    """Columns as wide as their widest cell; numbers to the right, but for the first column, which names the row."""
    cells = [[str(cell) for cell in row] for row in [heads, *rows]]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(heads))]
    lines = [_line([row[0].ljust(widths[0]), *map(_align, row[1:], widths[1:])]) for row in cells]
    return "\n".join([lines[0], _line(["-" * width for width in widths]), *lines[1:]])


def narrow_table(heads, rows):
    """The same without alignment, for documents with wide tables."""
    return "\n".join([_line(heads), "|---" * len(heads) + "|", *(_line(map(str, row)) for row in rows)])


def _line(cells):
    return f"| {' | '.join(cells)} |"


def _align(cell, width):
    return cell.rjust(width) if cell[:1].isdigit() else cell.ljust(width)


def emphasized(value):
    """A number of findings: bold unless it is zero."""
    return f"**{value}**" if value else value


def seconds(value):
    return "-" if value is None else f"{value:.2f} s"


def milliseconds(value):
    return "-" if value is None else f"{value * 1000:.2f} ms"


def megabytes(value):
    return "-" if value is None else f"{value / 1e6:.1f} MB"


def kilobytes(value):
    return "-" if value is None else f"{value / 1e3:.0f} kB"


def ratio(value, base=1):
    return "-" if value is None or not base else f"{value / base:.2f}"


def of(value, base):
    """The ratio as a number; None where one of them was not measured."""
    return value / base if value is not None and base else None


def marks(tool):
    return f"<!-- {tool} begins -->", f"<!-- {tool} ends -->"


def put_into(document, tool, text):
    """Replaces the text between the tool's marks, if a document is named. Without the marks, or with them the other way
    round, it is an error."""
    if not document:
        return
    path = pathlib.Path(document)
    first, last = marks(tool)
    before, begin, rest = path.read_text().partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise SystemExit(f"{tool}: {path} has no {first} and {last}")
    path.write_text(f"{before}{first}\n{text}\n{last}{after}")
