"""What the command lines of the tools have in common."""

import argparse
import contextlib
import pathlib
import shutil
import signal
import sys
import tempfile

from process import Failed

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILT = ROOT / "build/release/bin/hipcache"
CLANGS = ("15", "19")


def note(text):
    """Progress, beside the result on standard output."""
    print(f"-- {text}", file=sys.stderr, flush=True)


def parser(name, description):
    """Keeps the description's lines."""
    keep_lines = argparse.RawDescriptionHelpFormatter
    return argparse.ArgumentParser(prog=name, description=description, formatter_class=keep_lines)


def add_clang(options):
    options.add_argument("--clang", choices=(*CLANGS, "both"), default="both",
                         help="compiler (default: both, in turns)")


def clangs(given):
    return CLANGS if given.clang == "both" else (given.clang,)


def _page(name):
    """Found missing now, not when everything was measured."""
    if not pathlib.Path(name).is_file():
        raise argparse.ArgumentTypeError(f"{name} is no file; name a page that has the tool's marks")
    return name


def add_document(options):
    options.add_argument("--document", metavar="FILE", type=_page,
                         help="put the tables into FILE, as a page of docs has them")


def default_hipcache():
    """The release build's, else the one in PATH."""
    found = None if BUILT.exists() else shutil.which("hipcache")
    return pathlib.Path(found or BUILT)


def missing(program):
    return f"no {program}; build it first: cmake --preset release && cmake --build --preset release"


@contextlib.contextmanager
def scratch(tool, keeps=False):
    """A directory that ends with the block, unless it `keeps`."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix=f"hipcache-{tool}-"))
    try:
        yield directory
    finally:
        if keeps:
            note(f"kept: {directory}")
        else:
            shutil.rmtree(directory, ignore_errors=True)


def end_with(main, name):
    """Runs the tool of that name. SIGTERM ends it in order, so that what it started ends too. Failed is one message,
    and exit code 2."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except Failed as failure:
        print(f"{name}: {failure}", file=sys.stderr)
        sys.exit(2)
