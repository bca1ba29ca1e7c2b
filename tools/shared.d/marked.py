"""Documents that keep the result of a tool's last run: between two comments that name the tool."""

import pathlib


def marks(tool):
    return f"<!-- {tool} begins -->", f"<!-- {tool} ends -->"


def put_into(document, tool, text):
    """Replaces what stands between the tool's marks; a document without them, or with them the other way round, is an error."""
    path = pathlib.Path(document)
    first, last = marks(tool)
    before, begin, rest = path.read_text().partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise SystemExit(f"{tool}: {path} has no {first} and {last}")
    path.write_text(f"{before}{first}\n{text}\n{last}{after}")
