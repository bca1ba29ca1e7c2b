"""Checks docs/switching.md: it is what tools/switching makes, and all that it names as hipcache's is there.

Then checks that tools/switching --check notices what it should, in a copy of what it reads.

usage: switching.py ROOT
"""

import pathlib
import re
import sys
import unittest

from copied_tree import CopiedTree

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()
sys.path.insert(0, str(ROOT / "tools/switching.d"))

import check  # noqa: E402
import page  # noqa: E402
import table  # noqa: E402

CCACHE, SCCACHE, ALONE = (f"{table.FOLDER}/{name}.toml" for name in ("ccache", "sccache", "hipcache"))
OPTIONS, KEYS, FIELDS, COUNTS = "src/cli/options/options.cpp", "src/config/keys.cpp", "docs/statistics.md", "src/stats/json.cpp"
URLS, URL_OPTIONS, SETTINGS = "src/config/remote_url.cpp", "src/config/remote_options.cpp", "docs/configuration.md"
REASONS = ("include/hipcache/compiler/reason.h", "src/daemon/request/reason.h", "include/hipcache/inputs/run.h")
READ = (CCACHE, SCCACHE, ALONE, OPTIONS, KEYS, FIELDS, COUNTS, URLS, URL_OPTIONS, SETTINGS, page.PLACE, *REASONS)


class Switching(CopiedTree):
    read = READ

    def add(self, name, entry):
        (self.root / name).write_text((self.root / name).read_text() + entry)

    def problems(self):
        """Of the tables, and of a page that is made of them."""
        comparison = table.read(self.root)
        page.write(self.root, comparison)
        return check.problems(self.root, comparison)

    def assert_told(self, *parts):
        found = self.problems()
        for part in parts:
            self.assertTrue(any(part in problem for problem in found), f"{part} is not in {found}")

    def test_the_page_and_the_tables_of_this_tree_are_right(self):
        self.assertEqual(check.problems(ROOT, table.read(ROOT)), [])

    def test_a_renamed_option_is_told_by_both_names(self):
        self.replace(OPTIONS, '"--cleanup", Action', '"--shrink", Action')
        self.assert_told("ccache: --cleanup: hipcache has no --cleanup", "--shrink is in no table")

    def test_a_renamed_option_of_the_page_s_own_text_is_told(self):
        self.replace(OPTIONS, '"--flush", Action', '"--drain", Action')
        self.assert_told("docs/switching.md: hipcache has no --flush", "hipcache.toml: hipcache has no --flush")

    def test_a_renamed_setting_is_told_by_both_names_and_where_it_is_explained(self):
        self.replace(KEYS, '{"recache"', '{"renew"')
        self.assert_told("hipcache has no HIPCACHE_RECACHE", "HIPCACHE_RENEW is in no table", "docs/configuration.md differ")

    def test_a_renamed_variable_without_a_key_is_told(self):
        self.replace(SETTINGS, "| `HIPCACHE_DIR` |", "| `HIPCACHE_HOME` |")
        self.assert_told("hipcache has no HIPCACHE_DIR", "HIPCACHE_HOME is in no table")

    def test_a_renamed_part_of_a_url_is_told(self):
        self.replace(URL_OPTIONS, '{"mode", kAny', '{"access", kAny')
        self.replace(URLS, '{"s3", RemoteKind', '{"aws", RemoteKind')
        self.assert_told("hipcache has no ?mode", "?access is in no table", "hipcache has no s3://", "aws:// is in no table")

    def test_a_field_that_is_not_explained_or_not_written_is_told(self):
        self.replace(FIELDS, "| `since` |", "| `from` |")
        self.replace(COUNTS, '"taken_over"', '"adopted"')
        self.replace(COUNTS, '"evicted"', '"dropped"')
        self.assert_told("hipcache has no since", "cleanups_performed: hipcache has no store.evicted")

    def test_a_renamed_reason_is_told(self):
        self.replace(REASONS[0], '"no-input"', '"nothing-to-do"')
        self.assert_told("no_input_file: hipcache has no not_cached.no-input")

    def test_options_that_the_check_cannot_read_are_told(self):
        declared = re.search(r"std::array<ActionOption, (\d+)>", (self.root / OPTIONS).read_text())
        self.replace(OPTIONS, declared.group(), f"std::array<ActionOption, {int(declared.group(1)) + 1}>")
        self.assert_told("options read")

    def test_a_page_that_is_not_made_of_the_tables_is_told(self):
        self.replace(SCCACHE, "The same: 600 seconds, and `0` for never.", "The same.")
        self.assertEqual(check.problems(self.root, table.read(self.root)), ["docs/switching.md is not up to date; run tools/switching"])
        self.assertEqual(self.problems(), [])

    def test_text_around_the_tables_stays(self):
        self.replace(page.PLACE, "# Switching", "# Moving")
        self.assertEqual(self.problems(), [])
        self.assertTrue((self.root / page.PLACE).read_text().startswith("# Moving"))

    def test_a_name_that_is_there_twice_is_told(self):
        self.replace(CCACHE, 'name = "--dry-run"', 'name = "--dry-run, -c"')
        self.assert_told("ccache: -c is there 2 times")

    def test_a_setting_and_a_count_may_have_one_name(self):
        named = [entry.names for _, entry in table.read(ROOT).tools[0].entries()]
        self.assertEqual(sum("recache" in names for names in named), 2)

    def test_what_only_hipcache_has_is_there_and_no_counterpart(self):
        self.replace(ALONE, 'name = "--arch"', 'name = "--arch, --target, --plan"')
        self.assert_told("hipcache has no --target", "--plan is the counterpart of something")

    def test_each_name_in_a_use_counts_and_values_do_not(self):
        self.replace(CCACHE, 'ours = "--show-config --format json"', 'ours = "--show-config --form json"')
        self.assert_told("--get-config: hipcache has no --form")

    def test_text_is_of_short_sentences(self):
        self.replace(CCACHE, '"A tool for developers of ccache."', f'"{"long " * 26}"')
        self.assert_told("the text is no sentence", "a sentence has more than 25 words")

    def test_an_entry_or_a_section_of_another_form_is_refused(self):
        for entry in ('[[section.entry]]\nname = "-q"\ntext = "No."\n', '[[section]]\ntitle = "Other"\nkind = "word"\nentry = []\n'):
            with self.subTest(entry):
                self.add(CCACHE, entry)
                with self.assertRaises(table.Wrong):
                    table.read(self.root)
                self.replace(CCACHE, entry, "")


if __name__ == "__main__":
    unittest.main()
