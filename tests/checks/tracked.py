"""The project's files: what git tracks or would track; in an unpacked archive, all but the build directory."""

import pathlib
import subprocess


def files(root, *suffixes):
    """Paths relative to root, sorted; with suffixes, only those that end so."""
    root = pathlib.Path(root)
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=False
    )
    if listing.returncode == 0:
        found = [pathlib.Path(line) for line in listing.stdout.splitlines()]
    else:
        found = [path.relative_to(root) for path in root.rglob("*") if path.relative_to(root).parts[0] != "build"]
    return sorted(
        path
        for path in set(found)
        if (root / path).is_file() and (not suffixes or path.name.endswith(suffixes))
    )


def scripts(root, interpreter):
    """Files whose first line names the interpreter."""

    def starts_right(path):
        with open(pathlib.Path(root) / path, "rb") as file:
            first = file.readline(200)
        return first.startswith(b"#!") and interpreter.encode() in first

    return [path for path in files(root) if starts_right(path)]


def finish(problems, what):
    """Prints the problems and makes the exit code."""
    for problem in problems:
        print(problem)
    print(f"{what}: {len(problems)} problems" if problems else f"{what}: good")
    return 1 if problems else 0
