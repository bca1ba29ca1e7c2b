"""What was measured, as Markdown."""

from reporting import table
from survey import left_out_lines
from trial import COLD, WARM

HEADS = ("phase", "plain", "hipcache", "hipcache, of plain", "run by hipcache", "units without a step",
         "objects and depfiles as the compiler's")


def base_of(row):
    """The row of the compiler alone that one is held against."""
    return (COLD,) if row == (WARM,) else row


def text(trial, left_out):
    rows = [_cells(trial, row) for row in trial.timings.keys()]
    return "\n".join([table(HEADS, rows), *_differing_lines(trial), *_reason_lines(trial), *left_out_lines(left_out)])


def _cells(trial, row):
    hits = f"{trial.hits.get(row[0], 0)} of {len(trial.project.units)}"
    return (*row, *trial.timings.cells(row, base_of(row)), hits, _equal(trial, row[0]))


def _equal(trial, phase):
    if not trial.compared[phase]:
        return "not compared"
    differing = len(trial.differing[phase])
    return f"all {len(trial.project.units)}" if not differing else f"{differing} of {len(trial.project.units)} are not"


def _differing_lines(trial):
    if any(trial.differing.values()):
        yield "\nNot the compiler's:\n"
        for phase, units in trial.differing.items():
            if units:
                yield f"- {phase}: {', '.join(map(str, sorted(units)))}"


def _reason_lines(trial):
    found = {phase: reasons for phase, reasons in trial.not_cached.items() if reasons}
    if found:
        yield "\nReasons that hipcache gave, over all runs:\n"
        for phase, reasons in found.items():
            yield f"- {phase}: {', '.join(f'{reason} ({number})' for reason, number in reasons.items())}"
