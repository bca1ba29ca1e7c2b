"""How many seconds a compile may take beyond the compiler's own time, on a machine with other work."""

# While something is wrong: all waits of the client together, with the bounds of docs/internals/protocol.md.
FAULT = 30
# A daemon that does not answer: the compile that finds that out.
FIRST_STOPPED = 20
# A step that a stopped client has taken: until another client runs it too.
TAKEN_STEP = 20
# A daemon that is stopped after its first message: 60 s of silence.
SILENT = 75
# Nothing is wrong.
HEALTHY = 20
# While networks fail: 4 s for each of the rounds of a step (list, result, blobs), and for HIP for its steps one after
# the other (docs/remote.md).
# A step that is with an engine runs here as well as soon as the client has nothing else to do, so no limit of a worker
# is waited for; the machine has one job slot (docs/execution.md).
NETWORK = {"C": 15, "HIP": 40, "executed": 30}
# The compiler's own time is multiplied by this: the machine may be slower than when the compiler was timed alone.
SHARE = 5
# A compile is ended this much after its bound, so that the finding can say how long it took.
GRACE = 45
# Compiles of one command until it hits again, after the fault is over.
COMPILES_UNTIL_A_HIT = 3


def bound(seconds, expected):
    return seconds + SHARE * expected.seconds
