"""What was measured, as Markdown: printed part by part, and put into the document that keeps the figures of the last whole run."""

from machine import sentence

BEGIN, END = "<!-- tools/bench begins -->", "<!-- tools/bench ends -->"


class Document:
    def __init__(self, settings, machine):
        self.machine = machine
        self.text = f"Of {machine['date']}, {settings}: {sentence(machine)}"
        print(self.text)

    def add(self, title, text):
        """Shows a part at once."""
        part = f"\n### {title}\n\n{text}"
        print(part, flush=True)
        self.text += f"\n{part}"

    def put_into(self, path):
        """Between the marks that the file has for it."""
        before, begin, rest = path.read_text().partition(BEGIN)
        _, end, after = rest.partition(END)
        if not begin or not end:
            raise SystemExit(f"tools/bench: {path} has no {BEGIN} and {END}")
        path.write_text(f"{before}{BEGIN}\n{self.text}\n{END}{after}")
