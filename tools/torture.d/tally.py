"""What was tested and how often, as text and as Markdown."""

from collections import Counter

from reporting import emphasized, narrow_table
from table_of_faults import KINDS, TABLE


class Tally:
    def __init__(self, clangs):
        self.clangs = clangs
        self.cases, self.compiles, self.findings = Counter(), Counter(), Counter()

    def count(self, case):
        key = (case.fault, case.clang)
        self.cases[key] += 1
        self.compiles[key] += case.compiles
        self.findings[key] += len(case.findings)

    def sums(self):
        return sum(self.cases.values()), sum(self.compiles.values()), sum(self.findings.values())

    def line(self):
        counted = Counter()
        for (fault, _), count in self.cases.items():
            counted[fault.kind] += count
        kinds = ", ".join(f"{kind} {counted[kind]}" for kind in KINDS if counted[kind])
        cases, compiles, findings = self.sums()
        return f"{cases} cases ({kinds}), {compiles} compiles, {findings} findings"

    def _rows(self, kind):
        for fault in (one for one in TABLE if one.kind == kind):
            keys = [(fault, clang) for clang in self.clangs]
            if any(self.cases[key] for key in keys):
                cells = [f"{self.cases[key]} / {self.compiles[key]}" for key in keys]
                yield fault.title, *cells, emphasized(sum(self.findings[key] for key in keys))

    def markdown(self, told):
        cases, compiles, findings = self.sums()
        parts = [f"{told}: {cases} cases, {compiles} compiles through hipcache, {findings} findings."]
        heads = [f"clang {clang}: cases / compiles" for clang in self.clangs]
        for kind in KINDS:
            if rows := list(self._rows(kind)):
                parts.append(narrow_table((kind, *heads, "findings"), rows))
        return "\n\n".join(parts)
