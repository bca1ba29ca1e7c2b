"""Documents that keep the result of a tool's last run: between two comments that name the tool."""

import pathlib


def marks(tool):
    return f"<!-- {tool} begins -->", f"<!-- {tool} ends -->"


def with_text(document, tool, text, name):
    """The document with this text between the tool's marks. Without them, or with them the other way round, it is an error."""
    first, last = marks(tool)
    before, begin, rest = document.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise SystemExit(f"{tool}: {name} has no {first} and {last}")
    return f"{before}{first}\n{text}\n{last}{after}"


def put_into(document, tool, text):
    path = pathlib.Path(document)
    path.write_text(with_text(path.read_text(), tool, text, path))
