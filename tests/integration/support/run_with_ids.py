"""Runs a compiler's command of several sources with an id for each.

Usage: run_with_ids.py "ID of SOURCE, ID of SOURCE" COMPILER ARGUMENT...

The driver gives all sources the id that -cuid= names. So the driver is asked for its jobs (-###), the ids are put in,
and the jobs run one after the other, as the driver would run them.
"""

import os
import shlex
import subprocess
import sys

GIVEN = "-cuid=hipcache-test"
BANNER = ("Target: ", "Thread model: ", "InstalledDir: ", "Build config: ")


def main():
    ids = dict(reversed(part.split(" of ", 1)) for part in sys.argv[1].split(", "))
    compiler, *rest = sys.argv[2:]
    is_new = "--offload-new-driver" in rest
    given = ["-Xclang", GIVEN] if is_new else [GIVEN]
    asked = subprocess.run([compiler, *given, *rest, "-###"], capture_output=True, text=True, check=False)
    jobs, messages = [], []
    for line in asked.stderr.splitlines(keepends=True):
        if line.startswith(' "'):
            jobs.append(shlex.split(line))
        elif "clang version" not in line and not line.startswith(BANNER):
            messages.append(line)
    sys.stdout.write(asked.stdout)
    sys.stderr.write("".join(messages))
    sys.stderr.flush()
    if asked.returncode != 0:
        return asked.returncode
    outputs = []
    for job in jobs:
        if job[1] == "-cc1":
            job = ["-cuid=" + ids[job[-1]] if word == GIVEN else word for word in job]
        outputs += [word for word in job if word.startswith("/tmp/")]
        ended = subprocess.run(job, check=False).returncode
        if ended != 0:
            break
    for output in outputs:
        if os.path.isfile(output):
            os.remove(output)
    return ended


sys.exit(main())
