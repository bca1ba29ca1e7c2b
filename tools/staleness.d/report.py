"""The table of verdicts, as text and as Markdown."""

from collections import Counter

from cases import GROUPS
from judge import ORDER
from reporting import narrow_table, table


def _cases(result, launchers):
    """A row for each case: group, title, and for each launcher the verdict, or both compilers' verdicts if they
    differ."""
    clangs = sorted({row["clang"] for row in result["cases"]})
    by_case = {}
    for row in result["cases"]:
        by_case.setdefault((row["group"], row["case"]), {})[row["clang"]] = row["verdicts"]
    for (group, title), tried in sorted(by_case.items(), key=lambda one: GROUPS.index(one[0][0])):
        cells = []
        for launcher in launchers:
            outcomes = {clang: verdicts[launcher]["outcome"] for clang, verdicts in tried.items()}
            if len(set(outcomes.values())) == 1:
                cells.append(next(iter(outcomes.values())))
            else:
                cells.append(", ".join(f"{clang}: {outcome}" for clang, outcome in sorted(outcomes.items())))
        only = "" if len(tried) == len(clangs) else f" (clang {', '.join(sorted(tried))} only)"
        yield group, title + only, cells


def _sums(result, launchers):
    for launcher in launchers:
        counted = Counter(row["verdicts"][launcher]["outcome"] for row in result["cases"])
        yield launcher, [counted.get(outcome, 0) for outcome in ORDER]


def _versions(result):
    return ", ".join(f"{name} {version}".strip() for name, version in result["versions"].items())


def text(result, launchers):
    cases = table(("case", *launchers), [(title, *cells) for _, title, cells in _cases(result, launchers)])
    sums = table(("launcher", *ORDER), [(name, *counts) for name, counts in _sums(result, launchers)])
    return f"{cases}\n\n{sums}\n\n{result['date']}: {_versions(result)}"


def markdown(result, launchers):
    sums = [(name, *counts) for name, counts in _sums(result, launchers)]
    parts = [f"Of {result['date']}: {_versions(result)}.", narrow_table(("", *ORDER), sums)]
    by_group = {}
    for group, title, cells in _cases(result, launchers):
        by_group.setdefault(group, []).append((title, *map(_emphasized, cells)))
    parts += [narrow_table((group, *launchers), rows) for group, rows in by_group.items()]
    return "\n\n".join(parts)


def _emphasized(cell):
    return cell if cell == "ok" else f"**{cell}**"
