"""Checks that the relative links of every Markdown file lead somewhere, headings included.

usage: doc_links.py ROOT
"""

import pathlib
import re
import sys

import tracked

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


def anchors(text):
    """The names that GitHub gives to headings."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in HEADING.findall(text)}


def problems_of(root, path):
    text = (root / path).read_text()
    for target in LINK.findall(re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (root / path).parent / name if name else root / path
        if not file.exists():
            yield f"{path}: no file {target}"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
            yield f"{path}: no heading {target}"


def main(root):
    root = pathlib.Path(root)
    problems = [problem for path in tracked.files(root, ".md") for problem in problems_of(root, path)]
    return tracked.finish(problems, "links of the documents")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
