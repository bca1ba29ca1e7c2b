"""Checks what tools/test-servers says if the package registry cannot be reached, and without Go and npm.

usage: servers_tool.py ROOT
"""

import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile

import tracked


def main(root):
    with tempfile.TemporaryDirectory() as servers, socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # and does not listen
        registry = f"127.0.0.1:{nobody.getsockname()[1]}/simple"
        variables = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
        variables.update(HIPCACHE_TEST_SERVERS=servers, PIP_INDEX_URL=f"http://ada:secret@{registry}/")
        variables.update(PIP_RETRIES="0", PIP_CONFIG_FILE=os.devnull)
        done = subprocess.run(
            [f"{root}/tools/test-servers", "buildgrid"], env=variables, text=True, capture_output=True, check=True
        )
        problems = []
        said = done.stderr.splitlines()[-1]
        if f"the package registry http://{registry}/ cannot be reached" not in said or "will fail" not in said:
            problems.append(f"tools/test-servers does not say that the registry cannot be reached: {said}")
        if (pathlib.Path(servers) / "buildgrid").exists():
            problems.append("tools/test-servers leaves a server that is not there")
        problems += without_programs(root, pathlib.Path(servers))
    return tracked.finish(problems, "servers tool")


def without_programs(root, servers):
    programs = servers / "programs"
    programs.mkdir()
    for name in ("bash", "env", "flock", "mkdir"):
        (programs / name).symlink_to(shutil.which(name))
    variables = {**os.environ, "HIPCACHE_TEST_SERVERS": str(servers), "PATH": str(programs)}
    for program, server in ("Go", "fake-gcs-server"), ("npm", "azurite"):
        done = subprocess.run(
            [f"{root}/tools/test-servers", server], env=variables, text=True, capture_output=True, check=True
        )
        if f"no {program}, so no {server}: the tests that need it are skipped" not in done.stderr:
            yield f"tools/test-servers does not say that {program} is missing: {done.stderr}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
