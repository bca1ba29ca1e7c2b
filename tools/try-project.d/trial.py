"""The phases of a project's life with a cache, by the compiler alone and by hipcache in turn; and whether their outputs
are equal."""

import collections
import json

from builds import in_turn
from checkout_edits import add_host_code, change_commit, change_years, comment_units, document_header, format_all
from process import must
from timings import Timings
from tool import note

COLD, WARM, ADDED = "cold", "warm", "arch added"
COMMIT, YEAR, DOCUMENTED, FORMATTED = "commit id", "licence year", "header documented", "formatted"
FIRST, LATER, HOST = "comment added, first", "comment added, later", "host edit"
SECOND, CHECKOUT = "second directory", "second checkout"
EDITS = {
    COMMIT: change_commit,
    YEAR: change_years,
    DOCUMENTED: document_header,
    FORMATTED: format_all,
    FIRST: comment_units,
    LATER: comment_units,
    HOST: add_host_code,
}
PHASES = (COLD, WARM, ADDED, *EDITS, SECOND, CHECKOUT)


class Trial:
    """`reference`: another hipcache with a cache of its own, asked only for the id that hipcache gives each unit; or
    None. `keep`: what was compared stays in the directory."""

    def __init__(self, project, launchers, reference, directory, keep):
        self.project, self.launchers = project, launchers
        self.plain, self.hipcache = launchers
        self.reference, self.directory, self.keep = reference, directory, keep
        self.timings = Timings(launchers, ("phase",), PHASES)
        self.differing = collections.defaultdict(set)  # units whose outputs were not the compiler's, by phase
        self.compared = collections.Counter()  # outputs that were compared, by phase, over all runs
        self.not_cached = collections.defaultdict(collections.Counter)  # reasons that hipcache gave, by phase
        self.hits = {}  # units for which hipcache ran nothing, by phase, in the last run
        self.digests = None  # of the compiler's outputs in the last phase that it built

    def run(self, number, chosen):
        """One run, with an empty cache. Edits that are not chosen are not made. Other phases that are not chosen are
        built by hipcache alone, so that later ones find the same cache."""
        self.hipcache.renew(self.directory)
        last = max(PHASES.index(phase) for phase in chosen)
        for phase, build in self._states(chosen):
            if phase in chosen:
                note(f"run {number + 1}: {phase}")
                self._measure(phase, build, number + PHASES.index(phase))
            else:
                self._build(self.hipcache, build, None)
            if PHASES.index(phase) == last:
                break
        self.hipcache.stop()

    def _states(self, chosen):
        """Each phase with its build directory. What a phase changes is changed when it is asked for."""
        archs = self.project.archs
        first = self.project.checkout(self.directory / "first")
        yield COLD, first.build("build", archs)
        yield WARM, first.build("build", archs)
        yield ADDED, first.build("build", [*archs, *self.project.more])
        for phase, edit in EDITS.items():
            if phase not in chosen and not (phase == FIRST and LATER in chosen):
                continue
            first.edit(edit)
            yield phase, first.build("build", archs)
        yield SECOND, first.build("another", archs)
        yield CHECKOUT, first.copy(self.directory / "another-checkout").build("build", archs)

    def _measure(self, phase, build, turn):
        ids = self._ids(build) if self.reference else None
        made = {}
        for launcher in in_turn(self.launchers, turn):
            if launcher is self.plain and phase == WARM:
                continue  # the compiler alone does not build twice
            self._build(launcher, build, ids, lambda who, what: self.timings.measure((phase,), who, what))
            made[launcher.name] = build.digests()
            if self.keep and self.reference:
                build.copy_outputs(self.directory / "compared" / phase / launcher.name)
            if launcher is self.hipcache:
                self._remember_reasons(phase)
        if self.reference:
            self.digests = made.get("plain", self.digests)
            self._compare(phase, made["hipcache"])

    def _build(self, launcher, build, ids, measure=lambda who, what: what()):
        build.configure(launcher, ids if launcher is self.plain else None)
        build.clean()
        measure(launcher, lambda: build.run(launcher))

    def _ids(self, build):
        """The id that hipcache gives each unit, for the compiler alone to use: with it, both have to make the same
        bytes."""
        environment = build.environment(self.reference)
        # The ids depend on what the directory is: one of a build, in which the directories of objects exist.
        build.configure(self.reference)
        build.clean()
        ids = {}
        for unit in self.project.units:
            command = [self.reference.command, "--plan", "--format", "json", "--", *build.command(unit)]
            ids[unit] = json.loads(must(command, environment, build.directory)).get("cuid")
        return ids

    def _compare(self, phase, outputs):
        for unit, digests in outputs.items():
            self.compared[phase] += 1
            if digests != self.digests[unit] or None in digests:
                self.differing[phase].add(unit)

    def _remember_reasons(self, phase):
        stats = self.hipcache.stats()
        self.hits[phase] = stats["requests"]["hit"]
        for kind in ("not_cached", "not_stored"):
            for reason, number in stats[kind].items():
                self.not_cached[phase][f"{kind.replace('_', ' ')}: {reason}"] += number
