"""Checks the packages' files against the sources: one version, every installed file in every list, the packages that the build
needs. Then checks that it notices what it should, in a copy of what it reads.

usage: packages.py ROOT
"""

import pathlib
import re
import sys
import unittest

from copied_tree import CopiedTree

ROOT = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else ".").resolve()

PROJECT, MANIFEST, NEEDED = "CMakeLists.txt", "install/manifest.txt", "tools/packages.txt"
DEBIAN, SPEC, ARCH = "packaging/debian", "packaging/rpm/hipcache.spec", "packaging/arch/PKGBUILD"
CONTROL, CHANGELOG = f"{DEBIAN}/control", f"{DEBIAN}/changelog"
INSTALLED, NOT_INSTALLED = f"{DEBIAN}/hipcache.install", f"{DEBIAN}/not-installed"
READ = (PROJECT, MANIFEST, NEEDED, CONTROL, CHANGELOG, INSTALLED, NOT_INSTALLED, SPEC, ARCH)

# On Debian for /usr, and in an RPM.
DIRECTORIES = {
    "BINDIR": ("usr/bin", "%{_bindir}"),
    "SBINDIR": ("usr/sbin", "%{_sbindir}"),
    "LIBEXECDIR": ("usr/libexec", "%{_libexecdir}"),
    "LIBDIR": ("usr/lib/*", "%{_libdir}"),
    "DATADIR": ("usr/share", "%{_datadir}"),
    "DOCDIR": ("usr/share/doc/hipcache", "%{_docdir}/%{name}"),
    "MANDIR": ("usr/share/man", "%{_mandir}"),
}
# Every build has these (build-essential), and a package is built from an archive, which git does not know.
NOT_DECLARED = {"dpkg-dev", "g++", "git"}
# debhelper makes the package; python groups the sources of a unity build, which the package is.
DECLARED = {"debhelper-compat", "python3"}


class Tree:
    def __init__(self, root):
        self.root = root

    def text(self, name):
        return (self.root / name).read_text()

    def lines(self, name):
        """Without comments and empty lines."""
        return [line for line in self.text(name).splitlines() if line.strip() and not line.startswith("#")]

    def found(self, name, pattern):
        match = re.search(pattern, self.text(name), re.MULTILINE)
        return match.group(1) if match else "none"

    def manifest(self, system):
        pairs = (line.split() for line in self.lines(MANIFEST))
        return {f"{DIRECTORIES[directory][system]}/{file}" for directory, file in pairs}


def differences(name, has, wanted, what):
    yield from (f"{name} does not list {what} {item}" for item in sorted(wanted - has))
    yield from (f"{name} lists {what} {item}, which is not in the sources" for item in sorted(has - wanted))


def version_problems(tree):
    version = tree.found(PROJECT, r"^project\(hipcache VERSION ([0-9.]+)")
    for name, pattern in ((CHANGELOG, r"\Ahipcache \((.*)-[^-]*\)"), (SPEC, r"^Version: *(\S+)"), (ARCH, r"^pkgver=(\S+)")):
        given = tree.found(name, pattern)
        if given != version:
            yield f"{name} is of version {given}; {PROJECT} is of {version}"


def file_problems(tree):
    debian = [line.split()[0] for name in (INSTALLED, NOT_INSTALLED) for line in tree.lines(name)]
    yield from differences(DEBIAN, set(debian), tree.manifest(0), "the file")
    lines = tree.text(SPEC).split("\n%files\n")[1].split("\n%changelog\n")[0].splitlines()
    rpm = {line.split()[-1].removesuffix("*") for line in lines if line.strip() and not line.startswith(("#", "%dir"))}
    yield from differences(SPEC, rpm, tree.manifest(1), "the file")


def dependency_problems(tree):
    section = tree.text(NEEDED).split("# building\n")[1].split("\n\n")[0]
    field = tree.text(CONTROL).split("Build-Depends:\n")[1].split("\nStandards-Version")[0]
    declared = {re.split(r"[ :(]", item.strip())[0] for item in field.replace("|", ",").split(",") if item.strip()}
    wanted = (set(re.sub(r"\(.*?\)|\|", " ", section).split()) - NOT_DECLARED) | DECLARED
    yield from differences(CONTROL, declared, wanted, "the build dependency")


def problems(root):
    tree = Tree(root)
    return [*version_problems(tree), *file_problems(tree), *dependency_problems(tree)]


class Packages(CopiedTree):
    read = READ

    def assert_told(self, *parts):
        found = problems(self.root)
        for part in parts:
            self.assertTrue(any(part in problem for problem in found), f"{part} is not in {found}")

    def test_the_packages_of_this_tree_are_right(self):
        self.assertEqual(problems(ROOT), [])

    def test_another_version_of_the_project_is_told_of_each_package(self):
        version = Tree(ROOT).found(PROJECT, r"^project\(hipcache VERSION ([0-9.]+)")
        self.replace(PROJECT, f"hipcache VERSION {version}", "hipcache VERSION 987.6")
        self.assert_told(*(f"{name} is of version {version}" for name in (CHANGELOG, SPEC, ARCH)))

    def test_a_new_file_is_missing_in_each_list(self):
        self.replace(MANIFEST, "BINDIR hipcache\n", "BINDIR hipcache\nBINDIR hipcache-top\n")
        self.assert_told(f"{DEBIAN} does not list the file usr/bin/hipcache-top", f"{SPEC} does not list the file %{{_bindir}}/hipcache-top")

    def test_a_file_that_is_gone_is_told_of_each_list(self):
        self.replace(MANIFEST, "LIBEXECDIR hipcache/hipcached\n", "")
        self.assert_told(f"{DEBIAN} lists the file usr/libexec/hipcache/hipcached", f"{SPEC} lists the file %{{_libexecdir}}/hipcache/hipcached")

    def test_a_package_that_the_build_needs_is_told(self):
        self.replace(NEEDED, "libzstd-dev\n", "libbrotli-dev\n")
        self.assert_told("does not list the build dependency libbrotli-dev", "lists the build dependency libzstd-dev")


if __name__ == "__main__":
    unittest.main()
