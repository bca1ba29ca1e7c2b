"""What ends the tool with one line."""


class Failure(Exception):
    """Says what cannot be done, and the mend."""
