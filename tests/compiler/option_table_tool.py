"""Checks how tools/update-option-table makes one table of several clangs.

usage: option_table_tool.py ROOT
"""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
sys.path[:0] = [str(ROOT / "tools/update-option-table.d")]

import options  # noqa: E402

KINDS = {"KIND_FLAG": ("Flag", 3), "KIND_JOINED": ("Joined", 1)}


def named(name):
    return {"def": name} if name else None


def records(*rows, flags=False):
    """What llvm-tblgen tells of options, each a name, a spelling, who knows it, and more. flags: as before clang 18."""
    found = {kind: {"Name": name, "Precedence": precedence, "Sentinel": 0} for kind, (name, precedence) in KINDS.items()}
    for name, spelling, visible, more in rows:
        found[name] = {
            "Name": spelling.lstrip("-"), "Prefixes": [spelling[: len(spelling) - len(spelling.lstrip("-"))]], "Kind": named("KIND_FLAG"),
            "Group": None, "Alias": None, "AliasArgs": [], "NumArgs": 0, "Flags": [named(each) for each in visible] if flags else [],
            **({} if flags else {"Visibility": [named(each) for each in visible]}), **more,
        }  # fmt: skip
    found["f_Group"] = {"Name": "<f group>", "Group": None, "Flags": [], "Visibility": [named("ClangOption")]}
    found["!instanceof"] = {"Option": [row[0] for row in rows], "OptionGroup": ["f_Group"]}
    return options.read(found)


JUDGED = records(
    ("fast", "-fast", ["ClangOption"], {}),
    ("fold", "-fold", ["CC1Option"], {"Group": named("f_Group")}),
    ("quick", "--quick", ["ClangOption"], {"Alias": named("fast")}),
    ("cl", "-cl", ["CLOption"], {}),
)


def merged(*others):
    table, _ = options.merge(19, JUDGED, others)
    return {option.name: option for option in table}


class Table(unittest.TestCase):
    def test_the_judged_options_stay_as_they_are(self):
        newer = records(("fast", "-fast", ["ClangOption"], {"Kind": named("KIND_JOINED")}), ("quick", "--quick", ["ClangOption"], {}))
        found = merged(("23", newer))
        self.assertEqual((found["fast"].kind, found["quick"].alias), ("Flag", "fast"))
        self.assertNotIn("cl", found)
        self.assertTrue(all(option.judged for option in found.values()))

    def test_an_option_has_the_readers_of_its_group(self):
        self.assertEqual(merged()["fold"].readers, {"driver", "cc1"})

    def test_what_a_newer_clang_adds_is_not_judged(self):
        found = merged(("23", records(("new", "-new", ["DefaultVis", "CC1Option"], {}))))
        self.assertEqual((found["new"].judged, found["new"].readers), (False, {"driver", "cc1"}))

    def test_a_further_reader_of_an_option_is_not_judged(self):
        found = merged(("23", records(("fast", "-fast", ["ClangOption", "CC1Option"], {}))))
        self.assertEqual(found["fast"].readers, {"driver"})
        self.assertEqual((found["fast_of_23"].judged, found["fast_of_23"].readers), (False, {"cc1"}))

    def test_of_an_older_clang_come_the_options_of_its_front_end(self):
        older = records(("gone", "-gone", [], {}), ("old", "-old", ["NoDriverOption", "CC1Option"], {}), flags=True)
        found = merged(("15", older))
        self.assertNotIn("gone", found)
        self.assertEqual(found["old"].readers, {"cc1"})

    def test_an_alias_of_a_judged_option_leads_to_it(self):
        newer = records(("speedy", "-fast", ["ClangOption"], {}), ("new", "-new", ["ClangOption"], {"Alias": named("speedy")}))
        self.assertEqual(merged(("23", newer))["new"].alias, "fast")

    def test_a_name_stands_before_its_beginnings(self):
        found = merged(("23", records(("f", "-f", ["ClangOption"], {}), ("FAS", "-FAS", ["ClangOption"], {}))))
        names = list(found)
        self.assertLess(names.index("fast"), names.index("FAS"))
        self.assertLess(names.index("FAS"), names.index("f"))


if __name__ == "__main__":
    unittest.main()
