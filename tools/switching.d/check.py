"""What is wrong with the tables, or with the page that they make."""

import collections
import re

import names as our_names
import page

MOST_WORDS = 25  # of a sentence
SENTENCE_END = re.compile(r"[.;:] ")
VARIABLE = re.compile(r"\bHIPCACHE_[A-Z_]+[A-Z]\b")
TYPED_OPTION = re.compile(r"\bhipcache (--[\w-]+)")


def problems(root, comparison):
    names = our_names.Names(root)
    found = list(names.problems())
    for tool in comparison.tools:
        found += _doubled(tool.name, [((kind == "statistic", name), name) for kind, entry in tool.entries() for name in entry.names])
        found += [problem for _, entry in tool.entries() for problem in _of_entry(tool.name, entry, names)]
    found += _of_only_ours(comparison, names)
    found += _of_page(root, comparison, names)
    return found


def _doubled(tool, named):
    """Statistics have names of their own: ccache's `recache` is a setting and a count."""
    counts = collections.Counter(key for key, _ in named)
    return [f"{tool}: {name} is there {count} times" for (_, name), count in counts.items() if count > 1]


def _of_text(where, text):
    if not text.endswith("."):
        yield f"{where}: the text is no sentence: {text}"
    for sentence in SENTENCE_END.split(text):
        if len(sentence.split()) > MOST_WORDS:
            yield f"{where}: a sentence has more than {MOST_WORDS} words: {sentence}"


def _of_entry(tool, entry, names):
    where = f"{tool}: {entry.names[0]}"
    for use in entry.ours:
        if missing := names.missing(use):
            yield f"{where}: hipcache has no {missing}"
    yield from _of_text(where, entry.text)


def _of_only_ours(comparison, names):
    uses = [use for tool in comparison.tools for _, entry in tool.entries() for use in entry.ours]
    mentioned = {word for use in uses for word in our_names.words(use)}
    alone = [name for entry in comparison.only_ours for name in entry.names]
    yield from _doubled("hipcache", [((False, name), name) for name in alone])
    for entry in comparison.only_ours:
        yield from _of_text(f"hipcache: {entry.names[0]}", entry.text)
    for name in alone:
        if names.missing(name):
            yield f"hipcache.toml: hipcache has no {name}"
        if name in mentioned:
            yield f"hipcache.toml: {name} is the counterpart of something"
    for name in sorted(names.to_be_mentioned() - mentioned - set(alone)):
        yield f"{name} is in no table; if neither ccache nor sccache has it, name it in tools/switching.d/hipcache.toml"


def _of_page(root, comparison, names):
    text = (root / page.PLACE).read_text()
    for name in sorted(set(VARIABLE.findall(text)) - names.variables):
        yield f"{page.PLACE}: hipcache has no {name}"
    for name in sorted(set(TYPED_OPTION.findall(text)) - names.options):
        yield f"{page.PLACE}: hipcache has no {name}"
    if not page.is_current(root, comparison):
        yield f"{page.PLACE} is not up to date; run tools/switching"
