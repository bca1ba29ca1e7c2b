"""docs/switching.md: the tables between its marks."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared.d"))

import marked  # noqa: E402

PLACE = "docs/switching.md"
TOOL = "tools/switching"
NOTE = "`tools/switching` makes the rest of this page of the tables in `tools/switching.d`."


def write(root, comparison):
    marked.put_into(root / PLACE, TOOL, _tables(comparison))


def is_current(root, comparison):
    text = (root / PLACE).read_text()
    return marked.with_text(text, TOOL, _tables(comparison), PLACE) == text


def _tables(comparison):
    parts = [NOTE]
    for tool in comparison.tools:
        parts += [f"## {tool.name}", f"These tables are of {tool.name} {tool.version}."]
        for section in tool.sections:
            parts.append(f"### {section.title} of {tool.name}")
            if section.note:
                parts.append(section.note)
            parts.append(_rows((tool.name, "hipcache", "what differs, or why not"), [_cells(entry) for entry in section.entries]))
    parts.append("## Only hipcache")
    parts.append(_rows(("hipcache", "does"), [(_code(entry.names), entry.text) for entry in comparison.only_ours]))
    return "\n\n".join(parts)


def _cells(entry):
    return _code(entry.names), _code(entry.ours), entry.text


def _code(names):
    return ", ".join(f"`{name}`" for name in names)


def _rows(heads, rows):
    return "\n".join([_row(heads), "|" + "---|" * len(heads), *(_row(row) for row in rows)])


def _row(cells):
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"
