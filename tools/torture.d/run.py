"""Runs cases, keeps what they found, and tells how far it is."""

import pathlib
import tempfile
import threading
import time
import traceback


class Run:
    """`given`: the command line. `broken`: cases in which the tool itself failed."""

    def __init__(self, given, tally):
        self.given, self.tally = given, tally
        self.evidence, self.broken = given.keep, 0
        self.lock = threading.Lock()  # guards the tally, the evidence, and what is told
        self.began = self.told = time.monotonic()

    def minutes(self):
        return (time.monotonic() - self.began) / 60

    def is_over(self):
        return bool(self.given.minutes) and self.minutes() > self.given.minutes

    def line(self):
        return f"{self.minutes():.1f} min: {self.tally.line()}"

    def attempt(self, case, run, name, words):
        """Runs the case, counts it, keeps its evidence under the name, and ends it. `words`: the options that repeat
        it."""
        try:
            run()
        except Exception:  # pylint: disable=broad-except
            case.note(traceback.format_exc())
            with self.lock:
                self.broken += 1
                print(f"-- the tool failed: {self._repeat(words)}\n{traceback.format_exc()}", flush=True)
        finally:
            with self.lock:
                self._count(case, name, words)
            case.end_all()

    def _count(self, case, name, words):
        self.tally.count(case)
        if case.findings:
            self.evidence = self.evidence or tempfile.mkdtemp(prefix="hipcache-torture-findings-")
            print(f"FINDING, {name}")
            case.keep(pathlib.Path(self.evidence) / name, self._repeat(words))
        if time.monotonic() - self.told > 60:
            self.told = time.monotonic()
            print(f"-- {self.line()}", flush=True)

    def _repeat(self, words):
        words = ["tools/torture", f"{self.given.minutes or 0:g}", "--seed", self.given.seed, *words]
        return " ".join(map(str, [*words, *([self.given.hipcache] if self.given.hipcache else [])]))
