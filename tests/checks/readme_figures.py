"""Checks README's figures against the pages that they come from.

usage: readme_figures.py ROOT

README's tables say what each row is made of: a phase of docs/benchmarks.md, the units or projects that were measured, and
the compilers. A row is the range over all of them. The second table counts the verdicts of docs/correctness.md.
"""

import pathlib
import re
import sys

import tracked

LAUNCHERS = ("hipcache", "ccache", "sccache")
# A row of README: the table of the page, which units or projects, which phase.
ROWS = {
    "first build of two small projects": ("Builds", ("cxx-style", "hip-language"), "cold"),
    "one architecture added to them": ("Builds", ("cxx-style", "hip-language"), "arch added"),
    "comment added beside heavy kernels": ("Edits", ("heavy",), "comment added, first"),
    "second build directory, with the path of a ROCm root in the commands": ("Builds", ("hip-language",),
                                                                                 "second directory"),
    "nothing changed": ("Builds", ("cxx-style", "hip-language"), "warm"),
}
# Phases without a change are compared with the first build.
OF_COLD = ("warm", "second directory")
COUNTED = {"stale objects": "stale", "failures that the compiler does not have": "broken",
           "compiled again for nothing": "needless miss"}


def between(text, tool):
    """What the tool wrote."""
    return re.search(f"<!-- tools/{tool} begins -->(.*?)<!-- tools/{tool} ends -->", text, re.DOTALL).group(1)


def section(text, heading):
    return re.search(rf"^### {re.escape(heading)}$(.*?)(?=^### |\Z)", text, re.MULTILINE | re.DOTALL).group(1)


def table(text):
    """The rows of the first table, each a dictionary by the heads of the columns."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    head = cells[0]
    rows = []
    for row in cells[2:]:
        if row[0] == head[0] or len(row) != len(head):
            break
        rows.append(dict(zip(head, row)))
    return rows


def processor_time(cell):
    found = re.search(r"\(([\d.]+)\)", cell)
    return float(found.group(1)) if found else None


def ratios(page, kind, units, phase, launcher):
    rows = table(section(page, kind))
    by = "project" if kind == "Builds" else "units"
    for row in rows:
        if row[by] not in units or row["phase"] != phase:
            continue
        plain = next(other["plain"] for other in rows if other[by] == row[by] and other["compiler"] == row["compiler"]
                     and other["phase"] == ("cold" if phase in OF_COLD else phase))
        yield processor_time(row[launcher]) / processor_time(plain)


def shown(values):
    low, high = (f"{value:.2f}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def expected_ratios(page):
    return {row: [shown(list(ratios(page, *measured, launcher))) for launcher in LAUNCHERS]
            for row, measured in ROWS.items()}


def verdicts(page):
    """Of each launcher, its verdicts over all cases."""
    cases = between(page, "staleness")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in cases.splitlines() if line.startswith("|")]
    rows = [row for row in rows if row[1] not in LAUNCHERS and not row[0].startswith("---")]
    return list(zip(*rows))[1:]


def expected_counts(page):
    by_launcher = verdicts(page)
    return len(by_launcher[0]), {row: [str(sum(verdict in cell for cell in cells)) for cells in by_launcher]
                                 for row, verdict in COUNTED.items()}


def rows_of(readme):
    found = {}
    for line in readme.splitlines():
        cells = [cell.strip().strip("*") for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) > 2:
            found[cells[0]] = cells[1:]
    return found


def problems_of(root):
    readme = (root / "README.md").read_text()
    rows = rows_of(readme)
    benchmarks = between((root / "docs/benchmarks.md").read_text(), "bench")
    cases, counts = expected_counts((root / "docs/correctness.md").read_text())
    for name, values in {**expected_ratios(benchmarks), **counts}.items():
        if rows.get(name) != values:
            yield f"README.md: \"{name}\" is {rows.get(name)}, of the page {values}"
    if f"of {cases} cases" not in " ".join(rows):
        yield f"README.md does not say that the comparison has {cases} cases"


def main(root):
    return tracked.finish(list(problems_of(pathlib.Path(root))), "figures of README")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
