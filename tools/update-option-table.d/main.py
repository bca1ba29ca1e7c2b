"""Writes src/compiler/options/clang_options.inc: the options of clang's driver and front end.

Each VERSION is a number, whose sources apt fetches (150 MB each), or NUMBER=DIRECTORY, an unpacked source tree of LLVM.
The options of --judged are those that hipcache's rules were written for. The others add the options that it lacks.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared.d"))

import options  # noqa: E402
import sources  # noqa: E402
import tool  # noqa: E402
from tool import ROOT  # noqa: E402

TABLE = ROOT / "src/compiler/options/clang_options.inc"
HEADER = """\
// The options of clang's driver and front end. Written by tools/update-option-table, not by hand.
//
// Part of the LLVM Project, under the Apache License v2.0 with LLVM Exceptions.
// See https://llvm.org/LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the sources of clang {judged}, and what these have beside it: {others}.
//
// GROUP(id, name, group)
// OPTION(prefixes, spelling with the first prefix, id, kind, group, alias, values for the alias, flags, number of values)
"""


def arguments():
    parser = tool.parser("tools/update-option-table", __doc__)
    parser.add_argument("--judged", default="19", metavar="VERSION", help="default: 19")
    parser.add_argument("others", nargs="*", default=["23", "22", "21", "15"], metavar="VERSION",
                        help="default: 23 22 21 15; of equal spellings the first counts")
    parser.add_argument("--output", type=pathlib.Path, default=TABLE, metavar="FILE",
                        help="default: the file of the tree")
    return parser.parse_args()


def row(option):
    flags = [f"k_{reader}".replace("k_d", "kD").replace("k_c", "kC") for reader in sorted(option.readers, reverse=True)]
    flags += [] if option.judged else ["kUnjudged"]
    flags += [f"llvm::opt::{flag}" for flag in option.rendered]
    values = '"' + "".join(value.replace("\\", "\\\\").replace('"', '\\"') + "\\0" for value in option.alias_args) + '"'
    spelling = (option.prefixes[0] if option.prefixes else "") + option.spelling
    return (
        f'OPTION({options.PREFIXES[option.prefixes]}, "{spelling}", {option.name}, {option.kind}, {option.group or "INVALID"}, '
        f"{option.alias or 'INVALID'}, {values if option.alias_args else 'nullptr'}, {' | '.join(flags) or '0'}, {option.parameter})"
    )


def write(path, judged, others, table, groups):
    names = " ".join(release for release, _ in others)
    lines = [HEADER.format(judged=judged, others=names)]
    lines += [f'GROUP({name}, "{groups[name][0]}", {groups[name][1] or "INVALID"})\n' for name in sorted(groups)]
    lines += [f"{row(option)}\n" for option in table]
    path.write_text("".join(lines))


def main():
    given = arguments()
    with tool.scratch("options") as work:
        archive = None
        read = []
        for version in (given.judged, *given.others):
            release, _, tree = version.partition("=")
            if not tree:
                archive = archive or sources.Archive(work)
                release, tree = archive.fetch(release)
            read.append((release, options.read(sources.records(pathlib.Path(tree)))))
    judged, *others = read
    number = int(judged[0].partition(".")[0])
    table, groups = options.merge(number, judged[1], [(release.partition(".")[0], found) for release, found in others])
    write(given.output, judged[0], others, table, groups)
    print(f"{given.output}: {len(table)} options, {sum(not option.judged for option in table)} of them not judged")


if __name__ == "__main__":
    tool.end_with(main, "tools/update-option-table")
