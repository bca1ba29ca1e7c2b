"""What a case did, what it found, and the evidence."""

import pathlib
import time

import patience
import tree

MOST_LOG = 200_000  # bytes that are kept of each log


class Story:
    """After a finding the case goes on; the evidence is the state at that moment."""

    def __init__(self):
        self.story, self.findings, self.evidence = [], [], {}
        self.compiles = 0
        self._began = time.monotonic()

    def note(self, text):
        self.story.append(f"{time.monotonic() - self._began:7.2f}  {text}")

    def finding(self, text, **evidence):
        """`evidence`: directories by name, each a dictionary of files as from tree.files_in."""
        self.note(f"FINDING: {text}")
        for name, files in evidence.items():
            self.evidence[f"{len(self.findings)}-{name}"] = files
        self.findings.append(text)

    def keep_log(self, log, place):
        if log.is_file():
            self.evidence.setdefault(place, {})[log.name] = (0, log.read_bytes()[-MOST_LOG:])

    def end(self, running, command, seconds):
        """Waits for a compile; whoever takes longer is a finding."""
        ended = running.wait(seconds + patience.GRACE)
        self.compiles += 1
        self.note(f"{ended.told()}: {command}")
        if ended.late or ended.seconds > seconds:
            self.finding(f"a compile {ended.told()}; the bound is {seconds:.0f} s: {command}")
        return ended

    def keep(self, place, repeat):
        """Writes the evidence into a directory, and prints where it is."""
        place = pathlib.Path(place)
        place.mkdir(parents=True, exist_ok=True)
        (place / "report.txt").write_text("\n".join([*self.findings, "", f"repeat: {repeat}", "", *self.story, ""]))
        for name, files in self.evidence.items():
            tree.write_out(place / name, files)
        for finding in self.findings:
            print(f"  {finding}")
        print(f"  evidence: {place}\n  repeat:   {repeat}", flush=True)
