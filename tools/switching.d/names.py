"""The names that hipcache has: options, settings, options and kinds of a shared cache's URL, fields of the statistics.

They are read from the sources, so that a renamed option is found out. Fields are those that docs/statistics.md explains and
that src/stats/json.cpp writes.
"""

import re

ACTION = re.compile(r'\{"(-\w|)", "(--[\w-]+)", Action::')
VALUE = re.compile(r'\{"(--[\w-]+)",\s*"[A-Z]+",\s*\{Action::')
LENGTH = re.compile(r"std::array<(?:ActionOption|FlagOption|ValueOption), (\d+)>")
KEY = re.compile(r'\{"(\w+)",\s*"[^"]*",\s*set_')
URL_OPTION = re.compile(r'\{"(\w+)", k\w+, set_')
URL_KIND = re.compile(r'\{"([\w+]+)", RemoteKind::')
VARIABLE_ALONE = re.compile(r"^\| `(HIPCACHE_\w+)` \|", re.MULTILINE)
EXPLAINED_KEY = re.compile(r"^\| `(\w+)` \| `(HIPCACHE_\w+)` \|", re.MULTILINE)
EXPLAINED_FIELDS = re.compile(r"^\| (`[^|]*`) \|", re.MULTILINE)
REASON = re.compile(r'= "([a-z-]+)";')
REFUSAL = re.compile(r'"([a-z-]+)"')
WORD = re.compile(r"\w+")
WRITTEN = re.compile(r'"(\w+)"')
PLACEHOLDER = re.compile(r"<(\w+)>")


class Names:
    def __init__(self, root):
        def text(path):
            return (root / path).read_text()

        options = text("src/cli/options/options.cpp")
        actions, values = ACTION.findall(options), VALUE.findall(options)
        self.long_options = {name for _, name in actions} | set(values)
        self.options = self.long_options | {brief for brief, _ in actions if brief}
        self.settings = {f"HIPCACHE_{key.upper()}" for key in KEY.findall(text("src/config/keys.cpp"))}
        page = text("docs/configuration.md")
        self.explained_settings = {variable for _, variable in EXPLAINED_KEY.findall(page)}
        self.variables = self.settings | set(VARIABLE_ALONE.findall(page))
        self.url_options = set(URL_OPTION.findall(text("src/config/remote_options.cpp")))
        self.url_kinds = set(URL_KIND.findall(text("src/config/remote_url.cpp")))
        self.fields = set(_fields(text("docs/statistics.md")))
        self.written_words = set(WRITTEN.findall(text("src/stats/json.cpp")))
        reasons = REASON.findall(text("include/hipcache/compiler/reason.h") + text("src/daemon/request/reason.h"))
        self.reasons = set(reasons) | set(REFUSAL.findall(text("include/hipcache/inputs/run.h")))
        self._expected_options = sum(int(length) for length in LENGTH.findall(options))

    def problems(self):
        """What shows that this reader no longer understands the sources."""
        if len(self.long_options) != self._expected_options or not self._expected_options:
            yield f"src/cli/options/options.cpp: {len(self.long_options)} options read, {self._expected_options} declared"
        for variable in sorted(self.settings ^ self.explained_settings):
            yield f"{variable}: src/config/keys.cpp and the table of docs/configuration.md differ"
        for what, found in (("kinds of URLs", self.url_kinds), ("options of URLs", self.url_options), ("fields", self.fields)):
            if not found:
                yield f"no {what} found: is this the right root?"

    def to_be_mentioned(self):
        """Every name that a user can set or type, in the form of the tables."""
        return self.long_options | self.variables | {f"?{name}" for name in self.url_options} | {f"{kind}://" for kind in self.url_kinds}

    def missing(self, use):
        """The first name in a use that hipcache does not have, or None."""
        for word in words(use):
            if not self._has(word):
                return word
        return None

    def _has(self, word):
        if word.startswith("-"):
            return word in self.options
        if word.startswith("HIPCACHE_"):
            return word in self.variables
        if word.startswith("?"):
            return word[1:] in self.url_options
        if word.endswith("://"):
            return word.removesuffix("://") in self.url_kinds
        return self._has_field(word)

    def _has_field(self, field):
        if field not in self.fields:
            head, _, reason = field.rpartition(".")
            return f"{head}.<reason>" in self.fields and reason in self.reasons and self._has_field(f"{head}.<reason>")
        return all(word in self.written_words for word in WORD.findall(PLACEHOLDER.sub("", field)))


def words(use):
    """The names in a use: `--format json` has one, the option; so has `HIPCACHE_READONLY=1`, and `?mode=ro`."""
    typed = use.split()
    return [word.partition("=")[0] for at, word in enumerate(typed) if at == 0 or word.startswith("-")]


def _fields(page):
    """The fields in the first column of the page's tables. A name that begins with a dot goes on with the row's first one."""
    for cell in EXPLAINED_FIELDS.findall(page):
        first, *others = re.findall(r"`([^`]+)`", cell)
        yield first
        for other in others:
            yield first.rpartition(".")[0] + other if other.startswith(".") else other
