"""What was tested and how often, as text and as Markdown."""

from collections import Counter

from table_of_faults import KINDS, TABLE


class Tally:
    def __init__(self, clangs):
        self.clangs = clangs
        self.cases, self.compiles, self.findings = Counter(), Counter(), Counter()

    def count(self, fault, case):
        key = (fault, case.clang)
        self.cases[key] += 1
        self.compiles[key] += case.compiles
        self.findings[key] += len(case.findings)

    def sums(self):
        return sum(self.cases.values()), sum(self.compiles.values()), sum(self.findings.values())

    def by_kind(self):
        counted = Counter()
        for (fault, _), count in self.cases.items():
            counted[fault.kind] += count
        return ", ".join(f"{kind} {counted[kind]}" for kind in KINDS if counted[kind])

    def rows(self):
        for fault in sorted(TABLE, key=lambda one: KINDS.index(one.kind)):
            keys = [(fault, clang) for clang in self.clangs]
            if any(self.cases[key] for key in keys):
                cells = [f"{self.cases[key]} / {self.compiles[key]}" for key in keys]
                yield fault.kind, fault.title, cells, sum(self.findings[key] for key in keys)


def heads(tally):
    return ("fault", *(f"clang {clang}: cases / compiles" for clang in tally.clangs), "findings")


def markdown(tally, told):
    cases, compiles, findings = tally.sums()
    lines = [f"{told}: {cases} cases, {compiles} compiles through hipcache, {findings} findings."]
    last = None
    for kind, title, cells, found in tally.rows():
        if kind != last:
            lines += ["", f"| {kind} | {' | '.join(heads(tally)[1:])} |", "|---" * (len(tally.clangs) + 2) + "|"]
            last = kind
        lines.append(f"| {title} | {' | '.join(cells)} | {found if not found else f'**{found}**'} |")
    return "\n".join(lines)
