"""What was measured, as Markdown: printed part by part, and put into the document that keeps the figures of the last whole run."""

from machine import sentence


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
