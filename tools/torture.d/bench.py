"""Runs one case, and keeps what it found."""

import pathlib
import tempfile
import traceback


class Bench:
    """`given`: the command line. `broken`: cases in which the tool itself failed."""

    def __init__(self, given):
        self.given = given
        self.evidence = given.keep
        self.broken = 0

    def attempt(self, case, run, name, words, lock, count):
        """Runs the case, counts it under the lock, keeps its evidence under the name, and ends it. `words`: the options
        that repeat it."""
        try:
            run()
        except Exception:  # pylint: disable=broad-except
            case.note(traceback.format_exc())
            with lock:
                self.broken += 1
                print(f"-- the tool failed: {self._repeat(words)}\n{traceback.format_exc()}", flush=True)
        finally:
            with lock:
                count(case)
                if case.findings:
                    self.evidence = self.evidence or tempfile.mkdtemp(prefix="hipcache-torture-findings-")
                    print(f"FINDING, {name}")
                    case.keep(pathlib.Path(self.evidence) / name, self._repeat(words))
            case.end_all()

    def _repeat(self, words):
        words = ["tools/torture", f"{self.given.minutes or 0:g}", "--seed", self.given.seed, *words]
        return " ".join(map(str, [*words, *([self.given.hipcache] if self.given.hipcache else [])]))
