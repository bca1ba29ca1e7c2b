"""What other caches have, as tools/switching.d/*.toml says it. ccache.toml explains the form."""

import dataclasses
import tomllib

KINDS = ("option", "setting", "remote", "statistic")
FOLDER = "tools/switching.d"


class Wrong(Exception):
    """A table has not the form that it should have."""


@dataclasses.dataclass(frozen=True)
class Entry:
    names: list
    ours: list
    text: str


@dataclasses.dataclass(frozen=True)
class Section:
    title: str
    kind: str
    note: str
    entries: list


@dataclasses.dataclass(frozen=True)
class Tool:
    name: str
    version: str
    sections: list

    def entries(self):
        """Pairs of a kind and an entry."""
        return [(section.kind, entry) for section in self.sections for entry in section.entries]


@dataclasses.dataclass(frozen=True)
class Comparison:
    tools: list
    only_ours: list  # entries whose names are hipcache's

    def summary(self):
        """How many names of each tool there are, and how many of them have a counterpart."""
        parts = []
        for tool in self.tools:
            counts = [(len(entry.names), bool(entry.ours)) for _, entry in tool.entries()]
            parts.append(f"{tool.name}: {sum(n for n, _ in counts)} names, {sum(n for n, ours in counts if ours)} with a counterpart")
        return "; ".join(parts)


def read(root):
    return Comparison([_tool(root, name) for name in ("ccache", "sccache")], _only_ours(root))


def _listed(text):
    return [" ".join(part.split()) for part in text.split(",") if part.strip()]


def _entry(place, given, keys):
    if given.keys() != keys:
        raise Wrong(f"{place}: an entry has {', '.join(given)}, and should have {', '.join(sorted(keys))}: {given}")
    if not _listed(given["name"]):
        raise Wrong(f"{place}: an entry has no name: {given}")
    return Entry(_listed(given["name"]), _listed(given.get("ours", "")), " ".join(given["text"].split()))


def _section(place, given):
    if given.keys() - {"title", "kind", "note", "entry"} or given.get("kind") not in KINDS:
        raise Wrong(f"{place}: a section has a title, an entry, perhaps a note, and a kind, one of {', '.join(KINDS)}: {given}")
    entries = [_entry(place, entry, {"name", "ours", "text"}) for entry in given["entry"]]
    return Section(given["title"], given["kind"], given.get("note", "").strip(), entries)


def _tool(root, name):
    place = f"{FOLDER}/{name}.toml"
    table = tomllib.loads((root / place).read_text())
    return Tool(table["tool"], table["version"], [_section(place, section) for section in table["section"]])


def _only_ours(root):
    place = f"{FOLDER}/hipcache.toml"
    return [_entry(place, entry, {"name", "text"}) for entry in tomllib.loads((root / place).read_text())["entry"]]
