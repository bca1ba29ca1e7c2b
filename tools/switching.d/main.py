"""Writes the tables of docs/switching.md: what ccache and sccache have, and what hipcache has instead.

The tables come from tools/switching.d/*.toml. The text around them is written by hand, in the page.
"""

import argparse
import pathlib
import sys

import check
import page
import table

ROOT = pathlib.Path(__file__).resolve().parents[2]


def arguments():
    parser = argparse.ArgumentParser(prog="tools/switching", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; say what is wrong with the tables or the page")
    return parser.parse_args()


def main():
    given = arguments()
    try:
        comparison = table.read(ROOT)
    except table.Wrong as wrong:
        print(wrong)
        return 1
    if not given.check:
        page.write(ROOT, comparison)
    found = check.problems(ROOT, comparison)
    for problem in found:
        print(problem)
    print(f"switching: {len(found)} problems" if found else f"switching: good; {comparison.summary()}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
