"""How long a compile may take, beside what the compiler needs: seconds, on a machine with other work."""

# While something is wrong: every wait of the client's added up, as docs/protocol.md bounds them.
FAULT = 30
# A daemon that does not answer: the first compile finds that out, the others know.
FIRST_STOPPED = 20
NEXT_STOPPED = 8
# A step that a stopped client has taken: until another client runs it too.
TAKEN_STEP = 20
# For each client that does not report, though not stopped: 60 s for a step of unknown length (docs/protocol.md).
MUTE = 75
# A daemon that is stopped after it has said something: 60 s of silence.
SILENT = 75
# Nothing is wrong.
HEALTHY = 20
# The compiler's own time counts so often: a loaded machine is slower than when the compiler was timed alone.
SHARE = 5
# A compile is ended so much later than its bound, so that the finding says how long it took.
GRACE = 45
# Compiles of one command until it hits again, after the fault is lifted.
COMPILES_UNTIL_A_HIT = 3


def bound(seconds, expected):
    return seconds + SHARE * expected.seconds
