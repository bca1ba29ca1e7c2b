"""The table of results, as text and as Markdown, and whether they are as expected."""

from cases import CASES
from reporting import emphasized, narrow_table


def _cell(case):
    if case["differences"]:
        return f"**{case['ran']}: not the compiler's**"
    return case["ran"] if case["ok"] else f"**{case['ran']} instead of {case['expected']}**"


def _driver(row):
    return row["driver"] + (" (default)" if row["driver"] == row["default"] else "")


def _steps(rows, part):
    """A line for each case, a column for each compiler and driver."""
    tried = [row for row in rows if part in row]
    heads = ["", *(f"{row['compiler']}, {_driver(row)}" for row in tried)]
    cells = [{case["case"]: _cell(case) for case in row[part]} for row in tried]
    return narrow_table(heads, [(case.title, *(column[case.name] for column in cells)) for case in CASES])


def _lines(rows):
    tried = [row for row in rows if "lines" in row]
    outcomes = list(tried[0]["lines"]["counted"])
    told = []
    for row in tried:
        lines = row["lines"]
        differ = emphasized(len(lines["not_equal"]))
        told.append((row["compiler"], _driver(row), lines["lines"], *lines["counted"].values(), differ))
    return narrow_table(["compiler", "driver", "command lines", *outcomes, "not the compiler's"], told)


def _options(rows):
    tried = [row for row in rows if "options" in row]
    told, reasons = [], {}
    for row in tried:
        options = row["options"]
        told.append((row["compiler"], options["printed"], options["accepted"], *options["counted"].values(),
                     options["checked"], emphasized(len(options["not_equal"]))))
        for option, why in options["not_split"].items():
            why = why if "plan-not-understood" in why else why.split(":")[0]
            reasons.setdefault(why, {}).setdefault(f"`{option}`", []).append(row["compiler"])
    heads = ["compiler", "printed", "accepted here", "split", "opaque", "passed through", "drawn and compared",
             "not the compiler's"]
    every = [row["compiler"] for row in tried]
    named = [
        (f"`{why}`".replace("|", "/"), ", ".join(name.replace("|",
                                                              "/") + ("" if who == every else f" ({', '.join(who)})")
                                                              for name, who in options.items()))
        for why, options in sorted(reasons.items())
    ]
    return narrow_table(heads, told) + "\n\n" + narrow_table(["not split, and why", "options"], named)


def _projects(rows):
    told = []
    for row in rows:
        for built in row.get("projects", ()):
            cells = [f"{built[when]['device']}F {built[when]['host']}H" for when in ("cold", "warm", "more")]
            mark = "" if built["ok"] else "**"
            told.append((row["compiler"], built["project"], built["hip"], built["units"] - built["hip"], *cells,
                         f"{mark}{len(built['differences'])}{mark}"))
    heads = ["compiler", "project", "HIP units", "others", "cold", "rebuilt", "one architecture more",
             "not the compiler's"]
    return narrow_table(heads, told)


PARTS = (
    ("Compiles", lambda rows: _steps(rows, "compile"), "compile"),
    ("Relocatable device code, with its link", lambda rows: _steps(rows, "rdc"), "rdc"),
    ("The table of command lines", _lines, "lines"),
    ("Options that --help-hidden prints", _options, "options"),
    ("Projects with HIP's headers", _projects, "projects"),
)


def markdown(date, suites, rows):
    """`suites`: the date of each suite, by name."""
    told = [f"Of {date}: " + ", ".join(f"Debian {name} of {when}" for name, when in suites.items()) + "."]
    versions = {row["compiler"]: row["version"] for row in rows}
    told.append("; ".join(f"{compiler}: {version}" for compiler, version in versions.items()) + ".")
    for title, table, part in PARTS:
        if any(part in row for row in rows):
            told.append(f"### {title}\n\n{table(rows)}")
    return "\n\n".join(told)


def problems(rows):
    """A line for each result that is not as expected."""
    for row in rows:
        who = f"{row['compiler']}, {row['driver']} driver"
        for part in ("compile", "rdc"):
            for case in row.get(part, ()):
                if not case["ok"]:
                    found = "; ".join(case["differences"]) or f"expected {case['expected']}"
                    yield f"{who}: {part}: {case['case']}: {case['ran']}: {found}"
        for part in ("lines", "options"):
            for line, found in row.get(part, {}).get("not_equal", ()):
                yield f"{who}: {line}: {'; '.join(found)}"
        for built in row.get("projects", ()):
            if not built["ok"]:
                yield f"{who}: {built['project']}: {'; '.join(built['differences']) or 'other counts'}"
