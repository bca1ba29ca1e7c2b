#!/usr/bin/python3
"""In the place of bubblewrap for buildbox-run: runs the command in the directory that would have become its "/"."""

import os
import pathlib
import sys

WORDS = {"--bind": 2, "--ro-bind": 2, "--setenv": 2, "--unsetenv": 1, "--proc": 1, "--dev": 1, "--dir": 1, "--chdir": 1,
         "--hostname": 1, "--uid": 1, "--gid": 1, "--cap-drop": 1}
pathlib.Path(__file__).with_name("was-used").touch()
left = sys.argv[1:]
environment = dict(os.environ)
while left[0].startswith("--"):
    option, *values = left[: 1 + WORDS.get(left[0], 0)]
    left = left[1 + len(values):]
    if option == "--bind" and values[1] == "/":
        os.chdir(values[0])
    elif option == "--setenv":
        environment[values[0]] = values[1]
    elif option == "--unsetenv":
        environment.pop(values[0], None)
os.execve(left[0], left, environment)
